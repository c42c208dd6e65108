#include "sim/formats/value_shape.hpp"

#include "sim/formats/folded_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace ddlsim {

namespace {

using nlohmann::ordered_json;

constexpr double bound_worth_stating = 1e15; ///< a larger bound is no limit in practice

/// ", 1 to 8"; "" where no bound is a limit in practice.
std::string bounds_text(const ValueShape& shape) {
  if (shape.most >= bound_worth_stating && shape.least <= -bound_worth_stating) return "";
  if (shape.most >= bound_worth_stating) return fmt::format(", {} or more", shape.least);
  return fmt::format(", {} to {}", shape.least, shape.most);
}

/// A pattern of a dimension's units for editors; the reader accepts more spellings (sim/base/unit_words.hpp).
std::string_view unit_pattern(Dimension dimension) {
  switch (dimension) {
  case Dimension::time:
    return "(ns|us|ms|s|sec|seconds?|min|minutes?|h|hr|hours?|d|days?|w|weeks?|y|years?)";
  case Dimension::size:
    return "(B|kB|[KMGT]i?B)";
  case Dimension::bandwidth:
    return "((B|[KMGT]i?B)/s|[Kk]B/s|[KMGT]?(bps|b/s|[Bb]it/s|[Bb]it))";
  case Dimension::compute_rate:
    return "[MGTP]?(FLOP/s|FLOPS|FLOPs)";
  case Dimension::work:
    return "[MGT]?FLOP";
  case Dimension::rate:
    return "(samples|images|sequences|tokens)/s";
  case Dimension::power:
    return "(W|kW|MW)";
  case Dimension::count:
    return "[kMBT]?";
  case Dimension::price:
    break;
  }
  return "";
}

std::string quantity_pattern(const ValueShape& shape) {
  constexpr std::string_view number = "([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)? ?";
  constexpr std::string_view above_zero = "(?=[0-9.]*[1-9])";
  if (shape.dimension == Dimension::price)
    return "^(?=[\\x24 0-9.]*[1-9])(\\x24 ?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)? ?[kMBT]?|"
           "([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)? ?([kMBT] ?)?(USD|\\x24))(/h)?$";
  return fmt::format("^{}{}{}$", shape.zero_is_fine ? "" : above_zero, number, unit_pattern(shape.dimension));
}

/// Writes only bounds that matter, because editors show them.
ordered_json number_schema(const ValueShape& shape, const char* type) {
  ordered_json schema{{"type", type}};
  if (shape.kind == ValueKind::whole)
    schema["minimum"] = static_cast<long>(shape.least);
  else if (shape.least > -bound_worth_stating)
    schema["minimum"] = shape.least;
  if (shape.most < bound_worth_stating) {
    if (shape.kind == ValueKind::whole)
      schema["maximum"] = static_cast<long>(shape.most);
    else
      schema["maximum"] = shape.most;
  }
  return schema;
}

ordered_json positive_schema(const ValueShape& shape) {
  ordered_json schema{{"type", "number"}, {"exclusiveMinimum", 0}};
  if (shape.most < bound_worth_stating) schema["maximum"] = shape.most;
  return schema;
}

ordered_json text_schema(const std::string& pattern = "") {
  if (!pattern.empty()) return {{"type", "string"}, {"pattern", pattern}};
  return {{"type", "string"}, {"minLength", 1}};
}

ordered_json word_schema(const ValueShape& shape) {
  auto words = shape.words;
  words.insert(words.end(), shape.old_words.begin(), shape.old_words.end());
  return {{"enum", words}};
}

ordered_json list_schema(const ValueShape& shape) {
  ordered_json schema{{"type", "array"}, {"items", json_schema(shape.parts.front())}};
  if (shape.fewest_items > 0) schema["minItems"] = shape.fewest_items;
  if (shape.most_items < max_document_elements) schema["maxItems"] = shape.most_items;
  if (shape.is_distinct) schema["uniqueItems"] = true;
  return schema;
}

ordered_json paragraph_schema() {
  const ordered_json lines{{"type", "array"}, {"minItems", 1}, {"items", text_schema()}};
  return {{"oneOf", {text_schema(), lines}}};
}

ordered_json map_schema(const ValueShape& shape) {
  ordered_json schema{{"type", "object"}};
  const auto value = json_schema(shape.parts.front());
  for (const auto& word : shape.words) schema["properties"][word] = value;
  if (!shape.pattern.empty()) schema["patternProperties"][shape.pattern] = value;
  const bool any_key = shape.words.empty() && shape.pattern.empty();
  schema["additionalProperties"] = any_key ? value : ordered_json(false);
  if (shape.fewest_items > 0) schema["minProperties"] = shape.fewest_items;
  return schema;
}

ordered_json if_schema(const std::string& key, const std::vector<std::string>& words) {
  return {{"properties", {{key, {{"enum", words}}}}}, {"required", {key}}};
}

ordered_json property_schema(const FieldShape& field) {
  auto property = json_schema(field.value);
  if (!field.meaning.empty()) property["description"] = field.meaning;
  return property;
}

/// The schema of a key with a condition, for objects in which the condition is true.
ordered_json conditional_schema(const FieldShape& field) {
  ordered_json then{{"properties", {{field.name, property_schema(field)}}}};
  if (field.presence == Presence::required) then["required"] = {field.name};
  return {{"if", if_schema(field.only_where->key, field.only_where->words)}, {"then", then}};
}

/// Refuses the key in objects in which the conditions of all its rows are false.
ordered_json refusal_schema(const FieldShape& field, const std::vector<FieldShape>& fields) {
  std::vector<std::string> words;
  for (const auto& other : fields)
    if (other.name == field.name)
      words.insert(words.end(), other.only_where->words.begin(), other.only_where->words.end());
  return {{"if", if_schema(field.only_where->key, words)}, {"else", {{"properties", {{field.name, false}}}}}};
}

ordered_json object_schema(const ValueShape& shape) {
  ordered_json schema{{"type", "object"}, {"additionalProperties", false}};
  auto needed = ordered_json::array();
  for (const auto& field : shape.fields) {
    const bool is_first = !schema.contains("properties") || !schema["properties"].contains(field.name);
    schema["properties"][field.name] = field.only_where ? ordered_json(true) : property_schema(field);
    if (field.only_where) schema["allOf"].push_back(conditional_schema(field));
    if (field.only_where && is_first) schema["allOf"].push_back(refusal_schema(field, shape.fields));
    if (field.presence == Presence::required && !field.only_where) needed.push_back(field.name);
  }
  if (!needed.empty()) schema["required"] = needed;
  if (shape.fewest_items > 0) schema["minProperties"] = shape.fewest_items;
  if (shape.most_items < max_document_elements) schema["maxProperties"] = shape.most_items;
  return schema;
}

ordered_json rows_schema(const std::vector<FieldShape>& columns);

/// The schema of a value in a row of a table.
ordered_json cell_schema(const FieldShape& column) {
  auto schema = column.is_shared          ? ordered_json{{"type", "integer"}, {"minimum", 0}}
                : is_table_inside(column) ? rows_schema(column.value.parts.front().fields)
                                          : json_schema(column.value);
  if (column.presence == Presence::optional) schema = {{"anyOf", {schema, {{"type", "null"}}}}};
  if (!column.meaning.empty()) schema["description"] = column.meaning;
  return schema;
}

/// The schema of a list of rows, of which the values after the last required one may be absent.
ordered_json rows_schema(const std::vector<FieldShape>& columns) {
  ordered_json row{{"type", "array"}, {"items", ordered_json::array()}, {"additionalItems", false}};
  for (const auto& column : columns) {
    row["items"].push_back(cell_schema(column));
    if (column.presence == Presence::required) row["minItems"] = row["items"].size();
  }
  return {{"type", "array"}, {"items", row}};
}

ordered_json table_schema(const ValueShape& shape) {
  const auto& columns = shape.parts.front().fields;
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", {"columns", "rows"}},
          {"properties", {{"columns", {{"const", column_names(columns)}}}, {"rows", rows_schema(columns)}}}};
}

