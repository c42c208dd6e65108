#include "import/mllog_events.hpp"

#include "import/imported.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>

namespace ddlsim {
namespace {

using nlohmann::json;

constexpr std::string_view mllog_mark = ":::MLLOG";
constexpr double ms_of_mllog_per_s = 1000;
constexpr double last_mllog_ms = 4102444800e3; ///< the year 2100, in milliseconds since 1970

double number_or(const json& object, const char* key, double fallback) {
  if (!object.is_object()) return fallback;
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : fallback;
}

std::string text_or_none(const json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Returns the date of a time in UTC, as in "2026-11-29".
std::string date_of(double time_ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{
      std::chrono::milliseconds(static_cast<std::int64_t>(time_ms))};
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(time)};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

std::optional<MlMarkKind> mark_named(std::string_view key) {
  static const std::map<std::string_view, MlMarkKind> kinds{
      {"run_start", MlMarkKind::run_start},     {"run_stop", MlMarkKind::run_stop},
      {"block_start", MlMarkKind::block_start}, {"block_stop", MlMarkKind::block_stop},
      {"epoch_start", MlMarkKind::epoch_start}, {"epoch_stop", MlMarkKind::epoch_stop},
      {"eval_start", MlMarkKind::eval_start},   {"eval_stop", MlMarkKind::eval_stop}};
  const auto found = kinds.find(key);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

/// Takes the value of the first of these keys that has a number above 0.
bool take_first(const json& stats, std::initializer_list<const char*> keys, std::vector<double>& to) {
  for (const char* key : keys) {
    const double found = number_or(stats, key, 0);
    if (found <= 0) continue;
    to.push_back(found);
    return true;
  }
  return false;
}

class EventReader {
public:
  explicit EventReader(const std::filesystem::path& file) : file_(file) {}

  void read(const LogLine& line) {
    const auto at = line.text.find(mllog_mark);
    if (at == std::string_view::npos) {
      const bool is_old =
          line.text.find(":::MLP") != std::string_view::npos || line.text.find(":::MLL ") != std::string_view::npos;
      events_.old_lines += is_old ? 1 : 0;
      return;
    }
    if (rank_ < 0) rank_ = line.rank;
    if (line.rank < 0 || line.rank == rank_) read_event(line.text.substr(at + mllog_mark.size()), line.number);
  }

  MlEvents finish() {
    if (any_) {
      if (events_.rates.empty()) events_.rates = std::move(untracked_rates_);
      return std::move(events_);
    }
    throw UserError(file_.string(), "",
                    events_.old_lines > 0
                        ? "found lines of MLPerf v0.5 or v0.6 (:::MLP, :::MLL), expected :::MLLOG of v0.7 or later"
                    : events_.broken_lines > 0
                        ? "found no whole line \":::MLLOG {...}\" with key and time_ms; is the log cut?"
                        : "found no line \":::MLLOG {...}\" of an MLPerf training log");
  }

private:
  void read_event(std::string_view text, int line) {
    const json parsed = json_in(text).value_or(json());
    const double time_ms = number_or(parsed, "time_ms", -1);
    const auto key = text_or_none(parsed, "key");
    if (key.empty() || time_ms < 0 || time_ms > last_mllog_ms) {
      ++events_.broken_lines;
      return;
    }
    if (!any_) events_.date = date_of(time_ms);
    any_ = true;
    const auto part = [&](const char* name) { return parsed.contains(name) ? parsed.at(name) : json(); };
    if (const auto kind = mark_named(key)) return add_mark(*kind, time_ms, part("metadata"), line);
    if (key == "tracked_stats") return add_stats(part("value"), line);
    add_value(key, part("value"), line);
  }

  void add_mark(MlMarkKind kind, double time_ms, const json& metadata, int line) {
    MlMark mark;
    mark.kind = kind;
    mark.time_s = time_ms / ms_of_mllog_per_s;
    mark.samples_count = number_or(metadata, "samples_count", -1);
    mark.epoch_num = number_or(metadata, "epoch_num", -1);
    mark.epoch_count = number_or(metadata, "epoch_count", -1);
    mark.step_num = number_or(metadata, "step_num", -1);
    mark.line = line;
    events_.marks.push_back(mark);
  }

  void add_stats(const json& stats, int line) {
    const bool timed = take_first(stats, {"train_step_timing", "train_step_time"}, events_.step_times_s);
    const bool rated = take_first(stats, {"throughput", "seq/s", "seq/sec"}, events_.rates);
    if ((timed || rated) && events_.first_stated_line == 0) events_.first_stated_line = line;
  }

  void add_value(const std::string& key, const json& value, int line) {
    if (value.is_string()) events_.texts[key] = value.get<std::string>();
    if (!value.is_number()) return;
    const auto number = value.get<double>();
    if (key == "throughput" && number > 0) untracked_rates_.push_back(number);
    const auto known = events_.numbers.find(key);
    if (key == "global_batch_size" && known != events_.numbers.end() && known->second != number)
      throw UserError(at_line(file_, line), "",
                      fmt::format("found a global_batch_size of {:g} after one of {:g}, expected runs of one batch; "
                                  "import each run's log by itself",
                                  number, known->second));
    events_.numbers[key] = number;
  }

  const std::filesystem::path& file_;
  MlEvents events_;
  std::vector<double> untracked_rates_; ///< rates of the events "throughput", which repeat the tracked rates
  bool any_ = false;
  int rank_ = -1; ///< the first rank that the launcher names, whose events are read
};

} // namespace

double MlEvents::number(const char* key) const {
  const auto found = numbers.find(key);
  return found == numbers.end() ? 0 : found->second;
}

std::string MlEvents::text(const char* key) const {
  const auto found = texts.find(key);
  return found == texts.end() ? "" : found->second;
}

MlEvents read_mllog(LogSource& source) {
  EventReader reader(source.name());
  while (const auto line = source.next_line()) reader.read(*line);
  return reader.finish();
}

} // namespace ddlsim
