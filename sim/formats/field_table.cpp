#include "sim/formats/field_table.hpp"

#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace ddlsim {

namespace {

/// Writes a value as it is.
template <class Value> nlohmann::ordered_json plain(const Value& value) {
  return value;
}

template <class Value> ValueType<Value> plain_type(ValueShape shape, std::function<Value(const JsonNode&)> read) {
  return {std::move(shape), std::move(read), plain<Value>};
}

ValueShape number_shape(ValueKind kind, double least, double most) {
  ValueShape shape{kind};
  shape.least = least;
  shape.most = most;
  return shape;
}

/// Writes a quantity as people read it if that is exact, else in the SI unit with every digit.
nlohmann::ordered_json quantity_text(double value, Dimension dimension) {
  const auto shown = print_quantity(value, dimension);
  if (parse_quantity(shown, dimension) == value) return shown;
  const auto unit = print_quantity(0, dimension).substr(1); // "0 B/s"
  return fmt::format("{}{}", value, unit);
}

ValueType<double> quantity_of(Dimension dimension, bool zero_is_fine) {
  ValueShape shape{ValueKind::quantity};
  shape.dimension = dimension;
  shape.zero_is_fine = zero_is_fine;
  return {shape, [=](const JsonNode& place) { return place.as_quantity(dimension, zero_is_fine); },
          [=](const double& value) { return quantity_text(value, dimension); }};
}

} // namespace

Belongs belongs_to(const FieldShape& field, const FieldShape* deciding, const JsonNode& object) {
  if (!field.only_where) return Belongs::yes;
  const auto& condition = *field.only_where;
  const bool must_be_there = deciding != nullptr && deciding->presence == Presence::required;
  if (!object.has(condition.key)) return must_be_there ? Belongs::unknown : Belongs::no;
  const auto& value = object.value()[condition.key];
  const auto word = value.is_string() ? value.get<std::string>() : "";
  const auto meant = deciding != nullptr ? spelt_like(word, deciding->value.words) : word;
  if (is_in(condition.words, meant)) return Belongs::yes;
  return meant.empty() ? Belongs::unknown : Belongs::no;
}

namespace {

/// The keys that belong to the object, or may belong to it.
std::vector<std::string> keys_here(const std::vector<const FieldShape*>& rows, const std::vector<Belongs>& belongs) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (belongs[i] != Belongs::no && !is_in(keys, rows[i]->name)) keys.push_back(rows[i]->name);
  return keys;
}

/// Largest number of words that a message lists.
constexpr std::size_t most_words_worth_listing = 6;

/// The message for a key in the wrong object: "leave it out, or give \"kind\": \"torus\" or \"dragonfly\"".
std::string misplaced_key_text(const FieldCondition& condition, const JsonNode& object) {
  std::vector<std::string> words;
  for (const auto& word : condition.words) words.push_back(in_quotes(word));
  const auto elsewhere = fmt::format("\"{}\": {}", condition.key, join_names(words, " or "));
  if (!object.has(condition.key))
    return fmt::format("has no meaning without {}; leave it out, or give that", elsewhere);
  const auto here = fmt::format("has no meaning with \"{}\": {}; leave it out", condition.key,
                                describe(object.value()[condition.key]));
  return words.size() > most_words_worth_listing ? here : fmt::format("{}, or give {}", here, elsewhere);
}

/// Combines the conditions of all rows of that key; nothing when none of them has a condition.
std::optional<FieldCondition> condition_of(const std::string& key, const std::vector<const FieldShape*>& rows) {
  std::optional<FieldCondition> all;
  for (const auto* row : rows) {
    if (row->name != key || !row->only_where) continue;
    if (!all) all = FieldCondition{row->only_where->key, {}};
    all->words.insert(all->words.end(), row->only_where->words.begin(), row->only_where->words.end());
  }
  return all;
}

} // namespace

void refuse_keys(const JsonNode& object, const std::vector<const FieldShape*>& rows,
                 const std::vector<Belongs>& belongs) {
  const auto here = keys_here(rows, belongs);
  auto known = here;
  for (const auto& [key, value] : object.value().items()) {
    if (is_in(here, key)) continue;
    const auto condition = condition_of(key, rows);
    if (!condition) continue;
    known.push_back(key); // a known key that belongs to other objects
    object.mistake_at(key, misplaced_key_text(*condition, object));
  }
  object.allow_only(known);
}

bool is_written(const FieldShape& field, const nlohmann::ordered_json& object) {
  if (!field.only_where) return true;
  const auto found = object.find(field.only_where->key);
  return found != object.end() && is_in(field.only_where->words, found->get<std::string>());
}

