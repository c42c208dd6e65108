#include "sim/files/measurement_reader.hpp"
#include "sim/files/names.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace ddlsim {

namespace {

bool is_digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "2018", "2018-05", "2018-05-07", with months and days there are (ISO 8601; days of the month up to 31).
bool is_date(std::string_view text) {
  constexpr std::array<std::size_t, 3> lengths{4, 7, 10};
  if (text.size() != lengths[0] && text.size() != lengths[1] && text.size() != lengths[2]) return false;
  if (!is_digits(text.substr(0, 4))) return false;
  const auto part = [&](std::size_t at) {
    const bool digits = text[at] == '-' && is_digits(text.substr(at + 1, 2));
    return digits ? (text[at + 1] - '0') * 10 + (text[at + 2] - '0') : 0;
  };
  const bool month_is_good = text.size() < lengths[1] || (part(4) >= 1 && part(4) <= 12);
  const bool day_is_good = text.size() < lengths[2] || (part(7) >= 1 && part(7) <= 31);
  return month_is_good && day_is_good;
}

void read_source(const Place& place, Context& context) {
  static const std::vector<std::string> known{"title", "repository", "path", "commit", "file"};
  if (!place.is_object()) return;
  place.allow_only(known);
  context.source_title = place.text("title");
  context.source_repository = place.text_or("repository", "");
  context.source_path = place.text_or("path", "");
  context.source_commit = place.text_or("commit", "");
  context.source_file = place.text_or("file", "");
}

} // namespace

Context context_from(const Place& line) {
  static const std::vector<std::string> known{"record",   "version", "cluster", "gpu",    "machine",
                                              "software", "date",    "who",     "source", "emulated"};
  Context context;
  line.allow_only(known);
  const long version = line.integer("version", 1, 1'000'000);
  if (version != 1) line.mistake_at("version", fmt::format("{} found; this ddlsim reads version 1", version));
  context.cluster = line.text("cluster");
  context.gpu = line.text_or("gpu", "");
  context.machine = line.text("machine");
  context.software = line.text("software");
  context.date = line.text("date");
  if (!context.date.empty() && context.date != "unknown" && !is_date(context.date)) {
    line.mistake_at("date", fmt::format("{} is not a date; give 2018, 2018-05, 2018-05-07 or \"unknown\"",
                                        in_quotes(context.date)));
  }
  context.who = line.text("who");
  read_source(line.at("source"), context);
  context.emulated = line.boolean("emulated");
  return context;
}

} // namespace ddlsim
