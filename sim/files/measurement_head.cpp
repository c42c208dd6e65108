#include "sim/files/measurement_reader.hpp"
#include "sim/files/names.hpp"
#include "sim/files/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ddlsim {

namespace {

const std::vector<std::string>& head_keys() {
  static const std::vector<std::string> keys{"record",    "series",  "from",      "origin",  "gpu",
                                             "transport", "library", "statistic", "repeats", "relative_spread",
                                             "suspect",   "note",    "samples_s"};
  return keys;
}

const std::vector<std::string>& transports_or_unknown() {
  static const auto names = [] {
    auto all = transport_names();
    all.emplace_back("unknown");
    return all;
  }();
  return names;
}

/// Where in the source the figure stands; own runs have no source. A JSON source is pointed into with a JSON pointer.
std::string from_of(const Place& line, const std::string& origin, const std::string& source_file) {
  std::string from = line.text_or("from", "");
  if (origin == "run") return from;
  const bool json_source = source_file.size() > 5 && source_file.compare(source_file.size() - 5, 5, ".json") == 0;
  if (from.empty()) {
    line.mistake_at("from",
                    fmt::format("missing for a figure of origin \"{}\"; say where in the source it stands", origin));
  } else if (json_source && from.front() != '/') {
    line.mistake_at("from", fmt::format("{} is no JSON pointer; write one into {}, like \"/points/3\"", in_quotes(from),
                                        in_quotes(source_file)));
  }
  return from;
}

/// Times of the repetitions; as many as "repeats" says, where it says so.
std::vector<double> samples_from(const Place& line, int repeats) {
  if (!line.has("samples_s")) return {};
  const auto before = line.mistakes_so_far();
  std::vector<double> samples;
  for (const auto& element : line.at("samples_s").elements()) {
    if (!element.value().is_number() || element.value().get<double>() <= 0) {
      element.mistake(fmt::format("{} found, the seconds of one repetition expected; leave it out of the list",
                                  describe(element.value())));
    } else {
      samples.push_back(element.value().get<double>());
    }
  }
  if (line.mistakes_so_far() > before) return samples;
  if (samples.empty()) line.mistake_at("samples_s", "no time found; list one for each repetition, or leave it out");
  if (!samples.empty() && repeats > 0 && samples.size() != static_cast<std::size_t>(repeats))
    line.mistake_at("samples_s", fmt::format("{} times found for {} repeats; correct one", samples.size(), repeats));
  return samples;
}

} // namespace

RecordHead head_from(const Place& line, const LineOrigin& origin) {
  static const std::vector<std::string> origins{"table", "text", "plot", "run"};
  static const std::vector<std::string> statistics{"median", "mean", "best_of", "unknown"};
  constexpr long most_repeats = 1'000'000'000;
  constexpr double most_spread = 100;
  RecordHead head;
  head.file = origin.file;
  head.line = origin.line;
  head.series = line.text("series");
  head.origin = line.one_of("origin", origins);
  head.from = from_of(line, head.origin, origin.context->source_file);
  head.gpu = line.text_or("gpu", origin.context->gpu);
  head.transport = line.one_of("transport", transports_or_unknown());
  head.library = line.text("library");
  head.statistic = line.one_of("statistic", statistics);
  head.repeats = static_cast<int>(line.integer_or("repeats", 0, 1, most_repeats));
  head.relative_spread = line.number_or("relative_spread", 0, 0, most_spread);
  head.suspect = line.boolean_or("suspect", false);
  head.note = line.text_or("note", "");
  head.samples_s = samples_from(line, head.repeats);
  return head;
}

void allow_only_with_head(const Place& line, const std::vector<std::string>& own) {
  const auto is_known = [&](const std::string& key) {
    return std::find(own.begin(), own.end(), key) != own.end() ||
           std::find(head_keys().begin(), head_keys().end(), key) != head_keys().end();
  };
  const auto& items = line.value().items();
  if (std::all_of(items.begin(), items.end(), [&](const auto& item) { return is_known(item.key()); })) return;
  auto all = head_keys(); // copied only where there is something to tell
  all.insert(all.end(), own.begin(), own.end());
  line.allow_only(all);
}

double value_in(const Place& line, const std::vector<std::string>& units, Dimension dimension) {
  const double value = line.positive("value");
  const std::string unit = line.one_of("unit", units);
  return unit.empty() ? value : value * unit_in_si(unit, dimension);
}

} // namespace ddlsim
