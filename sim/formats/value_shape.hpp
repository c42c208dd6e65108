#pragma once
// What a key of a file may hold, said once: the JSON schema, the tables of docs/formats.md and the messages of the
// reader all come from here.

#include "sim/base/json.hpp"
#include "sim/base/units.hpp"

#include <nlohmann/json_fwd.hpp>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

enum class ValueKind {
  text,      ///< not empty
  any_text,  ///< may be empty
  name,      ///< can be a file's name: letters, digits and . _ - +
  paragraph, ///< a text, or the list of its lines
  date,      ///< "2024", "2024-05" or "2024-05-17"
  boolean,
  whole,    ///< a whole number from `least` to `most`
  number,   ///< from `least` to `most`
  positive, ///< a number above 0, at most `most`
  quantity, ///< a text with a unit of `dimension`
  word,     ///< one of `words`
  constant, ///< exactly `words.front()`; without words true where `is_true`, else the number `least`
  list,     ///< of values like `parts.front()`
  map,      ///< from names, those of `words` where there are some, to values like `parts.front()`
  object,   ///< with `fields`
  either,   ///< a value of one of `parts`
  nothing,  ///< null
  any,      ///< an object of any keys
};

struct FieldShape;

/// The values that a key may have.
struct ValueShape {
  ValueKind kind = ValueKind::text;
  std::vector<std::string> words{};
  std::vector<std::string> old_words{}; ///< read as well for one version, and offered to nobody
  double least = 0;
  double most = unbounded;
  Dimension dimension = Dimension::time;
  bool zero_is_fine = false;    ///< of a quantity
  bool is_true = false;         ///< of a constant
  std::string pattern{};        ///< that a text or a map's keys match; "": any, or those of `words`
  std::size_t fewest_items = 0; ///< of a list, a map or an object's keys
  std::size_t most_items = max_document_elements;
  bool is_distinct = false; ///< of a list: no value stands twice
  std::vector<ValueShape> parts{};
  std::vector<FieldShape> fields{};
};

/// A key that belongs to an object only where another key of it has one of these words.
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
  std::string meaning{};  ///< what it is in the user's world, and what holds where it is left out
  std::string expected{}; ///< what to give, where the value's own words are too few
  std::optional<FieldCondition> only_where{};
};

/// What to give where the key is missing.
std::string expected_text(const FieldShape& field);

/// How many values a list has to have: "one or more of a, b", "3 or more", "1 to 16".
std::string length_text(const ValueShape& list);

/// What a message or a table says of the values: "a text", "one of a, b", "a whole number, 1 to 8".
std::string expected_text(const ValueShape& shape);

/// The shape as a JSON schema (draft 7), without a head. Rules beyond `only_where` are the reader's alone.
nlohmann::ordered_json json_schema(const ValueShape& shape);

/// The fields of an object as a Markdown table: key, value, when it belongs there, meaning. Objects inside follow with their path:
/// "links.kind".
std::string field_list(const std::vector<FieldShape>& fields);

} // namespace ddlsim
