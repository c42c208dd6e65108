// MLPerf training logs (mlcommons/logging, mlperf_logging/mllog): lines ":::MLLOG {JSON}" among any other output. The
// time of training is that from the start of a block or epoch to its end or to the evaluation in it.
#include "import/importers.hpp"
#include "import/plain_text.hpp"
#include "import/seen_steps.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/statistics.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>

namespace ddlsim {
namespace {

using nlohmann::json;

constexpr std::string_view mllog_mark = ":::MLLOG";
constexpr double ms_of_mllog_per_s = 1000;
constexpr double last_mllog_ms = 4102444800e3; ///< the year 2100
constexpr std::size_t enough_intervals = 3;    ///< of so many the first is left out as warm-up

struct MlEvent {
  std::string key;
  json value;
  json metadata;
  double time_ms = 0;
  int line = 0;
};

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

/// "2026-11-29", in UTC.
std::string date_of(double time_ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{
      std::chrono::milliseconds(static_cast<std::int64_t>(time_ms))};
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(time)};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

/// What the lines of one kind of interval add up to.
struct Training {
  std::vector<double> rates; ///< samples a second of each interval
  int first_line = 0;
};

class MlLog {
public:
  explicit MlLog(const std::filesystem::path& file) : file_(file) {}

  void read(const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto at = lines[i].find(mllog_mark);
      if (at != std::string::npos) {
        read_event(std::string_view(lines[i]).substr(at + mllog_mark.size()), static_cast<int>(i + 1));
      } else if (lines[i].find(":::MLP") != std::string::npos || lines[i].find(":::MLL ") != std::string::npos) {
        ++old_lines_;
      }
    }
    refuse_what_is_none();
  }

  /// Intervals of blocks, or of epochs where blocks say nothing; else the rates that the program says itself.
  SeenSteps steps(std::vector<std::string>& notes) const {
    auto training = intervals("block");
    const char* what = "blocks";
    if (training.rates.empty()) {
      training = intervals("epoch");
      what = "epochs";
    }
    if (training.rates.empty()) {
      training = tracked_rates();
      what = "rates (tracked_stats)";
    }
    if (training.rates.empty())
      throw UserError(
          file_.string(), "",
          "found no training time: expected block_start and block_stop (or epoch_start and epoch_stop) with "
          "samples_count, or with train_samples, or tracked_stats with throughput");
    const bool skips = training.rates.size() >= enough_intervals;
    if (skips) training.rates.erase(training.rates.begin());
    notes.push_back(fmt::format("{} {} of training were read{}; their median rate was taken",
                                training.rates.size() + (skips ? 1 : 0), what,
                                skips ? ", the first left out as warm-up" : ""));
    note_the_rest(notes);
    SeenSteps seen;
    seen.values = training.rates;
    seen.are_rates = true;
    seen.first_line = training.first_line;
    seen.global_batch = one_global_batch();
    add_gpus(seen);
    seen.stated.emplace("data", "real");
    return seen;
  }

  void complete(ImportContext& context) const {
    if (context.machine.empty()) context.machine = text_of("submission_platform");
    if (context.who.empty()) context.who = text_of("submission_org");
    if (context.date.empty() && !events_.empty()) context.date = date_of(events_.front().time_ms);
  }

private:
  void read_event(std::string_view text, int line) {
    const json parsed = json_in(text).value_or(json());
    const double time_ms = number_or(parsed, "time_ms", -1);
    const auto key = text_or_none(parsed, "key");
    if (key.empty() || time_ms < 0 || time_ms > last_mllog_ms) {
      ++broken_lines_;
      return;
    }
    const auto part = [&](const char* name) { return parsed.contains(name) ? parsed.at(name) : json(); };
    events_.push_back({key, part("value"), part("metadata"), time_ms, line});
  }

  void refuse_what_is_none() const {
    if (!events_.empty()) return;
    throw UserError(file_.string(), "",
                    old_lines_ > 0
                        ? "found lines of MLPerf v0.5 or v0.6 (:::MLP, :::MLL), expected :::MLLOG of v0.7 or later"
                    : broken_lines_ > 0 ? "found no whole line \":::MLLOG {...}\" with key and time_ms; is the log cut?"
                                        : "found no line \":::MLLOG {...}\" of an MLPerf training log");
  }

  /// Of the last event of that key.
  double number_of(const char* key) const {
    double found = 0;
    for (const auto& event : events_)
      if (event.key == key && event.value.is_number()) found = event.value.get<double>();
    return found;
  }

