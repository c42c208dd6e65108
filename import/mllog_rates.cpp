#include "import/mllog_rates.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double most_disagreement_of_mllog = 0.05;
constexpr std::size_t enough_to_skip = 3; ///< number of values from which the first is left out as warm-up

std::vector<double> without_warm_up(std::vector<double> values) {
  if (values.size() >= enough_to_skip) values.erase(values.begin());
  return values;
}

/// One of the sources that show the training speed of a log.
struct MlClaim {
  std::string what;           ///< "step times that it states" or "blocks of training"
  std::vector<double> values; ///< values without the warm-up
  double rate = 0;            ///< samples per second by the median of the values
  bool one_stretch = false;   ///< whether the log states a single stretch, which includes the warm-up
  bool has_evaluation = false;
};

MlClaim claim_of(std::string what, const std::vector<double>& values) {
  MlClaim claim{std::move(what), without_warm_up(values), 0, values.size() == 1, false};
  claim.rate = claim.values.empty() ? 0 : median(claim.values);
  return claim;
}

/// Whether the second claim is possible if the first one is right. Warm-up and evaluation can only make it slower.
bool agree(const MlClaim& first, const MlClaim& second) {
  if (first.rate <= 0 || second.rate <= 0) return true;
  const double ratio = second.rate / first.rate;
  constexpr double most_warm_up = 0.5;
  const double most = 1 + most_disagreement_of_mllog;
  const bool may_be_slower = second.one_stretch || second.has_evaluation;
  const bool may_be_faster = first.one_stretch || first.has_evaluation;
  return ratio <= (may_be_faster ? most / most_warm_up : most) && ratio >= (may_be_slower ? most_warm_up : 1) / most;
}

/// Writes a rate, as in "25000" or "12.5".
std::string rate_text(double rate) {
  constexpr double whole_from = 1000;
  return rate >= whole_from ? fmt::format("{:.0f}", rate) : fmt::format("{:.4g}", rate);
}

void refuse_disagreement(const std::vector<MlClaim>& claims, const MlBenchmark& benchmark, const std::string& file) {
  for (std::size_t i = 0; i < claims.size(); ++i) {
    for (std::size_t k = i + 1; k < claims.size(); ++k) {
      if (agree(claims[i], claims[k])) continue;
      throw UserError(
          file, "",
          fmt::format("the log contradicts itself: the {} make {} {} a second, but the {} make {}; import a "
                      "log that says one thing",
                      claims[i].what, rate_text(claims[i].rate), benchmark.samples, claims[k].what,
                      rate_text(claims[k].rate)));
    }
  }
}

/// Returns throughputs in samples; none if they are in tokens and the tokens of a sample are not known.
std::vector<double> rates_in_samples(const MlEvents& events, const MlBenchmark& benchmark) {
  if (!benchmark.rate_in_tokens) return events.rates;
  const double tokens = events.number("max_sequence_length");
  std::vector<double> rates;
  for (const double rate : events.rates)
    if (tokens > 0) rates.push_back(rate / tokens);
  return rates;
}

/// Returns the claims, the most reliable first.
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
  const auto taken =
      are_rates ? fmt::format("{} {} a second of all GPUs{}", rate_text(claim.rate), benchmark.samples, in_tokens)
                : fmt::format("{:.4g} s for a global batch", median(claim.values));
  return fmt::format("{} {} were read{}; their median was taken: {}", had, claim.what,
                     skips ? ", the first left out as warm-up" : "", taken);
}

[[noreturn]] void refuse_silence(const MlEvents& events, const MlBenchmark& benchmark, const std::string& file) {
  const bool lacks_length = benchmark.counts == MlCount::tokens && events.number("max_sequence_length") == 0;
  throw UserError(file, "",
                  fmt::format("found no training time: expected tracked_stats with train_step_time or throughput, or "
                              "block_start and block_stop (or epoch_start and epoch_stop) with samples_count, or with "
                              "train_samples{}",
                              lacks_length ? "; its counts are tokens, and no max_sequence_length says how many make a "
                                             "sequence"
                                           : ""));
}

} // namespace

MlSpeed speed_of(const MlEvents& events, const MlBenchmark& benchmark, const std::string& file) {
  const auto marks = rates_of_marks(events, benchmark);
  const auto claims = claims_of(events, benchmark, marks);
  refuse_disagreement(claims, benchmark, file);
  const auto taken =
      std::find_if(claims.begin(), claims.end(), [](const auto& claim) { return !claim.values.empty(); });
  if (taken == claims.end()) refuse_silence(events, benchmark, file);
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
