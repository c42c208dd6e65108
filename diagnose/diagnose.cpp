#include "diagnose/diagnose.hpp"

#include "diagnose/discriminating_point.hpp"
#include "diagnose/evidence.hpp"
#include "diagnose/headline.hpp"
#include "diagnose/possible_faults.hpp"
#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/predict/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace ddlsim {
namespace {

void check(const Curve& curve, const std::vector<Observation>& observations) {
  if (observations.empty()) throw UserError("", "", "no measured time found; give a log, a table of rates or --step");
  for (const auto& one : observations)
    if (const auto why = why_not_comparable(curve, one); !why.empty()) throw UserError(one.where, "", why);
}

/// Sets median and 90 % interval of the severity, whose values are weighted by their likelihood.
void set_severity(const Hypothesis& hypothesis, const std::vector<double>& ln_likelihoods, Cause& cause) {
  if (hypothesis.kind.row.severity == Severity::none) return;
  const double largest = *std::max_element(ln_likelihoods.begin(), ln_likelihoods.end());
  std::vector<Weighted> weighted;
  for (std::size_t i = 0; i < ln_likelihoods.size(); ++i)
    weighted.emplace_back(hypothesis.components[i].severity, std::exp(ln_likelihoods[i] - largest));
  cause.severity = weighted_quantile(weighted, 0.5);
  cause.severity_low = weighted_quantile(weighted, low_tail);
  cause.severity_high = weighted_quantile(weighted, high_tail);
}

/// Makes the cause of one hypothesis. Its `chance` is still ln of likelihood times prior weight; causes_of() normalises
/// it.
Cause cause_of(const Hypothesis& hypothesis, const Eigen::VectorXd& ln_times) {
  const auto likelihoods = ln_likelihoods(hypothesis, ln_times);
  Cause cause{hypothesis.kind.row};
  cause.curve = hypothesis.kind.curve;
  cause.chance = ln_mean(likelihoods) + std::log(hypothesis.kind.weight);
  set_severity(hypothesis, likelihoods, cause);
  return cause;
}

std::vector<Cause> causes_of(const std::vector<Hypothesis>& hypotheses, const Eigen::VectorXd& ln_times) {
  std::vector<Cause> causes;
  for (const auto& one : hypotheses) causes.push_back(cause_of(one, ln_times));
  double largest = causes.front().chance;
  for (const auto& one : causes) largest = std::max(largest, one.chance);
  double sum = 0;
  for (const auto& one : causes) sum += std::exp(one.chance - largest);
  for (auto& one : causes) one.chance = std::exp(one.chance - largest) / sum;
  std::stable_sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) { return a.chance > b.chance; });
  return causes;
}

/// Returns the advantage under which the times are at least 20 times as likely as under the cluster's own file, if
/// there is one.
std::optional<Cause> gain_of(const Hypotheses& all, const Eigen::VectorXd& ln_times) {
  constexpr double least_ratio = 20;
  const double as_stated = ln_density(all.healthy, ln_times);
  std::optional<Cause> best;
  for (const auto& one : all.gains) {
    auto gain = cause_of(one, ln_times);
    if (gain.chance < as_stated + std::log(least_ratio)) continue;
    if (!best || gain.chance > best->chance) best = std::move(gain);
  }
  return best;
}

/// Whether half of the points or more are below their 90 % intervals.
bool is_better(const std::vector<ComparedPoint>& points) {
  const auto faster = std::count_if(points.begin(), points.end(), [](const ComparedPoint& one) {
    return position_in(one.expected, one.observed.time_s) == PositionInInterval::faster;
  });
  return 2 * faster >= static_cast<std::ptrdiff_t>(points.size());
}

