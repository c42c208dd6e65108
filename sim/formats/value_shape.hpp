#pragma once
// Describes the values that a key of a file may have. The JSON schema, the tables of docs/formats.md and the reader's
// messages are made from this one description.

#include "sim/base/json.hpp"
#include "sim/base/units.hpp"

#include <nlohmann/json_fwd.hpp>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

enum class ValueKind {
  text,      ///< a text that is not empty
  any_text,  ///< a text that may be empty
  name,      ///< can be a file's name: letters, digits and . _ - +
  paragraph, ///< a text, or a list of its lines
  date,      ///< "2024", "2024-05" or "2024-05-17"
  boolean,
  whole,    ///< a whole number from `least` to `most`
  number,   ///< from `least` to `most`
  positive, ///< a number above 0, at most `most`
  quantity, ///< a text with a unit of `dimension`
  word,     ///< one of `words`
  constant, ///< exactly `words.front()`; without words, true if `is_true`, else the number `least`
  list,     ///< a list of values like `parts.front()`
  table,    ///< a list of objects like `parts.front()`, stored as columns and rows (folded_table.hpp)
  map,      ///< from names (those of `words`, if any) to values like `parts.front()`
  object,   ///< with `fields`
  either,   ///< a value of one of `parts`
  nothing,  ///< null
  any,      ///< an object with any keys
};

struct FieldShape;

/// The values that a key may have.
struct ValueShape {
  ValueKind kind = ValueKind::text;
  std::vector<std::string> words{};
  std::vector<std::string> old_words{}; ///< still read for one version, but not offered in messages
  double least = 0;
  double most = unbounded;
  Dimension dimension = Dimension::time;
  bool zero_is_fine = false;    ///< for a quantity
  bool is_true = false;         ///< for a constant
  std::string pattern{};        ///< must match a text or a map's keys; "": any, or those of `words`
  std::size_t fewest_items = 0; ///< for a list, a map or the keys of an object
  std::size_t most_items = max_document_elements;
  bool is_distinct = false; ///< for a list: no value is repeated
  std::vector<ValueShape> parts{};
  std::vector<FieldShape> fields{};
};

/// Condition for a key: it belongs to an object only where another key of the object has one of these words.
struct FieldCondition {
  std::string key;
  std::vector<std::string> words;
  bool operator==(const FieldCondition&) const = default;
};

enum class Presence { required, optional };

/// One key of an object.
struct FieldShape {
  std::string name;
  Presence presence = Presence::required;
  ValueShape value{};
  std::string meaning{};  ///< meaning for the user, and the default
  std::string expected{}; ///< expected value in a message, if the shape alone does not say enough
  std::optional<FieldCondition> only_where{};
  bool is_shared = false; ///< in a table: the column has positions among the document's shared values
};

/// Describes what to give when the key is missing.
std::string expected_text(const FieldShape& field);

/// Describes the allowed length of a list: "one or more of a, b", "3 or more", "1 to 16".
std::string length_text(const ValueShape& list);

/// Describes the values for a message or a table: "a text", "one of a, b", "a whole number, 1 to 8".
std::string expected_text(const ValueShape& shape);

/// Returns the shape as a JSON schema (draft 7), without a head. Of the rules between keys it has only `only_where`;
/// the reader checks the others.
nlohmann::ordered_json json_schema(const ValueShape& shape);

/// Returns the fields of an object as a Markdown table: key, value, when it belongs there, meaning. Fields of nested
/// objects follow with their path, "links.kind"; a later object with the same keys refers to the first.
std::string field_list(const std::vector<FieldShape>& fields);

} // namespace ddlsim