  /// 0: not stated.
  double one_global_batch() const {
    double found = 0;
    for (const auto& event : events_) {
      if (event.key != "global_batch_size" || !event.value.is_number()) continue;
      const double size = event.value.get<double>();
      if (found > 0 && size != found)
        throw UserError(at_line(file_, event.line), "",
                        fmt::format("found a global_batch_size of {:g} after one of {:g}, expected runs of one batch; "
                                    "import each run's log by itself",
                                    size, found));
      found = size;
    }
    return found;
  }

  std::string text_of(const char* key) const {
    std::string found;
    for (const auto& event : events_)
      if (event.key == key && event.value.is_string()) found = event.value.get<std::string>();
    return found;
  }

  /// From block_start to block_stop, eval_start or run_stop, whichever is first.
  Training intervals(const std::string& what) const {
    Training training;
    const MlEvent* open = nullptr;
    for (const auto& event : events_) {
      if (event.key == what + "_start") open = &event;
      const bool ends = event.key == what + "_stop" || event.key == "eval_start" || event.key == "run_stop";
      if (open == nullptr || !ends) continue;
      const double samples = samples_between(*open, event, what == "epoch");
      const double time_s = (event.time_ms - open->time_ms) / ms_of_mllog_per_s;
      if (samples > 0 && time_s > 0) {
        if (training.rates.empty()) training.first_line = open->line;
        training.rates.push_back(samples / time_s);
      }
      open = nullptr;
    }
    return training;
  }

  /// By the two counts of samples, or by whole epochs of train_samples; 0: not stated.
  double samples_between(const MlEvent& begin, const MlEvent& end, bool is_epoch) const {
    const double from = number_or(begin.metadata, "samples_count", -1);
    const double to = number_or(end.metadata, "samples_count", -1);
    if (from >= 0 && to > from) return to - from;
    return number_of("train_samples") * (is_epoch ? 1 : number_or(begin.metadata, "epoch_count", 0));
  }

  Training tracked_rates() const {
    Training training;
    for (const auto& event : events_) {
      const double rate = event.key == "tracked_stats" ? number_or(event.value, "throughput", 0) : 0;
      if (rate <= 0) continue;
      if (training.rates.empty()) training.first_line = event.line;
      training.rates.push_back(rate);
    }
    return training;
  }

  /// MLPerf HPC says them.
  void add_gpus(SeenSteps& seen) const {
    const double ranks = number_of("number_of_ranks");
    const double of_nodes = number_of("number_of_nodes") * number_of("accelerators_per_node");
    const double gpus = of_nodes > 0 ? of_nodes : ranks;
    if (gpus > 0) seen.stated["gpus"] = fmt::format("{}", gpus);
  }

  void note_the_rest(std::vector<std::string>& notes) const {
    const auto benchmark = text_of("submission_benchmark");
    if (!benchmark.empty())
      notes.push_back(fmt::format("the log is of benchmark {} on {}", in_quotes(benchmark),
                                  in_quotes(text_of("submission_platform"))));
    if (broken_lines_ > 0)
      notes.push_back(fmt::format("{} lines of :::MLLOG are not whole and were left out", broken_lines_));
    if (old_lines_ > 0) notes.push_back(fmt::format("{} lines of MLPerf v0.5 or v0.6 were left out", old_lines_));
    int runs = 0;
    for (const auto& event : events_) runs += event.key == "run_start" ? 1 : 0;
    if (runs > 1) notes.push_back(fmt::format("{} runs are in the file: their intervals were taken together", runs));
  }

  const std::filesystem::path& file_;
  std::vector<MlEvent> events_;
  int broken_lines_ = 0;
  int old_lines_ = 0;
};

} // namespace

Resemblance resembles_mllog(std::string_view text) {
  return has_any(text, {":::MLL", ":::MLP"}) ? Resemblance::own_words : Resemblance::none;
}

/// The median rate over blocks or epochs of training, evaluation left out. model and gpus are of `stated.given`.
Imported import_mllog(LogSource source, const ImportContext& stated) {
  const auto file = source.name();
  MlLog log(file);
  log.read(split_lines(source.text()));
  Imported imported;
  const auto seen = log.steps(imported.notes);
  auto context = stated;
  log.complete(context);
  add_step_record(seen, file, context, imported);
  return imported;
}

} // namespace ddlsim
