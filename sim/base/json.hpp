#pragma once
// Reads a JSON file and reports all its mistakes together (unknown keys with the nearest known one, wrong types,
// missing fields), each with its path. Also applies changes to a document from the command line.

#include "sim/base/error.hpp"
#include "sim/base/spelling.hpp"
#include "sim/base/units.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// Bytes of the largest single JSON document; larger ones are refused before they are parsed.
inline constexpr std::size_t max_document_bytes = 64U << 20U;
/// Depth of the deepest nesting that a file may have; our files need six.
inline constexpr int max_document_depth = 64;
/// Number of elements of the longest array that a document may have; our files stay below a thousand.
inline constexpr std::size_t max_document_elements = 100'000;
/// The bound of a number that may be as large as a double can hold.
inline constexpr double unbounded = std::numeric_limits<double>::max();
/// Number of mistakes of one file that are reported in full; the others are only counted.
inline constexpr std::size_t max_reported_mistakes = 50;

/// Collects the mistakes of one file and throws them together, the first max_reported_mistakes of them in full.
class Mistakes {
public:
  explicit Mistakes(std::string where) : file_(where), where_(std::move(where)) {}
  /// sets the place of later mistakes, such as "a.jsonl:12"
  void move_to(std::string where) { where_ = std::move(where); }
  void add(std::string path, std::string what);
  void append(const UserError& error, const std::string& path); ///< adds the mistakes of another error under this path
  bool empty() const { return list_.empty(); }
  std::size_t count() const { return list_.size() + unreported_; }
  const std::vector<Mistake>& list() const { return list_; }
  /// says that the rest of the file is not read, so that its mistakes are not counted
  void give_up() { gave_up_ = true; }
  void throw_if_any() const;

private:
  std::string file_;
  std::string where_;
  std::vector<Mistake> list_;
  std::size_t unreported_ = 0;
  bool gave_up_ = false;
};

/// A value in a document with its path. A function that reads a field notes a mistake and returns the fallback when the
/// field is missing or wrong.
class JsonNode {
public:
  JsonNode(const nlohmann::json& value, std::string path, Mistakes& mistakes)
      : value_(&value), path_(std::move(path)), mistakes_(&mistakes) {}

  const nlohmann::json& value() const { return *value_; }
  const std::string& path() const { return path_; }
  /// Returns another value at the same path, whose mistakes go to the same list.
  JsonNode with(const nlohmann::json& value) const { return {value, path_, *mistakes_}; }
  void mistake(std::string_view what) const;
  void mistake_at(std::string_view key, std::string_view what) const;

  /// Number of mistakes of the whole file so far. Rules between fields are checked only where the fields themselves had
  /// no mistake.
  std::size_t mistakes_so_far() const { return mistakes_->count(); }

  bool is_object() const; ///< whether the value is an object; notes a mistake when it is none
  /// Notes every key that is not in `known`, and offers the nearest one.
  void allow_only(std::span<const std::string_view> known) const;
  void allow_only(const std::vector<std::string>& known) const;
  bool has(std::string_view key) const;
  JsonNode at(std::string_view key) const; ///< the value of a key that must be there
  std::vector<JsonNode> elements() const;  ///< the elements of an array; notes a mistake when the value is no array

  std::string text(std::string_view key) const;      ///< a text that must be there and not be empty
  std::string paragraph(std::string_view key) const; ///< a text that must be there, or a list of its lines
  std::string text_or(std::string_view key, std::string_view fallback) const;
  /// Returns the one of `allowed` that the text means by spelt_like(), or by one of `other_words`. The key must be
  /// there.
  std::string one_of(std::string_view key, const std::vector<std::string>& allowed,
                     std::span<const OtherWord> other_words = {}) const;
  std::string one_of_or(std::string_view key, const std::vector<std::string>& allowed, std::string_view fallback) const;
  double number(std::string_view key, double at_least, double at_most) const; ///< a finite number that must be there
  double positive(std::string_view key) const; ///< a finite number above 0 that must be there
  double number_or(std::string_view key, double fallback, double at_least, double at_most) const;
  long integer(std::string_view key, long at_least, long at_most) const; ///< a whole number that must be there
  long integer_or(std::string_view key, long fallback, long at_least, long at_most) const;
  bool boolean(std::string_view key) const; ///< true or false; the key must be there
  bool boolean_or(std::string_view key, bool fallback) const;
  double count(std::string_view key) const; ///< a number above 0, or a text like "300B", that must be there
  double quantity(std::string_view key, Dimension dimension) const; ///< a text with a unit, above 0, that must be there
  double quantity_or_zero(std::string_view key, Dimension dimension) const; ///< the same, where "0 us" is accepted too
  double quantity_or(std::string_view key, Dimension dimension, double fallback) const;
  std::vector<std::string> texts_or_none(std::string_view key) const;
  std::vector<JsonNode> list(std::string_view key) const; ///< an array that must be there