/// Returns the measurement that distinguishes the first two likely causes that have a name.
std::optional<DiscriminatingPoint> discriminating(const Curve& curve, const std::vector<Cause>& causes,
                                                  const std::vector<Observation>& points) {
  constexpr double least_chance_to_separate = 0.05;
  std::vector<const Cause*> named;
  for (const auto& one : causes)
    if (one.row.fault != Fault::none_of_these && one.chance >= least_chance_to_separate) named.push_back(&one);
  return named.size() < 2 ? std::nullopt : find_discriminating_point(curve, *named[0], *named[1], points);
}

/// Keeps every n-th size of a very long table, because neighbouring sizes carry the same information.
std::vector<Observation> thinned(const std::vector<Observation>& points) {
  constexpr std::size_t most_sizes = 32; // most sizes for each operation and number of GPUs
  std::map<std::pair<Measured, int>, std::vector<Observation>> tables;
  for (const auto& one : points) tables[{one.what, one.gpus}].push_back(one);
  std::vector<Observation> kept;
  for (const auto& [table, sizes] : tables) {
    const std::size_t count = std::min(most_sizes, sizes.size());
    for (std::size_t i = 0; i < count; ++i) kept.push_back(sizes[count > 1 ? i * (sizes.size() - 1) / (count - 1) : 0]);
  }
  return kept;
}

} // namespace

std::vector<Observation> merged(const std::vector<Observation>& observations) {
  struct Key {
    Measured what;
    int gpus;
    double size_bytes;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::vector<Observation>> points;
  for (const auto& one : observations) points[{one.what, one.gpus, one.size_bytes}].push_back(one);
  std::vector<Observation> all;
  for (const auto& [point, same] : points) {
    std::vector<double> times_s;
    for (const auto& one : same) times_s.push_back(one.time_s);
    all.push_back(same.front());
    all.back().time_s = median(times_s);
  }
  return all;
}

Diagnosis reach_verdict(const Hypotheses& all, const std::vector<double>& of_healthy, const Eigen::VectorXd& ln_times,
                        double level) {
  Diagnosis diagnosis;
  diagnosis.chance_if_healthy = chance_if_healthy(of_healthy, ln_evidence(all, ln_times));
  diagnosis.verdict = diagnosis.chance_if_healthy >= level ? Verdict::normal : Verdict::not_normal;
  diagnosis.causes = causes_of(all.faults, ln_times);
  return diagnosis;
}

Diagnosis diagnose(const Curve& curve, const std::vector<Observation>& observations, const DiagnosisOptions& options,
                   const OtherCurves& others) {
  check(curve, observations);
  const auto points = merged(observations);
  const auto compared = thinned(points);
  const auto all = hypotheses_of(curve, compared, others);
  Eigen::VectorXd ln_times(static_cast<Eigen::Index>(compared.size()));
  for (std::size_t i = 0; i < compared.size(); ++i)
    ln_times(static_cast<Eigen::Index>(i)) = std::log(compared[i].time_s);
  auto diagnosis =
      reach_verdict(all, healthy_evidence(all, options.seed, options.healthy_draws), ln_times, options.level);
  for (const auto& one : points) diagnosis.points.push_back({one, expected_time(curve, one)});
  Scales observed;
  bool only_collectives = true;
  for (const auto& one : points) {
    observed.insert(one.gpus);
    only_collectives = only_collectives && is_collective(one);
  }
  diagnosis.untested = untested_faults(curve, observed, only_collectives, others);
  diagnosis.headline = headline_of(curve, points);
  diagnosis.model = curve.setup.model.name;
  diagnosis.cluster = curve.setup.cluster.name;
  diagnosis.question = fmt::format("{} on {} with {} over {}", to_text(curve.setup.strategy), curve.setup.cluster.name,
                                   curve.setup.preset.name, curve.setup.transport.name);
  if (diagnosis.verdict == Verdict::not_normal)
    diagnosis.discriminating = discriminating(curve, diagnosis.causes, points);
  else if (is_better(diagnosis.points)) {
    diagnosis.verdict = Verdict::better;
    diagnosis.gain = gain_of(all, ln_times);
  }
  return diagnosis;
}

} // namespace ddlsim
