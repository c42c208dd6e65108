#pragma once
// Reads one object of a JSON file strictly: every key must be known, every mistake is noted with its place.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddltrain {

class JsonObject {
public:
  /// `place` is the object's JSON pointer in the file ("" for the whole). Mistakes are appended to `mistakes`, each as
  /// "place: found, expected", and reading goes on with the fallback, so that all mistakes of a file are told at once.
  JsonObject(const nlohmann::json& object, std::string place, std::vector<std::string>& mistakes);

  /// Without a fallback the key must be there.
  std::string text(const std::string& key, const std::optional<std::string>& fallback = {});
  double positive(const std::string& key, std::optional<double> fallback = {});
  std::int64_t count(const std::string& key, std::optional<std::int64_t> fallback = {}); ///< 1 or more
  std::vector<std::string> texts(const std::string& key);   ///< none when the key is absent
  std::vector<std::int64_t> counts(const std::string& key); ///< none when the key is absent

  /// The value itself, to be read by the caller; null when absent. The key counts as known.
  const nlohmann::json& value(const std::string& key);
  std::string place_of(const std::string& key) const { return place_ + "/" + key; }
  void mistake(const std::string& key, const std::string& what);

  /// Notes every key that was never asked for, with the nearest of those that were.
  void finish();

private:
  const nlohmann::json* find(const std::string& key, bool needed, const char* expected);

  const nlohmann::json& object_;
  std::string place_;
  std::vector<std::string>& mistakes_;
  std::vector<std::string> known_;
};

/// Parses `file`. Throws UsageError when it cannot be read or is no JSON.
nlohmann::json read_json(const std::string& file);

/// Throws UsageError with every mistake, each on a line that begins with the file; nothing when there is none.
void refuse_mistakes(const std::string& file, const std::vector<std::string>& mistakes);

} // namespace ddltrain