  // These functions read the value at this place itself by the same rules.
  std::string as_text() const;      ///< a text that is not empty
  std::string as_any_text() const;  ///< a text that may be empty
  std::string as_paragraph() const; ///< a text, or a list of its lines
  std::string as_one_of(const std::vector<std::string>& allowed, std::span<const OtherWord> other_words = {}) const;
  double as_number(double at_least, double at_most) const;
  double as_positive() const;
  long as_integer(long at_least, long at_most) const;
  bool as_boolean() const;
  double as_quantity(Dimension dimension, bool zero_is_fine = false) const;

private:
  const nlohmann::json* find(std::string_view key) const; ///< null when the key is absent
  const nlohmann::json* required(std::string_view key, std::string_view expected) const;
  double number_in(std::string_view key, const nlohmann::json& value, double at_least, double at_most) const;
  long integer_in(std::string_view key, const nlohmann::json& value, long at_least, long at_most) const;
  double quantity_in(std::string_view key, const nlohmann::json& value, Dimension dimension, bool zero_is_fine) const;
  std::string text_in(std::string_view key, const nlohmann::json& value) const;
  std::string full_text_in(std::string_view key, const nlohmann::json& value) const;
  std::string one_of_in(std::string_view key, const nlohmann::json& value, const std::vector<std::string>& allowed,
                        std::span<const OtherWord> other_words) const;
  double positive_in(std::string_view key, const nlohmann::json& value) const;
  bool boolean_in(std::string_view key, const nlohmann::json& value) const;

  const nlohmann::json* value_;
  std::string path_;
  Mistakes* mistakes_;
};

/// Parses JSON text. Throws UserError when the text is empty, cut off (with line and column), not UTF-8 or deeper than
/// max_document_depth, or has a repeated key, NaN or infinity.
nlohmann::json parse_json(const std::string& text, const std::string& where);

/// Parses one line of JSON Lines as parse_json() does. Messages give only the column, and `where` names the line.
nlohmann::json parse_json_line(const std::string& text, const std::string& where);

/// Parses as parse_json() does, but returns nothing where the text is no JSON.
std::optional<nlohmann::json> json_in(std::string_view text);

/// json_to_bytes() writes the value in CBOR (RFC 8949), which keeps numbers as they are in memory, and
/// json_from_bytes() reads it back. The latter throws nlohmann::json::exception when the bytes are no such value.
std::string json_to_bytes(const nlohmann::json& value);
nlohmann::json json_from_bytes(const std::string& bytes);

/// How json_text() treats text in strings.
enum class JsonBytes {
  strict, ///< throws the library's exception for text that is not UTF-8
  mended, ///< replaces what is not UTF-8 by the replacement character
  ascii   ///< does so too, and writes what is beyond ASCII as \u and its number
};

/// Returns the document as text: on one line, or with `indent` blanks for each level. Call it in place of the library's
/// dump(), which each group of sources that calls it would compile anew (one second each).
std::string json_text(const nlohmann::ordered_json& value, int indent = -1, JsonBytes bytes = JsonBytes::strict);

/// Describes a value for a message, shortened: `"text"`, `12`, `a list of 3`, `an object`.
std::string describe(const nlohmann::json& value);

/// Returns the text of the whole file; throws UserError when it is missing, a directory, unreadable or too large.
std::string read_text_file(const std::filesystem::path& file);

/// Reads FILE, compares its "format" and "version" with the expected ones, runs `read` on the root, and throws all
/// mistakes together. `edit`, when given, changes the document before it is checked.
void read_document(const std::filesystem::path& file, const std::string& format, int version,
                   const std::function<void(const JsonNode&)>& read,
                   const std::function<void(nlohmann::json&)>& edit = {});

/// The number rounded to 9 significant digits. A JSON writer then prints these and no more, which gives the same bytes
/// on every machine.
double nine_digits(double value);
double rounded_to(double value, int digits); ///< the number rounded to that many significant digits

/// A change of a document by the command line, as in `--set /cluster=iris`.
struct JsonChange {
  std::string path;  ///< JSON pointer, such as "/batch_per_gpu" or "/strategies/0/servers/count"
  std::string value; ///< JSON text; a word that is no JSON is taken as a string
};

/// Sets the value at its path, or takes the key out for null. The last key of the path may be new. Throws UserError when the path is no JSON pointer
/// or leads nowhere.
void apply_change(nlohmann::json& document, const JsonChange& change);

} // namespace ddlsim