ordered_json either_schema(const ValueShape& shape) {
  auto parts = ordered_json::array();
  for (const auto& part : shape.parts) parts.push_back(json_schema(part));
  return {{"anyOf", parts}};
}

/// The nested objects whose keys follow the key itself in a table of fields: several where a value has several forms.
std::vector<const ValueShape*> objects_inside(const ValueShape& shape) {
  if (shape.kind == ValueKind::object) return {&shape};
  std::vector<const ValueShape*> objects;
  for (const auto& part : shape.parts)
    for (const auto* object : objects_inside(part)) objects.push_back(object);
  return objects;
}

/// When a key is there. A key that belongs to one of a value's other forms is optional.
std::string when_text(const FieldShape& field, bool is_of_other_form) {
  std::string text = field.presence == Presence::optional || is_of_other_form ? "optional" : "";
  if (!field.only_where) return text;
  std::string words;
  for (const auto& word : field.only_where->words) words += (words.empty() ? "" : ", ") + word;
  return fmt::format("{}{}`{}` {}", text, text.empty() ? "" : "; ", field.only_where->key, words);
}

constexpr std::size_t fewest_keys_worth_a_reference = 5; ///< the keys of a smaller object are listed again

/// A Markdown table of keys that is being written.
struct KeyTable {
  std::string text = "| key | value | when | what it is |\n|---|---|---|---|\n";
  std::map<std::string, std::string> path_of{}; ///< of the object whose keys were listed, by its schema
  std::set<std::string> keys{};                 ///< with their paths

