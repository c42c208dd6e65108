#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/spelling.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {

namespace {

using nlohmann::json;

/// The value returned for a faulty quantity; dividing by it is harmless.
constexpr double stands_for_a_mistake = 1;

/// A bound above this is left out of messages.
constexpr double largest_stated_bound = 1e15;

std::string range_text(double at_least, double at_most) {
  if (at_most >= largest_stated_bound) return fmt::format("{} or more", at_least);
  return fmt::format("{} to {}", at_least, at_most);
}

/// Stands in place of a key for the value of the node itself. Its null address distinguishes it from the empty key,
/// which JSON allows.
constexpr std::string_view itself{};

/// Writes a key as a step of a JSON pointer (RFC 6901). Control characters, which could steer a terminal, are escaped.
std::string pointer_step(std::string_view key) {
  if (key.data() == nullptr) return "";
  std::string step = "/";
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      step += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      step += c;
    }
  }
  return step;
}

/// Returns the elements that are texts and not empty. Notes the others as mistakes.
std::vector<std::string> texts_of(const std::vector<JsonNode>& elements) {
  std::vector<std::string> texts;
  for (const auto& element : elements) {
    if (element.value().is_string() && !element.value().get_ref<const std::string&>().empty()) {
      texts.push_back(element.value().get<std::string>());
    } else {
      element.mistake(fmt::format("{} found, a text expected; write it in double quotes", describe(element.value())));
    }
  }
  return texts;
}

} // namespace

void JsonNode::mistake(std::string_view what) const {
  mistakes_->add(path_, std::string(what));
}

void JsonNode::mistake_at(std::string_view key, std::string_view what) const {
  mistakes_->add(path_ + pointer_step(key), std::string(what));
}

bool JsonNode::is_object() const {
  if (value_->is_object()) return true;
  if (!value_->is_discarded()) mistake(fmt::format("{} found, an object expected; write {{...}}", describe(*value_)));
  return false;
}

void JsonNode::allow_only(std::span<const std::string_view> known) const {
  allow_only(std::vector<std::string>(known.begin(), known.end()));
}

void JsonNode::allow_only(const std::vector<std::string>& known) const {
  if (!value_->is_object()) return;
  for (const auto& [key, value] : value_->items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string nearest = nearest_name(key, known);
    mistake_at(key, nearest.empty() ? fmt::format("unknown key; known here: {}", join_names(known))
                                    : fmt::format("unknown key; did you mean \"{}\"?", nearest));
  }
}

const json* JsonNode::find(std::string_view key) const {
  if (!value_->is_object()) return nullptr;
  const auto found = value_->find(key);
  return found == value_->end() ? nullptr : &*found;
}

const json* JsonNode::required(std::string_view key, std::string_view expected) const {
  const json* value = find(key);
  if (value == nullptr && value_->is_object()) mistake_at(key, fmt::format("missing; give {}", expected));
  return value;
}

bool JsonNode::has(std::string_view key) const {
  return find(key) != nullptr;
}

JsonNode JsonNode::at(std::string_view key) const {
  static const json nothing(json::value_t::discarded); // the missing key is reported once, here
  const json* value = required(key, "an object or a list");
  return {value == nullptr ? nothing : *value, path_ + pointer_step(key), *mistakes_};
}

std::vector<JsonNode> JsonNode::elements() const {
  std::vector<JsonNode> places;
  if (value_->is_discarded()) return places;
  if (!value_->is_array()) {
    mistake(fmt::format("{} found, a list expected; write [...]", describe(*value_)));
  } else if (value_->size() > max_document_elements) {
    mistake(
        fmt::format("a list of {} found, at most {} expected; split the file", value_->size(), max_document_elements));
  } else {
    places.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i)
      places.emplace_back((*value_)[i], fmt::format("{}/{}", path_, i), *mistakes_);
  }
  return places;
}

std::vector<JsonNode> JsonNode::list(std::string_view key) const {
  if (required(key, "a list") == nullptr) return {};
  return at(key).elements();
}

std::string JsonNode::text_in(std::string_view key, const json& value) const {
  if (!value.is_string()) {
    mistake_at(key, fmt::format("{} found, a text expected; write it in double quotes", describe(value)));
    return "";
  }
  return value.get<std::string>();
}

