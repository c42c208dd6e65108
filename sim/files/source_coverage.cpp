#include "sim/files/names.hpp"
#include "sim/files/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ddlsim {

namespace {

/// Keys of a cluster file whose text is a quantity; a number is a figure wherever it stands.
bool is_quantity_key(const std::string& key) {
  static const std::vector<std::string> keys{"bandwidth", "latency", "host_memory_bandwidth", "hop_latency",
                                             "read_bandwidth"};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

struct Pointers {
  std::set<std::string> all;
  std::vector<std::string> figures;
};

void collect(const nlohmann::json& value, const nlohmann::json::json_pointer& pointer, Pointers& found) {
  found.all.insert(pointer.to_string());
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) collect(child, pointer / key, found);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], pointer / i, found);
  } else if (value.is_number() || (value.is_string() && is_quantity_key(pointer.back()))) {
    found.figures.push_back(pointer.to_string());
  }
}

bool covers(const std::string& pointer, const std::string& figure) {
  return figure.rfind(pointer, 0) == 0 && (figure.size() == pointer.size() || figure[pointer.size()] == '/');
}

} // namespace

std::map<std::string, std::string> covering_sources(const Place& root) {
  std::map<std::string, std::string> sources;
  const Place place = root.at("sources");
  if (!place.is_object()) return sources;
  Pointers found;
  for (const auto& [key, value] : root.value().items()) {
    if (key != "sources" && key != "format" && key != "version")
      collect(value, nlohmann::json::json_pointer() / key, found);
  }
  for (const auto& [pointer, text] : place.value().items()) {
    sources[pointer] = place.text(pointer);
    if (found.all.find(pointer) != found.all.end()) continue;
    const std::vector<std::string> all(found.all.begin(), found.all.end());
    const std::string nearest = nearest_name(pointer, all);
    place.mistake_at(pointer, fmt::format("points at nothing in this file; {}",
                                          nearest.empty() ? "write a JSON pointer like \"/node/intra/bandwidth\""
                                                          : fmt::format("did you mean \"{}\"?", nearest)));
  }
  for (const auto& figure : found.figures) {
    const bool covered =
        std::any_of(sources.begin(), sources.end(), [&](const auto& source) { return covers(source.first, figure); });
    if (!covered) {
      root.mistake_at("sources", fmt::format("no source for {}; say where the figure stands, or \"not stated; "
                                             "assumed: ... because ...\"",
                                             figure));
    }
  }
  return sources;
}

} // namespace ddlsim
