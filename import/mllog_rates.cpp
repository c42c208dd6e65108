#include "import/mllog_rates.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ddlsim {
namespace {

constexpr double most_disagreement_of_mllog = 0.05;
constexpr std::size_t enough_to_skip = 3; ///< values, of which the first is left out as warm-up

/// Counts of a log, as samples; nothing where the log does not say enough.
class SampleCounts {
public:
  SampleCounts(const MlEvents& events, const MlBenchmark& benchmark) : counts_(benchmark.counts) {
    epoch_samples_ = events.number("train_samples");
    tokens_ = events.number("max_sequence_length");
    batch_ = events.number("global_batch_size");
  }

  /// Samples trained since the run's begin.
  std::optional<double> at(const MlMark& mark) const {
    if (mark.samples_count >= 0) return of_samples_count(mark.samples_count);
    const bool counts_on =
        counts_ == MlCount::samples || counts_ == MlCount::tokens || counts_ == MlCount::share_of_epoch;
    if (mark.epoch_num >= 0 && counts_on) return of_epochs(mark.epoch_num);
    if (mark.step_num >= 0 && batch_ > 0) return mark.step_num * batch_;
    return std::nullopt;
  }

  std::optional<double> of_samples_count(double count) const {
    if (counts_ != MlCount::tokens) return count;
    return tokens_ > 0 ? std::optional(count / tokens_) : std::nullopt;
  }

  /// What an epoch_count or epoch_num stands for.
  std::optional<double> of_epochs(double count) const {
    switch (counts_) {
    case MlCount::samples:
      return count;
    case MlCount::tokens:
      return of_samples_count(count);
    case MlCount::epochs_or_samples:
      if (epoch_samples_ > 0 && count >= epoch_samples_) return count;
      break;
    case MlCount::share_of_epoch: // the first epoch is 0 to 1, or 1 to 2
      if (count >= 1) count -= 1;
      break;
    case MlCount::epochs:
      break;
    }
    return epoch_samples_ > 0 ? std::optional(count * epoch_samples_) : std::nullopt;
  }

  /// Whether a block's epoch_count is of its own samples: some write one epoch for the whole run.
  bool blocks_count() const { return counts_ != MlCount::samples && counts_ != MlCount::share_of_epoch; }

private:
  MlCount counts_;
  double epoch_samples_ = 0;
  double tokens_ = 0;
  double batch_ = 0;
};

/// Stretches of training: from the begin of a block (or epoch), or the end of an evaluation in it, to its end or to the
/// next evaluation.
class Stretches {
public:
  Stretches(const MlEvents& events, const MlBenchmark& benchmark, bool are_epochs)
      : marks_(events.marks), counts_(events, benchmark),
        start_(are_epochs ? MlMarkKind::epoch_start : MlMarkKind::block_start),
        stop_(are_epochs ? MlMarkKind::epoch_stop : MlMarkKind::block_stop), are_epochs_(are_epochs) {}

  MlRates read() {
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      const auto& mark = marks_[i];
      if (mark.kind == MlMarkKind::run_start) trained_ = 0;
      if (mark.kind == start_) {
        begin_ = &mark;
        is_whole_ = is_open_ = true;
      } else if (mark.kind == MlMarkKind::eval_stop && is_open_) {
        begin_ = &mark;
        is_whole_ = false;
      } else if (mark.kind == stop_ || mark.kind == MlMarkKind::eval_start || mark.kind == MlMarkKind::run_stop) {
        end_at(i);
      }
    }
    rates_.of = are_epochs_ ? "epochs" : "blocks";
    return std::move(rates_);
  }

private:
  /// The mark's count is since the run's begin. A block's own may be its length.
  static bool is_total(const MlMark& mark) {
    return mark.kind == MlMarkKind::eval_start || mark.kind == MlMarkKind::run_stop;
  }

  std::optional<double> total_at(std::size_t i) const {
    if (is_total(marks_[i])) return counts_.at(marks_[i]);
    return i + 1 < marks_.size() && is_total(marks_[i + 1]) ? counts_.at(marks_[i + 1]) : std::nullopt;
  }

  void end_at(std::size_t i) {
    const auto total = total_at(i);
    if (begin_ != nullptr) add(*begin_, marks_[i], total);
    begin_ = nullptr;
    if (marks_[i].kind != MlMarkKind::eval_start) is_open_ = false;
    if (is_total(marks_[i]) || total) trained_ = total;
  }

  void add(const MlMark& begin, const MlMark& end, std::optional<double> total) {
    const auto samples = samples_between(begin, end, total);
    const double time_s = end.time_s - begin.time_s;
    if (!samples || *samples <= 0 || time_s <= 0) return;
    if (rates_.rates.empty()) rates_.first_line = begin.line;
    rates_.rates.push_back(*samples / time_s);
  }

  std::optional<double> samples_between(const MlMark& begin, const MlMark& end, std::optional<double> total) const {
    const auto from = counts_.at(begin);
    if (total && trained_) {
      const bool goes_on = *trained_ == 0 && begin.kind == start_ && from && *from < *total; // from a checkpoint
      return *total - (goes_on ? *from : *trained_);
    }
    const auto to = counts_.at(end);
    if (to && from && *to > *from) return *to - *from;
    if (to && from && *to == *from && end.samples_count > 0) return to; // both are the block's length
    if (!is_whole_ || !counts_.blocks_count()) return std::nullopt;
    if (are_epochs_) return counts_.of_epochs(1);
    return begin.epoch_count > 0 ? counts_.of_epochs(begin.epoch_count) : std::nullopt;
  }

