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

/// Largest single JSON document; larger ones are refused before they are parsed.
inline constexpr std::size_t max_document_bytes = 64U << 20U;
/// Deepest nesting a file may have; ours need six.
inline constexpr int max_document_depth = 64;
/// Longest array a document may have; ours stay below a thousand.
inline constexpr std::size_t max_document_elements = 100'000;
/// The bound of a number that may be as large as a double can hold.
inline constexpr double unbounded = std::numeric_limits<double>::max();
/// Number of mistakes of one file that are reported in full; the others are only counted.
inline constexpr std::size_t max_reported_mistakes = 50;

/// Collects the mistakes of one file and throws them together, the first max_reported_mistakes of them in full.
class Mistakes {
public:
  explicit Mistakes(std::string where) : file_(where), where_(std::move(where)) {}
  void move_to(std::string where) { where_ = std::move(where); } ///< sets the place of later mistakes: "a.jsonl:12"
  void add(std::string path, std::string what);
  void append(const UserError& error, const std::string& path); ///< adds the mistakes of another error at this path
  bool empty() const { return list_.empty(); }
  std::size_t count() const { return list_.size() + unreported_; }
  const std::vector<Mistake>& list() const { return list_; }
  void give_up() { gave_up_ = true; } ///< the rest of the file is not read, its mistakes not counted
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
  /// Another value at the same path, whose mistakes go to the same list.
  JsonNode with(const nlohmann::json& value) const { return {value, path_, *mistakes_}; }
  void mistake(std::string_view what) const;
  void mistake_at(std::string_view key, std::string_view what) const;

  /// Mistakes of the whole file so far; rules between fields are checked only where the fields themselves had no
  /// mistake.
  std::size_t mistakes_so_far() const { return mistakes_->count(); }

  bool is_object() const; ///< notes a mistake when the value is no object
  /// Notes every key not in `known`, offering the nearest.
  void allow_only(std::span<const std::string_view> known) const;
  void allow_only(const std::vector<std::string>& known) const;
  bool has(std::string_view key) const;
  JsonNode at(std::string_view key) const; ///< the key must be there
  std::vector<JsonNode> elements() const;  ///< of an array; notes a mistake when the value is none

  std::string text(std::string_view key) const;      ///< required, not empty
  std::string paragraph(std::string_view key) const; ///< required: a text, or a list of its lines
  std::string text_or(std::string_view key, std::string_view fallback) const;
  /// Required. Returns the one of `allowed` that the text means by spelt_like(), or by one of `other_words`.
  std::string one_of(std::string_view key, const std::vector<std::string>& allowed,
                     std::span<const OtherWord> other_words = {}) const;
  std::string one_of_or(std::string_view key, const std::vector<std::string>& allowed, std::string_view fallback) const;
  double number(std::string_view key, double at_least, double at_most) const; ///< required, finite
  double positive(std::string_view key) const;                                ///< required, finite, above 0
  double number_or(std::string_view key, double fallback, double at_least, double at_most) const;
  long integer(std::string_view key, long at_least, long at_most) const; ///< required
  long integer_or(std::string_view key, long fallback, long at_least, long at_most) const;
  bool boolean(std::string_view key) const; ///< required
  bool boolean_or(std::string_view key, bool fallback) const;
  double count(std::string_view key) const;                                 ///< required; a number above 0, or "300B"
  double quantity(std::string_view key, Dimension dimension) const;         ///< required; a string with a unit, > 0
  double quantity_or_zero(std::string_view key, Dimension dimension) const; ///< the same, and "0 us" is fine
  double quantity_or(std::string_view key, Dimension dimension, double fallback) const;
  std::vector<std::string> texts_or_none(std::string_view key) const;
  std::vector<JsonNode> list(std::string_view key) const; ///< required array

  // These functions read the value at this place itself, by the same rules.
  std::string as_text() const;      ///< not empty
  std::string as_any_text() const;  ///< may be empty
  std::string as_paragraph() const; ///< a text, or a list of its lines
  std::string as_one_of(const std::vector<std::string>& allowed, std::span<const OtherWord> other_words = {}) const;
  double as_number(double at_least, double at_most) const;
  double as_positive() const;
  long as_integer(long at_least, long at_most) const;
  bool as_boolean() const;
  double as_quantity(Dimension dimension, bool zero_is_fine = false) const;

private:
  const nlohmann::json* find(std::string_view key) const; ///< null when absent
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

/// Parses JSON text. Throws UserError when the text is empty, truncated (with line and column), not UTF-8, or deeper
/// than max_document_depth, or has a duplicate key, NaN or infinity.
nlohmann::json parse_json(const std::string& text, const std::string& where);

/// parse_json() for one line of JSON Lines: messages give only the column, and `where` names the line.
nlohmann::json parse_json_line(const std::string& text, const std::string& where);

/// parse_json() that throws no error: returns nothing when the text is no JSON.
std::optional<nlohmann::json> json_in(std::string_view text);

/// json_to_bytes() writes the value in CBOR (RFC 8949), which keeps numbers as they are in memory, and
/// json_from_bytes() reads it back. The latter throws nlohmann::json::exception when the bytes are no such value.
std::string json_to_bytes(const nlohmann::json& value);
nlohmann::json json_from_bytes(const std::string& bytes);

/// How json_text() treats text in strings.
enum class JsonBytes {
  strict, ///< throws what the library throws for text that is not UTF-8
  mended, ///< what is not UTF-8 becomes the replacement character
  ascii   ///< mended, and what is beyond ASCII becomes \u and its number
};

/// Returns the document as text: on one line, or with `indent` blanks for each level. Call it in place of the library's
/// dump(), which each group of sources that calls it would compile anew (one second each).
std::string json_text(const nlohmann::ordered_json& value, int indent = -1, JsonBytes bytes = JsonBytes::strict);

/// Describes a value for a message: `"text"`, `12`, `a list of 3`, `an object`; shortened.
std::string describe(const nlohmann::json& value);

/// Returns the text of the whole file; throws UserError when it is missing, a directory, unreadable or too large.
std::string read_text_file(const std::filesystem::path& file);

/// Reads FILE, compares its "format" and "version" with the expected ones, runs `read` on the root and throws all
/// mistakes together. `edit`, when given, changes the document before anything is checked.
void read_document(const std::filesystem::path& file, const std::string& format, int version,
                   const std::function<void(const JsonNode&)>& read,
                   const std::function<void(nlohmann::json&)>& edit = {});

/// The number rounded to 9 significant digits, so that a JSON writer prints those and no more: same bytes on every
/// machine.
double nine_digits(double value);
double rounded_to(double value, int digits); ///< the same to so many significant digits

/// A value of a document that the command line replaces: `--set /cluster=iris`.
struct JsonChange {
  std::string path;  ///< JSON pointer: "/batch_per_gpu", "/strategies/0/servers/count"
  std::string value; ///< JSON text; a word that is not JSON is taken as a string
};

/// Sets the value at its path; the last key of the path may be new. Throws UserError when the path is no JSON pointer
/// or leads nowhere.
void apply_change(nlohmann::json& document, const JsonChange& change);

} // namespace ddlsim
