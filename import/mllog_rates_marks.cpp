// Computes rates from the counts at the start and stop of blocks and epochs in an MLPerf log.
#include "import/mllog_rates.hpp"

#include <algorithm>
#include <optional>

namespace ddlsim {
namespace {

/// Converts counts of a log to samples; returns nothing if the log states too little.
class SampleCounts {
public:
  SampleCounts(const MlEvents& events, const MlBenchmark& benchmark) : counts_(benchmark.counts) {
    epoch_samples_ = events.number("train_samples");
    tokens_ = events.number("max_sequence_length");
    batch_ = events.number("global_batch_size");
  }

  /// Returns the samples that were trained since the start of the run.
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

  /// Returns the samples that an epoch_count or epoch_num stands for.
  std::optional<double> of_epochs(double count) const {
    switch (counts_) {
    case MlCount::samples:
      return count;
    case MlCount::tokens:
      return of_samples_count(count);
    case MlCount::epochs_or_samples:
      if (epoch_samples_ > 0 && count >= epoch_samples_) return count;
      break;
    case MlCount::share_of_epoch: // the first epoch is from 0 to 1, or from 1 to 2
      if (count >= 1) count -= 1;
      break;
    case MlCount::epochs:
      break;
    }
    return epoch_samples_ > 0 ? std::optional(count * epoch_samples_) : std::nullopt;
  }

  /// Whether a block's epoch_count is the length of the block. Some programs count the whole run as one epoch.
  bool blocks_count() const { return counts_ != MlCount::samples && counts_ != MlCount::share_of_epoch; }

private:
  MlCount counts_;
  double epoch_samples_ = 0;
  double tokens_ = 0;
  double batch_ = 0;
};

/// The stretches of training. A stretch begins with a block (or epoch), or after an evaluation in it. It ends with the
/// block or at the next evaluation.
class TrainingIntervals {
public:
  TrainingIntervals(const MlEvents& events, const MlBenchmark& benchmark, bool are_epochs)
      : marks_(events.marks), counts_(events, benchmark),
        start_(are_epochs ? MlMarkKind::epoch_start : MlMarkKind::block_start),
        stop_(are_epochs ? MlMarkKind::epoch_stop : MlMarkKind::block_stop), are_epochs_(are_epochs) {}

  MlRates read() {
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      const auto& mark = marks_[i];
      if (mark.kind == MlMarkKind::run_start) trained_ = 0;
      if (mark.kind == start_) {
        begin_ = i;
        is_whole_ = is_open_ = true;
      } else if (mark.kind == MlMarkKind::eval_stop && is_open_) {
        begin_ = i;
        is_whole_ = false;
      } else if (mark.kind == stop_ || mark.kind == MlMarkKind::eval_start || mark.kind == MlMarkKind::run_stop) {
        end_at(i);
      }
    }
    rates_.of = are_epochs_ ? "epochs" : "blocks";
    return std::move(rates_);
  }

private:
  /// Whether the mark's count is that since the start of the run. The count of a block may be the block's length.
  static bool is_total(const MlMark& mark) {
    return mark.kind == MlMarkKind::eval_start || mark.kind == MlMarkKind::run_stop;
  }

  std::optional<double> total_at(std::size_t i) const {
    if (is_total(marks_[i])) return counts_.at(marks_[i]);
    return i + 1 < marks_.size() && is_total(marks_[i + 1]) ? counts_.at(marks_[i + 1]) : std::nullopt;
  }

  void end_at(std::size_t i) {
    const auto total = total_at(i);
    if (begin_) {
      if (const auto samples = samples_between(marks_[*begin_], marks_[i], total))
        add(*samples, marks_[i].time_s - marks_[*begin_].time_s);
      else if (const auto whole = samples_of_whole(marks_[*begin_]); whole && is_whole_)
        add(*whole, time_of_whole_s(*begin_).value_or(0));
    }
    begin_.reset();
    if (marks_[i].kind != MlMarkKind::eval_start) is_open_ = false;
    if (is_total(marks_[i]) || total) trained_ = total;
  }

  void add(double samples, double time_s) {
    if (samples <= 0 || time_s <= 0) return;
    if (rates_.rates.empty()) rates_.first_line = marks_[*begin_].line;
    rates_.rates.push_back(samples / time_s);
  }

  /// Returns the samples between two marks by the counts at both.
  std::optional<double> samples_between(const MlMark& begin, const MlMark& end, std::optional<double> total) const {
    const auto from = counts_.at(begin);
    if (total && trained_) {
      // the run continues from a checkpoint
      const bool goes_on = *trained_ == 0 && begin.kind == start_ && from && *from < *total;
      return *total - (goes_on ? *from : *trained_);
    }
    const auto to = counts_.at(end);
    if (to && from && *to > *from) return *to - *from;
    if (to && from && *to == *from && end.samples_count > 0) return to; // both counts state the length of the block
    return std::nullopt;
  }

  /// Returns the samples of the whole block, as its start states them.
  std::optional<double> samples_of_whole(const MlMark& begin) const {
    if (!counts_.blocks_count()) return std::nullopt;
    if (are_epochs_) return counts_.of_epochs(1);
    return begin.epoch_count > 0 ? counts_.of_epochs(begin.epoch_count) : std::nullopt;
  }

  /// Returns the length of the block without the evaluations at its end. Returns nothing if there are evaluations in
  /// its middle, because training may wait for them or continue meanwhile.
  std::optional<double> time_of_whole_s(std::size_t begin) const {
    constexpr double most_unclear = 0.05; // share of the length that may be unclear
    std::size_t end = begin + 1;
    double evaluation_s = 0;
    std::optional<double> first_s;
    double last_s = 0;
    for (; end < marks_.size() && !ends_block(marks_[end]); ++end) {
      if (marks_[end].kind == MlMarkKind::eval_start && !first_s) first_s = marks_[end].time_s;
      if (marks_[end].kind == MlMarkKind::eval_start) last_s = marks_[end].time_s;
      if (marks_[end].kind == MlMarkKind::eval_stop && first_s) {
        evaluation_s += marks_[end].time_s - last_s;
        last_s = marks_[end].time_s;
      }
    }
    const double from_s = marks_[begin].time_s;
    const double length_s = marks_[std::min(end, marks_.size() - 1)].time_s - from_s;
    if (!first_s) return length_s;
    if (length_s - (*first_s - from_s) - evaluation_s <= most_unclear * length_s) return *first_s - from_s;
    return evaluation_s <= most_unclear * length_s ? std::optional(length_s - evaluation_s) : std::nullopt;
  }

  bool ends_block(const MlMark& mark) const {
    return mark.kind == stop_ || mark.kind == start_ || mark.kind == MlMarkKind::run_stop;
  }

  const std::vector<MlMark>& marks_;
  SampleCounts counts_;
  MlMarkKind start_;
  MlMarkKind stop_;
  bool are_epochs_;
  std::optional<std::size_t> begin_;  ///< number of the mark at which the stretch began
  bool is_whole_ = false;             ///< whether the stretch began with its block
  bool is_open_ = false;              ///< whether the block has not ended yet
  std::optional<double> trained_ = 0; ///< samples trained at the start of the last evaluation
  MlRates rates_;
};

} // namespace

MlRates rates_of_marks(const MlEvents& events, const MlBenchmark& benchmark) {
  auto rates = TrainingIntervals(events, benchmark, false).read();
  return rates.rates.empty() ? TrainingIntervals(events, benchmark, true).read() : rates;
}

} // namespace ddlsim