std::string JsonNode::full_text_in(std::string_view key, const json& value) const {
  if (value.is_string() && value.get_ref<const std::string&>().empty())
    mistake_at(key, "the text is empty; say what it is, or \"unknown\" where that is allowed");
  return text_in(key, value);
}

std::string JsonNode::text(std::string_view key) const {
  const json* value = required(key, "a text");
  return value == nullptr ? "" : full_text_in(key, *value);
}

std::string JsonNode::as_text() const {
  return full_text_in(itself, *value_);
}

std::string JsonNode::as_any_text() const {
  return text_in(itself, *value_);
}

std::string JsonNode::paragraph(std::string_view key) const {
  return required(key, "a text") == nullptr ? "" : at(key).as_paragraph();
}

std::string JsonNode::as_paragraph() const {
  if (!value_->is_array()) return as_text();
  if (value_->empty()) mistake("no line found; give the text, or the list of its lines");
  return join_names(texts_of(elements()), " ");
}

std::string JsonNode::text_or(std::string_view key, std::string_view fallback) const {
  const json* value = find(key);
  return value == nullptr ? std::string(fallback) : text_in(key, *value);
}

std::string JsonNode::one_of(std::string_view key, const std::vector<std::string>& allowed,
                             std::span<const OtherWord> other_words) const {
  const json* value = find(key);
  if (value == nullptr) {
    if (value_->is_object()) mistake_at(key, fmt::format("missing; give one of {}", join_names(allowed)));
    return "";
  }
  return one_of_in(key, *value, allowed, other_words);
}

std::string JsonNode::as_one_of(const std::vector<std::string>& allowed, std::span<const OtherWord> other_words) const {
  return one_of_in(itself, *value_, allowed, other_words);
}

std::string JsonNode::one_of_in(std::string_view key, const json& value, const std::vector<std::string>& allowed,
                                std::span<const OtherWord> other_words) const {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (auto meant = spelt_like(text, allowed); !meant.empty()) return meant;
    for (const auto& other : other_words)
      if (folded(text) == other.word && is_in(allowed, other.name)) return std::string(other.name);
    const std::string nearest = nearest_name(text, allowed);
    if (!nearest.empty()) {
      mistake_at(key, fmt::format("{} found, one of {} expected; did you mean \"{}\"?", describe(value),
                                  join_names(allowed), nearest));
      return "";
    }
  }
  mistake_at(key, fmt::format("{} found; give one of {}", describe(value), join_names(allowed)));
  return "";
}

std::string JsonNode::one_of_or(std::string_view key, const std::vector<std::string>& allowed,
                                std::string_view fallback) const {
  return has(key) ? one_of(key, allowed) : std::string(fallback);
}

double JsonNode::number_in(std::string_view key, const json& value, double at_least, double at_most) const {
  if (!value.is_number()) {
    mistake_at(key, fmt::format("{} found, a number expected; write {} without quotes or unit", describe(value),
                                range_text(at_least, at_most)));
    return at_least;
  }
  const double number = value.get<double>();
  if (number >= at_least && number <= at_most) return number;
  mistake_at(key, fmt::format("{} is out of range; give {}", describe(value), range_text(at_least, at_most)));
  return at_least;
}

double JsonNode::number(std::string_view key, double at_least, double at_most) const {
  const json* value = find(key);
  if (value != nullptr) return number_in(key, *value, at_least, at_most);
  required(key, fmt::format("a number, {}", range_text(at_least, at_most)));
  return at_least;
}

double JsonNode::as_number(double at_least, double at_most) const {
  return number_in(itself, *value_, at_least, at_most);
}

double JsonNode::number_or(std::string_view key, double fallback, double at_least, double at_most) const {
  const json* value = find(key);
  return value == nullptr ? fallback : number_in(key, *value, at_least, at_most);
}

double JsonNode::positive_in(std::string_view key, const json& value) const {
  if (value.is_number() && value.get<double>() > 0) return value.get<double>();
  mistake_at(key, fmt::format("{} found; give a number above 0, without quotes or unit", describe(value)));
  return stands_for_a_mistake;
}

double JsonNode::positive(std::string_view key) const {
  const json* value = required(key, "a number above 0");
  return value == nullptr ? stands_for_a_mistake : positive_in(key, *value);
}