  const std::vector<MlMark>& marks_;
  SampleCounts counts_;
  MlMarkKind start_;
  MlMarkKind stop_;
  bool are_epochs_;
  const MlMark* begin_ = nullptr;     ///< of the stretch
  bool is_whole_ = false;             ///< the stretch began with its block
  bool is_open_ = false;              ///< the block is not ended
  std::optional<double> trained_ = 0; ///< samples at the last evaluation's begin
  MlRates rates_;
};

std::vector<double> without_warm_up(std::vector<double> values) {
  if (values.size() >= enough_to_skip) values.erase(values.begin());
  return values;
}

/// One of the ways in which a log says how fast it trained.
struct MlClaim {
  std::string what;           ///< "step times that it states", "blocks of training"
  std::vector<double> values; ///< warm-up left out
  double rate = 0;            ///< samples a second: the values' median
  bool one_stretch = false;   ///< warm-up is in it
  bool has_evaluation = false;
};

MlClaim claim_of(std::string what, const std::vector<double>& values) {
  MlClaim claim{std::move(what), without_warm_up(values), 0, values.size() == 1, false};
  claim.rate = claim.values.empty() ? 0 : median(claim.values);
  return claim;
}

/// Whether the second can be right where the first is: warm-up and evaluation make it slower, and only that.
bool agree(const MlClaim& first, const MlClaim& second) {
  if (first.rate <= 0 || second.rate <= 0) return true;
  const double ratio = second.rate / first.rate;
  constexpr double most_warm_up = 0.5;
  const double most = 1 + most_disagreement_of_mllog;
  const bool may_be_slower = second.one_stretch || second.has_evaluation;
  const bool may_be_faster = first.one_stretch || first.has_evaluation;
  return ratio <= (may_be_faster ? most / most_warm_up : most) && ratio >= (may_be_slower ? most_warm_up : 1) / most;
}

void refuse_disagreement(const std::vector<MlClaim>& claims, const MlBenchmark& benchmark, const std::string& file) {
  for (std::size_t i = 0; i < claims.size(); ++i) {
    for (std::size_t k = i + 1; k < claims.size(); ++k) {
      if (agree(claims[i], claims[k])) continue;
      throw UserError(
          file, "",
          fmt::format("the log contradicts itself: the {} make {:.4g} {} a second, but the {} make {:.4g}; import a "
                      "log that says one thing",
                      claims[i].what, claims[i].rate, benchmark.samples, claims[k].what, claims[k].rate));
    }
  }
}

/// Throughput in samples; empty where it is in tokens and nobody says how many are a sample.
std::vector<double> rates_in_samples(const MlEvents& events, const MlBenchmark& benchmark) {
  if (!benchmark.rate_in_tokens) return events.rates;
  const double tokens = events.number("max_sequence_length");
  std::vector<double> rates;
  for (const double rate : events.rates)
    if (tokens > 0) rates.push_back(rate / tokens);
  return rates;
}

/// In the order in which they are believed.
std::vector<MlClaim> claims_of(const MlEvents& events, const MlBenchmark& benchmark, const MlRates& marks) {
  std::vector<MlClaim> claims;
  const double batch = events.number("global_batch_size");
  auto steps = claim_of("step times that it states (tracked_stats)", events.step_times_s);
  steps.rate = steps.rate > 0 ? batch / steps.rate : 0;
  claims.push_back(steps);
  claims.push_back(claim_of("rates that it states (throughput)", rates_in_samples(events, benchmark)));
  claims.back().has_evaluation = benchmark.rate_has_evaluation;
  claims.push_back(claim_of(marks.of + " of training", marks.rates));
  return claims;
}

std::string note_of(const MlClaim& claim, std::size_t had, const MlBenchmark& benchmark, bool are_rates) {
  const bool skips = had > claim.values.size();
  const char* in_tokens = benchmark.rate_in_tokens ? ", which the log gives in tokens" : "";
  const auto taken = are_rates
                         ? fmt::format("{:.4g} {} a second of all GPUs{}", claim.rate, benchmark.samples, in_tokens)
                         : fmt::format("{:.4g} s for a global batch", median(claim.values));
  return fmt::format("{} {} were read{}; their median was taken: {}", had, claim.what,
                     skips ? ", the first left out as warm-up" : "", taken);
}

} // namespace

MlRates rates_of_marks(const MlEvents& events, const MlBenchmark& benchmark) {
  auto rates = Stretches(events, benchmark, false).read();
  return rates.rates.empty() ? Stretches(events, benchmark, true).read() : rates;
}

MlSpeed speed_of(const MlEvents& events, const MlBenchmark& benchmark, const std::string& file) {
  const auto marks = rates_of_marks(events, benchmark);
  const auto claims = claims_of(events, benchmark, marks);
  refuse_disagreement(claims, benchmark, file);
  const auto taken =
      std::find_if(claims.begin(), claims.end(), [](const auto& claim) { return !claim.values.empty(); });
  if (taken == claims.end())
    throw UserError(file, "",
                    "found no training time: expected tracked_stats with train_step_time or throughput, or block_start "
                    "and block_stop (or epoch_start and epoch_stop) with samples_count, or with train_samples");
  MlSpeed speed;
  speed.values = taken->values;
  speed.are_rates = taken != claims.begin();
  const bool of_marks = taken + 1 == claims.end();
  speed.first_line = of_marks ? marks.first_line : events.first_stated_line;
  const auto had = of_marks ? marks.rates.size() : speed.are_rates ? events.rates.size() : events.step_times_s.size();
  speed.notes.push_back(note_of(*taken, had, benchmark, speed.are_rates));
  if (taken->has_evaluation)
    speed.notes.emplace_back("that rate is over the time of evaluations, too: training alone is faster");
  return speed;
}

} // namespace ddlsim
