#include "validate/blind/blind_log.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr long most_requested_points = 10'000'000;
constexpr double largest_ln_error = 100; ///< largest error of ln; a larger one is a typing error

/// Rounds to four digits, because a fifth digit of an error is noise.
double four_digits(double value) {
  return std::stod(fmt::format("{:.4g}", value));
}

Json to_json(const BlindEntry& entry) {
  const auto& score = entry.score;
  Json baselines = Json::object();
  for (const auto& [name, error] : score.baselines) baselines[name] = four_digits(error);
  return {{"date", entry.date},
          {"commit", entry.commit},
          {"source", entry.source},
          {"file", entry.file},
          {"records", entry.records},
          {"kind", score.kind},
          {"known", to_text(score.known)},
          {"points", score.points},
          {"refused", score.refused},
          {"mean_error", four_digits(score.mean_error)},
          {"median_error", four_digits(score.median_error)},
          {"bias", four_digits(score.bias)},
          {"held", four_digits(score.held)},
          {"half_width", four_digits(score.half_width)},
          {"baselines", baselines},
          {"form_in_sight", entry.form_in_sight},
          {"answers", score.answers}};
}

BlindKnowledge known_from(const JsonNode& node) {
  constexpr BlindKnowledge all[] = {BlindKnowledge::nothing, BlindKnowledge::one_gpu, BlindKnowledge::one_node};
  std::vector<std::string> names;
  for (const auto one : all) names.push_back(to_text(one));
  const auto name = node.one_of("known", names);
  for (const auto one : all)
    if (to_text(one) == name) return one;
  return BlindKnowledge::nothing;
}

BlindEntry entry_from(const JsonNode& node) {
  BlindEntry entry;
  if (!node.is_object()) return entry;
  node.allow_only({"date", "commit", "source", "file", "records", "kind", "known", "points", "refused", "mean_error",
                   "median_error", "bias", "held", "half_width", "baselines", "form_in_sight", "answers", "chain"});
  entry.date = node.text("date");
  entry.commit = node.text("commit");
  entry.source = node.text("source");
  entry.file = node.text("file");
  entry.records = node.text("records");
  entry.form_in_sight = node.boolean("form_in_sight");
  auto& score = entry.score;
  score.kind = node.text("kind");
  score.known = known_from(node);
  score.points = static_cast<int>(node.integer("points", 1, most_requested_points));
  score.refused = static_cast<int>(node.integer("refused", 0, score.points));
  score.mean_error = node.number("mean_error", 0, largest_ln_error);
  score.median_error = node.number("median_error", 0, largest_ln_error);
  score.bias = node.number("bias", -largest_ln_error, largest_ln_error);
  score.held = node.number("held", 0, 1);
  score.half_width = node.number("half_width", 0, largest_ln_error);
  if (node.has("baselines") && node.at("baselines").is_object())
    for (const auto& [name, error] : node.at("baselines").value().items())
      score.baselines[name] = node.at("baselines").number(name, 0, largest_ln_error);
  score.answers = node.text("answers");
  return entry;
}

constexpr std::string_view chain_key = ",\"chain\":\"";

/// Returns the checksum of a line. It is made of the checksum at the end of the line before, and of this line's text
/// before its own checksum.
std::string chained(const std::string& before, std::string_view body) {
  Fnv1a sum;
  sum.take(before);
  sum.take(body);
  return sum.text();
}

/// The text of the line before its checksum; the whole line if it has none.
std::string_view body_of(std::string_view line) {
  return line.substr(0, line.rfind(chain_key));
}

/// The lines of a log, with the checksum of the last one.
struct ChainedLog {
  std::vector<BlindEntry> entries;
  std::string chain;
  std::string text;
};

BlindEntry entry_of_line(const std::string& line, const std::string& where, std::string& stated) {
  Mistakes mistakes(where);
  const auto json = parse_json_line(line, where);
  const JsonNode node(json, "", mistakes);
  const auto entry = entry_from(node);
  stated = node.is_object() ? node.text("chain") : "";
  mistakes.throw_if_any();
  return entry;
}

ChainedLog read_chained(const std::filesystem::path& file) {
  ChainedLog log;
  if (!std::filesystem::exists(file)) return log;
  LineReader reader(file);
  std::string line;
  for (std::size_t number = 1; reader.next(line) != LineReader::Result::end; ++number) {
    const auto where = fmt::format("{}:{}", file.string(), number);
    std::string stated;
    log.entries.push_back(entry_of_line(line, where, stated));
    log.chain = chained(log.chain, body_of(line));
    if (stated != log.chain)
      throw UserError(where, "/chain",
                      fmt::format("{} found, {} expected by this line and those above it: the log was edited; a log of "
                                  "blind scores only grows, so restore it (git checkout)",
                                  in_quotes(stated), log.chain));
    log.text += line + "\n";
  }
  return log;
}

bool asks_the_same(const BlindEntry& a, const BlindEntry& b) {
  return a.records == b.records && a.score.kind == b.score.kind && a.score.known == b.score.known;
}

void refuse_repetition(const std::vector<BlindEntry>& log, const BlindEntry& entry) {
  const auto found = std::find_if(log.begin(), log.end(), [&](const BlindEntry& one) {
    return asks_the_same(one, entry) && one.score.answers == entry.score.answers;
  });
  if (found == log.end()) return;
  throw UserError(entry.file, "",
                  fmt::format("{} with {} known were asked before, on {} at commit {}, and the answers are the same; "
                              "ask again once the model has changed",
                              entry.score.kind, to_text(entry.score.known), found->date, found->commit));
}

} // namespace

std::string blind_json(const std::vector<BlindEntry>& log) {
  Json entries = Json::array();
  for (const auto& entry : log) entries.push_back(to_json(entry));
  return json_text(Json{{"format", "ddlsim-blind"}, {"version", 1}, {"entries", entries}}, 1) + "\n";
}

std::vector<BlindEntry> read_blind_log(const std::filesystem::path& file) {
  return read_chained(file).entries;
}

void append_to_blind_log(const std::filesystem::path& file, const std::vector<BlindEntry>& entries) {
  auto log = read_chained(file);
  for (const auto& entry : entries) {
    refuse_repetition(log.entries, entry);
    auto body = json_text(to_json(entry));
    body.pop_back(); // removes the closing brace
    log.chain = chained(log.chain, body);
    log.text += fmt::format("{}{}{}\"}}\n", body, chain_key, log.chain);
    log.entries.push_back(entry);
  }
  write_file(file, log.text);
}

std::optional<Mistake> repeated_question(const std::vector<BlindEntry>& log, const std::string& records,
                                         const std::string& commit) {
  const auto found = std::find_if(log.begin(), log.end(), [&](const BlindEntry& one) {
    return one.records == records && one.commit == commit && !commit.ends_with(with_changes);
  });
  if (found == log.end()) return {};
  return Mistake{found->file, "",
                 fmt::format("asked before of this very commit ({}, on {}); ask again once the model has changed",
                             found->commit, found->date)};
}

} // namespace ddlsim