void note_repeated(const JsonNode& list) {
  if (!list.value().is_array()) return;
  std::set<nlohmann::json> seen; // an untrusted file may list 100,000 values
  for (const auto& place : list.elements())
    if (!seen.insert(place.value()).second)
      place.mistake(fmt::format("{} is there twice; keep one", describe(place.value())));
}

std::string wrong_length_text(std::size_t found, const ValueShape& shape) {
  return fmt::format("{} found; give {}", found == 0 ? "none" : fmt::format("{}", found), length_text(shape));
}

ValueType<std::string> text_type() {
  return plain_type<std::string>({ValueKind::text}, [](const JsonNode& place) { return place.as_text(); });
}

ValueType<std::string> any_text_type() {
  return plain_type<std::string>({ValueKind::any_text}, [](const JsonNode& place) { return place.as_any_text(); });
}

ValueType<std::string> name_type() {
  return plain_type<std::string>({ValueKind::name}, as_simple_name);
}

ValueType<std::string> paragraph_type() {
  return plain_type<std::string>({ValueKind::paragraph}, [](const JsonNode& place) { return place.as_paragraph(); });
}

ValueType<std::string> date_type() {
  return plain_type<std::string>({ValueKind::date}, [](const JsonNode& place) {
    auto date = place.as_text();
    if (!date.empty() && !is_date(date))
      place.mistake(fmt::format("{} is not a date; give 2024, 2024-05 or 2024-05-17", in_quotes(date)));
    return date;
  });
}

ValueType<std::string> word_type(std::vector<std::string> words) {
  return plain_type<std::string>({ValueKind::word, words},
                                 [words](const JsonNode& place) { return place.as_one_of(words); });
}

ValueType<bool> boolean_type() {
  return plain_type<bool>({ValueKind::boolean}, [](const JsonNode& place) { return place.as_boolean(); });
}

ValueType<std::optional<bool>> optional_boolean_type() {
  const auto type = boolean_type();
  return {type.shape, [read = type.read](const JsonNode& place) -> std::optional<bool> { return read(place); },
          [](const std::optional<bool>& value) { return nlohmann::ordered_json(*value); }};
}

ValueType<int> whole_type(long least, long most) {
  return plain_type<int>(number_shape(ValueKind::whole, static_cast<double>(least), static_cast<double>(most)),
                         [=](const JsonNode& place) { return static_cast<int>(place.as_integer(least, most)); });
}

ValueType<double> number_type(double least, double most) {
  return plain_type<double>(number_shape(ValueKind::number, least, most),
                            [=](const JsonNode& place) { return place.as_number(least, most); });
}

ValueType<int> number_of_things(long least) {
  auto type = whole_type(least, std::numeric_limits<int>::max());
  type.shape.most = unbounded; // no number of things comes near it
  return type;
}

ValueType<double> not_negative_type() {
  return number_type(0, unbounded);
}

ValueType<double> any_number_type() {
  return number_type(-unbounded, unbounded);
}

ValueType<double> positive_type(double most) {
  return plain_type<double>(number_shape(ValueKind::positive, 0, most), [=](const JsonNode& place) {
    const double number = place.as_positive();
    if (number > most) place.mistake(fmt::format("{:g} found; give {:.9g} or less", number, most));
    return number;
  });
}

ValueType<double> count_type() {
  ValueShape shape{ValueKind::either};
  shape.parts = {{ValueKind::positive}, quantity_type(Dimension::count).shape};
  return plain_type<double>(shape, [](const JsonNode& place) {
    return place.value().is_string() ? place.as_quantity(Dimension::count) : place.as_positive();
  });
}

ValueType<double> share_type() {
  return plain_type<double>(number_shape(ValueKind::positive, 0, 1), [](const JsonNode& place) {
    const double share = place.as_positive();
    if (share > 1) place.mistake(fmt::format("{:g} found; give a share, 1 or less", share));
    return share;
  });
}

ValueType<double> quantity_type(Dimension dimension) {
  return quantity_of(dimension, false);
}

ValueType<double> quantity_or_zero_type(Dimension dimension) {
  return quantity_of(dimension, true);
}

ValueType<std::map<std::string, std::string>> text_map_type(std::vector<std::string> keys) {
  ValueShape shape{ValueKind::map, keys};
  shape.parts = {{ValueKind::text}};
  const auto read = [keys](const JsonNode& place) {
    std::map<std::string, std::string> texts;
    if (!place.is_object()) return texts;
    if (!keys.empty()) place.allow_only(keys);
    for (const auto& [key, value] : place.value().items())
      if (keys.empty() || is_in(keys, key)) texts[key] = place.at(key).as_text();
    return texts;
  };
  return {shape, read, plain<std::map<std::string, std::string>>};
}

} // namespace ddlsim
