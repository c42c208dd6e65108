#include "diagnose/diagnose.hpp"

#include "diagnose/likelihood.hpp"
#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

namespace ddlsim {
namespace {

/// Severities of a fault, equally far apart in their logarithm.
constexpr double least_severity = 1.1;
constexpr double most_severity = 8;
constexpr int severities = 12;

double severity_at(int step) {
  return least_severity * std::pow(most_severity / least_severity, step / (severities - 1.0));
}

/// One time for each point: the median where there are several.
std::vector<Observation> merged(const std::vector<Observation>& observations) {
  std::map<std::tuple<Observed, int, double>, std::vector<Observation>> points;
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

void check(const Curve& curve, const std::vector<Observation>& observations) {
  if (observations.empty()) throw UserError("", "", "no measured time found; give a log, a table of rates or --step");
  for (const auto& one : observations) {
    if (const auto why = why_impossible(curve, one.gpus); !why.empty()) throw UserError(one.where, "", why);
    if (one.what == Observed::all_reduce && is_parameter_server(curve.setup.strategy.name))
      throw UserError(one.where, "", "parameter servers do not all-reduce; give --strategy with one that does");
  }
}

/// Whitened times of all samples, healthy and at each severity of each fault.
struct Centres {
  Eigen::MatrixXd healthy;
  std::vector<FaultKind> kinds;
  std::vector<std::vector<Eigen::MatrixXd>> ill; ///< by kind, then severity
};

Eigen::MatrixXd whitened_centres(const Scatter& scatter, Eigen::MatrixXd ln_times) {
  ln_times.colwise() += scatter.mean;
  for (Eigen::Index s = 0; s < ln_times.cols(); ++s) ln_times.col(s) = whitened(scatter, ln_times.col(s));
  return ln_times;
}

/// A log of all-reduces says nothing of what only slows iterations.
std::vector<FaultKind> faults_for(const Curve& curve, const std::vector<Observation>& observations) {
  int largest = 1;
  bool iterations = false;
  for (const auto& one : observations) {
    largest = std::max(largest, one.gpus);
    iterations = iterations || one.what == Observed::iteration;
  }
  auto kinds = possible_faults(curve.setup, largest);
  if (!iterations) std::erase_if(kinds, [](const FaultKind& kind) { return !kind.slows_all_reduce; });
  return kinds;
}

Centres centres_of(const Curve& curve, const Scatter& scatter, const std::vector<Observation>& observations) {
  const SampledTimes times(curve, observations);
  Centres centres{whitened_centres(scatter, times.healthy()), faults_for(curve, observations), {}};
  for (const auto& kind : centres.kinds) {
    centres.ill.emplace_back();
    for (int step = 0; step < severities; ++step)
      centres.ill.back().push_back(whitened_centres(scatter, times.ill(kind, severity_at(step))));
  }
  return centres;
}

double ln_mean(const std::vector<double>& logarithms) {
  const double largest = *std::max_element(logarithms.begin(), logarithms.end());
  double sum = 0;
  for (const double one : logarithms) sum += std::exp(one - largest);
  return largest + std::log(sum / static_cast<double>(logarithms.size()));
}

/// By severity.
std::vector<double> ln_likelihoods(const std::vector<Eigen::MatrixXd>& ill, const Eigen::VectorXd& observed,
                                   Eigen::Index left_out = -1) {
  std::vector<double> all;
  for (const auto& centres : ill) all.push_back(ln_likelihood(centres, observed, left_out));
  return all;
}

/// ln of how much better faults explain the observations than health does.
double ln_evidence(const Centres& centres, const Eigen::VectorXd& observed, Eigen::Index left_out = -1) {
  std::vector<double> faults;
  for (const auto& ill : centres.ill) faults.push_back(ln_mean(ln_likelihoods(ill, observed, left_out)));
  return ln_mean(faults) - ln_likelihood(centres.healthy, observed, left_out);
}

/// Share of healthy observations with as much evidence of a fault, the one at hand counted among them. The sample that
/// an observation is drawn about takes no part in its evidence: no cluster is one of the samples.
double chance_if_healthy(const Centres& centres, const Eigen::VectorXd& observed, const DiagnosisOptions& options) {
  const double evidence = ln_evidence(centres, observed);
  std::mt19937_64 random(options.seed);
  const auto deviate = [&random] {
    constexpr double steps = 1ULL << 53;
    return normal_quantile((static_cast<double>(random() >> 11) + 0.5) / steps);
  };
  int as_ill = 1;
  for (int draw = 0; draw < options.healthy_draws; ++draw) {
    const Eigen::Index sample = draw % centres.healthy.cols();
    Eigen::VectorXd drawn = centres.healthy.col(sample);
    for (auto& value : drawn) value += deviate();
    if (ln_evidence(centres, drawn, sample) >= evidence) ++as_ill;
  }
  return as_ill / (options.healthy_draws + 1.0);
}

/// Median and 90 % of the severity, each as likely as its likelihood.
void set_severity(const std::vector<double>& ln_likelihoods, Cause& cause) {
  const double largest = *std::max_element(ln_likelihoods.begin(), ln_likelihoods.end());
  std::vector<Weighted> weighted;
  for (int step = 0; step < severities; ++step)
    weighted.emplace_back(severity_at(step), std::exp(ln_likelihoods[static_cast<std::size_t>(step)] - largest));
  cause.severity = weighted_quantile(weighted, 0.5);
  cause.severity_low = weighted_quantile(weighted, low_tail);
  cause.severity_high = weighted_quantile(weighted, high_tail);
}

std::vector<Cause> causes_of(const Centres& centres, const Eigen::VectorXd& observed) {
  std::vector<Cause> causes;
  std::vector<double> evidences;
  for (std::size_t k = 0; k < centres.kinds.size(); ++k) {
    const auto likelihoods = ln_likelihoods(centres.ill[k], observed);
    causes.push_back({centres.kinds[k]});
    set_severity(likelihoods, causes.back());
    evidences.push_back(ln_mean(likelihoods));
  }
  const double all = ln_mean(evidences);
  for (std::size_t k = 0; k < causes.size(); ++k)
    causes[k].chance = std::exp(evidences[k] - all) / static_cast<double>(causes.size());
  std::stable_sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) { return a.chance > b.chance; });
  return causes;
}

Judged judged(const Curve& curve, const Observation& one) {
  if (one.what == Observed::all_reduce) return {one, predict_collective(curve, one.gpus, one.size_bytes).time};
  const auto point = predict_point(curve, one.gpus, Fidelity::automatic).point;
  if (!point.error.empty()) throw UserError(one.where, "", point.error);
  return {one, {point.iteration_s, point.iteration_s_low, point.iteration_s_high}};
}

} // namespace

Diagnosis diagnose(const Curve& curve, const std::vector<Observation>& observations, const DiagnosisOptions& options) {
  check(curve, observations);
  const auto points = merged(observations);
  Diagnosis diagnosis;
  diagnosis.question = fmt::format("{} on {} with {} over {}", to_text(curve.setup.strategy), curve.setup.cluster.name,
                                   curve.setup.preset.name, curve.setup.transport.name);
  for (const auto& one : points) diagnosis.points.push_back(judged(curve, one));
  const auto scatter = scatter_of(curve, points);
  const auto centres = centres_of(curve, scatter, points);
  Eigen::VectorXd ln_times(static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) ln_times(static_cast<Eigen::Index>(i)) = std::log(points[i].time_s);
  const auto observed = whitened(scatter, ln_times);
  diagnosis.chance_if_healthy = chance_if_healthy(centres, observed, options);
  diagnosis.is_normal = diagnosis.chance_if_healthy >= options.level;
  diagnosis.causes = causes_of(centres, observed);
  if (!diagnosis.is_normal && diagnosis.causes.size() > 1)
    diagnosis.tell_apart = telling_measurement(curve, diagnosis.causes[0], diagnosis.causes[1], points);
  return diagnosis;
}

} // namespace ddlsim