  /// Returns the path at which these keys were listed; "" when they are new, and then belong to this path.
  std::string listed_at(const ValueShape& object, const std::string& path) {
    if (object.fields.size() < fewest_keys_worth_a_reference) return "";
    const auto [place, is_new] = path_of.emplace(json_text(json_schema(object)), path);
    return is_new ? "" : place->second;
  }
};

void add_rows(const std::vector<FieldShape>& fields, const std::string& path, KeyTable& table,
              bool are_of_other_form = false) {
  for (const auto& field : fields) {
    const auto key = path + field.name;
    if (field.value.kind == ValueKind::constant || (!table.keys.insert(key).second && !field.only_where)) continue;
    std::string listed;
    std::vector<const ValueShape*> objects;
    for (const auto* object : objects_inside(field.value)) {
      const auto place = table.listed_at(*object, key);
      if (place.empty())
        objects.push_back(object);
      else
        listed = fmt::format(" with the keys of `{}`", place);
    }
    table.text += fmt::format("| `{}{}` | {}{} | {} | {} |\n", key, field.is_shared ? "@" : "",
                              expected_text(field.value), listed, when_text(field, are_of_other_form), field.meaning);
    for (const auto* object : objects) add_rows(object->fields, key + ".", table, object != objects.front());
  }
}

std::string words_text(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const auto& word : words) text += fmt::format("{}{}", text.empty() ? "" : between, word);
  return text;
}

std::string list_text(const ValueShape& shape) {
  const auto& item = shape.parts.front();
  if (item.kind == ValueKind::word && shape.fewest_items == 1) return "a list of " + length_text(shape);
  const bool is_bounded = shape.fewest_items > 0 || shape.most_items < max_document_elements;
  return fmt::format("a list{}, each {}", is_bounded ? " of " + length_text(shape) : "", expected_text(item));
}

} // namespace

std::string length_text(const ValueShape& list) {
  const auto& item = list.parts.front();
  if (list.fewest_items == list.most_items) return std::to_string(list.most_items);
  if (list.most_items < max_document_elements) return fmt::format("{} to {}", list.fewest_items, list.most_items);
  const auto number = list.fewest_items == 1 ? "one" : fmt::format("{}", list.fewest_items);
  const bool is_of_words = item.kind == ValueKind::word;
  return fmt::format("{} or more{}", number, is_of_words ? " of " + words_text(item.words, ", ") : "");
}

