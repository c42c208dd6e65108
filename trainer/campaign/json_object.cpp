#include "trainer/campaign/json_object.hpp"

#include "trainer/files/error.hpp"

#include <algorithm>
#include <fstream>

namespace ddltrain {
namespace {

constexpr std::size_t kShownCharacters = 40;

std::string shown(const nlohmann::json& value) {
  const std::string text = value.dump();
  return text.size() <= kShownCharacters ? text : text.substr(0, kShownCharacters) + "...";
}

bool is_count(const nlohmann::json& value) {
  return value.is_number_integer() && value.get<std::int64_t>() >= 1;
}

} // namespace

JsonObject::JsonObject(const nlohmann::json& object, std::string place, std::vector<std::string>& mistakes)
    : object_(object), place_(std::move(place)), mistakes_(mistakes) {
  if (!object_.is_object()) {
    mistakes_.push_back((place_.empty() ? "/" : place_) + ": found " + shown(object_) + ", expected an object");
  }
}

const nlohmann::json& JsonObject::value(const std::string& key) {
  static const nlohmann::json nothing;
  known_.push_back(key);
  return object_.is_object() && object_.contains(key) ? object_.at(key) : nothing;
}

void JsonObject::mistake(const std::string& key, const std::string& what) {
  mistakes_.push_back(place_of(key) + ": " + what);
}

const nlohmann::json* JsonObject::find(const std::string& key, bool needed, const char* expected) {
  const nlohmann::json& found = value(key);
  if (!found.is_null()) {
    return &found;
  }
  if (needed && object_.is_object()) {
    mistake(key, std::string("missing, expected ") + expected);
  }
  return nullptr;
}

std::string JsonObject::text(const std::string& key, const std::optional<std::string>& fallback) {
  const nlohmann::json* found = find(key, !fallback, "a text");
  if (found != nullptr && found->is_string() && !found->get<std::string>().empty()) {
    return found->get<std::string>();
  }
  if (found != nullptr) {
    mistake(key, "found " + shown(*found) + ", expected a text that is not empty");
  }
  return fallback.value_or("");
}

double JsonObject::positive(const std::string& key, std::optional<double> fallback) {
  const nlohmann::json* found = find(key, !fallback, "a number above 0");
  if (found != nullptr && found->is_number() && found->get<double>() > 0) {
    return found->get<double>();
  }
  if (found != nullptr) {
    mistake(key, "found " + shown(*found) + ", expected a number above 0");
  }
  return fallback.value_or(1);
}

std::int64_t JsonObject::count(const std::string& key, std::optional<std::int64_t> fallback) {
  const nlohmann::json* found = find(key, !fallback, "a whole number of 1 or more");
  if (found != nullptr && is_count(*found)) {
    return found->get<std::int64_t>();
  }
  if (found != nullptr) {
    mistake(key, "found " + shown(*found) + ", expected a whole number of 1 or more");
  }
  return fallback.value_or(1);
}

std::vector<std::string> JsonObject::texts(const std::string& key) {
  const nlohmann::json* found = find(key, false, "");
  if (found == nullptr) {
    return {};
  }
  const auto is_text = [](const nlohmann::json& each) { return each.is_string(); };
  if (!found->is_array() || !std::all_of(found->begin(), found->end(), is_text)) {
    mistake(key, "found " + shown(*found) + ", expected a list of texts");
    return {};
  }
  return found->get<std::vector<std::string>>();
}

std::vector<std::int64_t> JsonObject::counts(const std::string& key) {
  const nlohmann::json* found = find(key, false, "");
  if (found == nullptr) {
    return {};
  }
  if (!found->is_array() || found->empty() || !std::all_of(found->begin(), found->end(), is_count)) {
    mistake(key, "found " + shown(*found) + ", expected a list of whole numbers of 1 or more");
    return {};
  }
  return found->get<std::vector<std::int64_t>>();
}

void JsonObject::finish() {
  if (!object_.is_object()) {
    return;
  }
  for (const auto& [key, ignored] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      mistake(key, "unknown key; did you mean \"" + nearest_name(key, known_) + "\"?");
    }
  }
}

nlohmann::json read_json(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) {
    throw UsageError("cannot read " + file);
  }
  try {
    return nlohmann::json::parse(stream);
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(file + ": no JSON: " + error.what());
  }
}

void refuse_mistakes(const std::string& file, const std::vector<std::string>& mistakes) {
  if (mistakes.empty()) {
    return;
  }
  std::string text;
  for (const std::string& mistake : mistakes) {
    text.append(text.empty() ? "" : "\n").append(file).append(": ").append(mistake);
  }
  throw UsageError(text);
}

} // namespace ddltrain