double JsonNode::as_positive() const {
  return positive_in(itself, *value_);
}

long JsonNode::integer_in(std::string_view key, const json& value, long at_least, long at_most) const {
  const std::string range = range_text(static_cast<double>(at_least), static_cast<double>(at_most));
  // 4.0 is a whole number too, as in JSON Schema. Beyond 2^53 a double cannot hold every whole number.
  constexpr double whole_to = 9007199254740992.0;
  const bool whole =
      value.is_number_integer() || (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>() &&
                                    std::abs(value.get<double>()) <= whole_to);
  if (!whole) {
    mistake_at(key, fmt::format("{} found, a whole number expected; give {}", describe(value), range));
    return at_least;
  }
  const bool beyond = value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
  const long number = beyond ? at_most : value.get<long>();
  if (!beyond && number >= at_least && number <= at_most) return number;
  mistake_at(key, fmt::format("{} is out of range; give {}", describe(value), range));
  return at_least;
}

long JsonNode::integer(std::string_view key, long at_least, long at_most) const {
  const json* value = find(key);
  if (value != nullptr) return integer_in(key, *value, at_least, at_most);
  required(key,
           fmt::format("a whole number, {}", range_text(static_cast<double>(at_least), static_cast<double>(at_most))));
  return at_least;
}

long JsonNode::integer_or(std::string_view key, long fallback, long at_least, long at_most) const {
  const json* value = find(key);
  return value == nullptr ? fallback : integer_in(key, *value, at_least, at_most);
}

long JsonNode::as_integer(long at_least, long at_most) const {
  return integer_in(itself, *value_, at_least, at_most);
}

bool JsonNode::boolean(std::string_view key) const {
  return required(key, "true or false") != nullptr && boolean_or(key, false);
}

bool JsonNode::boolean_or(std::string_view key, bool fallback) const {
  const json* value = find(key);
  return value == nullptr ? fallback : boolean_in(key, *value);
}

bool JsonNode::boolean_in(std::string_view key, const json& value) const {
  if (value.is_boolean()) return value.get<bool>();
  mistake_at(key, fmt::format("{} found; give true or false, without quotes", describe(value)));
  return false;
}

bool JsonNode::as_boolean() const {
  return boolean_in(itself, *value_);
}

double JsonNode::quantity_in(std::string_view key, const json& value, Dimension dimension, bool zero_is_fine) const {
  if (!value.is_string()) {
    mistake_at(key, fmt::format("{} found, a quantity with its unit expected; write a text like \"{}\"",
                                describe(value), example_quantity(dimension)));
    return stands_for_a_mistake;
  }
  try {
    const double si = parse_quantity(value.get_ref<const std::string&>(), dimension);
    if (si > 0 || zero_is_fine) return si;
    mistake_at(key, fmt::format("{} found; give more than 0", describe(value)));
  } catch (const UserError& error) {
    mistakes_->append(error, path_ + pointer_step(key));
  }
  return stands_for_a_mistake;
}

double JsonNode::as_quantity(Dimension dimension, bool zero_is_fine) const {
  return quantity_in(itself, *value_, dimension, zero_is_fine);
}

double JsonNode::count(std::string_view key) const {
  const json* value = find(key);
  return value != nullptr && value->is_string() ? quantity_in(key, *value, Dimension::count, false) : positive(key);
}

double JsonNode::quantity(std::string_view key, Dimension dimension) const {
  const json* value = required(key, fmt::format("a quantity with its unit, like \"{}\"", example_quantity(dimension)));
  return value == nullptr ? 1 : quantity_in(key, *value, dimension, false);
}

double JsonNode::quantity_or_zero(std::string_view key, Dimension dimension) const {
  const json* value = required(key, fmt::format("a quantity with its unit, like \"{}\"", example_quantity(dimension)));
  return value == nullptr ? 0 : quantity_in(key, *value, dimension, true);
}

double JsonNode::quantity_or(std::string_view key, Dimension dimension, double fallback) const {
  return has(key) ? quantity(key, dimension) : fallback;
}

std::vector<std::string> JsonNode::texts_or_none(std::string_view key) const {
  return has(key) ? texts_of(at(key).elements()) : std::vector<std::string>{};
}

} // namespace ddlsim