std::string expected_text(const FieldShape& field) {
  return field.expected.empty() ? expected_text(field.value) : field.expected;
}

std::string expected_text(const ValueShape& shape) {
  switch (shape.kind) {
  case ValueKind::text:
  case ValueKind::any_text:
    return "a text";
  case ValueKind::name:
    return "a name: letters, digits and . _ - +";
  case ValueKind::paragraph:
    return "a text, or the list of its lines";
  case ValueKind::date:
    return "a date: 2024, 2024-05 or 2024-05-17";
  case ValueKind::boolean:
    return "true or false";
  case ValueKind::whole:
    return "a whole number" + bounds_text(shape);
  case ValueKind::number:
    return "a number" + bounds_text(shape);
  case ValueKind::positive:
    return shape.most <= 1                    ? "a share: above 0, at most 1"
           : shape.most < bound_worth_stating ? fmt::format("a number above 0, at most {:.9g}", shape.most)
                                              : "a number above 0";
  case ValueKind::quantity:
    return fmt::format("a quantity with its unit, like \"{}\"", example_quantity(shape.dimension));
  case ValueKind::word:
    return "one of " + words_text(shape.words, ", ");
  case ValueKind::constant:
    if (shape.is_true) return "true";
    return shape.words.empty() ? fmt::format("{}", shape.least) : fmt::format("\"{}\"", shape.words.front());
  case ValueKind::list:
    return list_text(shape);
  case ValueKind::table:
    return "a table: its columns and rows";
  case ValueKind::map:
    return shape.words.empty() ? "an object, each value " + expected_text(shape.parts.front())
                               : "an object with any of " + words_text(shape.words, ", ");
  case ValueKind::object:
  case ValueKind::any:
    return "an object";
  case ValueKind::nothing:
    return "null";
  case ValueKind::either:
    break;
  }
  std::vector<std::string> parts;
  for (const auto& part : shape.parts) parts.push_back(expected_text(part));
  return words_text(parts, ", or ");
}

ordered_json json_schema(const ValueShape& shape) {
  switch (shape.kind) {
  case ValueKind::text:
    return text_schema(shape.pattern);
  case ValueKind::any_text:
    return {{"type", "string"}};
  case ValueKind::name:
    return {{"type", "string"}, {"pattern", "^[A-Za-z0-9_+-][A-Za-z0-9._+-]*$"}};
  case ValueKind::paragraph:
    return paragraph_schema();
  case ValueKind::date:
    return {{"type", "string"}, {"pattern", "^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"}};
  case ValueKind::boolean:
    return {{"type", "boolean"}};
  case ValueKind::whole:
    return number_schema(shape, "integer");
  case ValueKind::number:
    return number_schema(shape, "number");
  case ValueKind::positive:
    return positive_schema(shape);
  case ValueKind::quantity:
    return {{"type", "string"}, {"pattern", quantity_pattern(shape)}};
  case ValueKind::word:
    return word_schema(shape);
  case ValueKind::constant:
    if (!shape.words.empty()) return {{"const", shape.words.front()}};
    if (shape.is_true) return {{"const", true}};
    return {{"const", static_cast<long>(shape.least)}};
  case ValueKind::list:
    return list_schema(shape);
  case ValueKind::table:
    return table_schema(shape);
  case ValueKind::map:
    return map_schema(shape);
  case ValueKind::object:
    return object_schema(shape);
  case ValueKind::any:
    return {{"type", "object"}, {"minProperties", shape.fewest_items}};
  case ValueKind::nothing:
    return {{"type", "null"}};
  case ValueKind::either:
    break;
  }
  return either_schema(shape);
}

std::string field_list(const std::vector<FieldShape>& fields) {
  KeyTable table;
  add_rows(fields, "", table);
  return table.text;
}

} // namespace ddlsim
