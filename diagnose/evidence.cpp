#include "diagnose/evidence.hpp"

#include "diagnose/possible_faults.hpp"
#include "diagnose/sampled_times.hpp"
#include "sim/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace ddlsim {
namespace {

constexpr FaultRow none_of_these{Fault::none_of_these,
                                 "none of these",
                                 "a cause that is not in this list",
                                 "look at what changed since it was last fast; time one node after another",
                                 true,
                                 Severity::none,
                                 1,
                                 nullptr};

/// Standard deviations of ln of the factor that each time has of its own under "none of these". They are equally likely
/// before the data.
constexpr double spreads_of_none[] = {0.25, 0.5, 1};

/// Adds four components between each two simulated ones. Between them ln of a time is almost linear in ln of the
/// severity.
std::vector<Component> with_interpolated(std::vector<Component> run) {
  constexpr int parts = 5;
  std::vector<Component> all;
  for (std::size_t i = 0; i < run.size(); ++i) {
    for (int part = 1; i > 0 && part < parts; ++part) {
      const double share = static_cast<double>(part) / parts;
      all.push_back({run[i - 1].severity * std::pow(run[i].severity / run[i - 1].severity, share), true, run[i].scatter,
                     (1 - share) * run[i - 1].centres + share * run[i].centres});
    }
    all.push_back(run[i]);
  }
  return all;
}

Hypothesis hypothesis_of(const SampledTimes& times, const Scatter& scatter, const FaultKind& kind) {
  std::vector<Component> run;
  for (const double severity : kind.severities)
    run.push_back(component_of(scatter, times.faulty(kind, severity), severity));
  return {kind, kind.row.severity == Severity::factor ? with_interpolated(std::move(run)) : std::move(run)};
}

Hypothesis unlisted_cause(const Eigen::MatrixXd& healthy_ln_times, const Scatter& scatter) {
  Hypothesis none{{none_of_these, {}, 1}, {}};
  for (const double spread : spreads_of_none)
    none.components.push_back(component_of(widened(scatter, spread), healthy_ln_times, spread));
  return none;
}

/// Normalises the prior weights to a sum of 1. The last hypothesis is "none of these".
void share_out(std::vector<Hypothesis>& faults) {
  double sum = 0;
  for (const auto& one : faults) sum += one.kind.weight;
  const double others = sum - faults.back().kind.weight;
  for (auto& one : faults) one.kind.weight *= (1 - share_of_none) / std::max(others, 1e-9);
  faults.back().kind.weight = others > 0 ? share_of_none : 1;
}

Eigen::VectorXd medians_of(const Eigen::MatrixXd& ln_times, const Eigen::VectorXd& mean) {
  Eigen::VectorXd healthy_median(ln_times.rows());
  for (Eigen::Index row = 0; row < ln_times.rows(); ++row) {
    const Eigen::RowVectorXd values = ln_times.row(row);
    healthy_median(row) = median({values.begin(), values.end()}) + mean(row);
  }
  return healthy_median;
}

double ln_mean_density(const Hypothesis& hypothesis, const Eigen::VectorXd& ln_times, Eigen::Index left_out) {
  std::vector<double> all;
  for (const auto& component : hypothesis.components)
    if (!component.is_interpolated) all.push_back(ln_density(component, ln_times, left_out));
  return ln_mean(all);
}

/// Returns 53 bits of splitmix64 (G. Steele, D. Lea and C. Flood, OOPSLA 2014) as a number strictly between 0 and 1.
double uniform(std::uint64_t& state) {
  constexpr double steps = 1ULL << 53U;
  std::uint64_t bits = (state += 0x9E3779B97F4A7C15);
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EB;
  bits ^= bits >> 31U;
  return (static_cast<double>(bits >> 11U) + 0.5) / steps;
}

} // namespace

Component component_of(const Scatter& scatter, Eigen::MatrixXd ln_times, double severity) {
  ln_times.colwise() += scatter.mean;
  for (Eigen::Index s = 0; s < ln_times.cols(); ++s) ln_times.col(s) = whitened(scatter, ln_times.col(s));
  return {severity, false, scatter, std::move(ln_times)};
}

double ln_density(const Component& component, const Eigen::VectorXd& ln_times, Eigen::Index left_out) {
  const double ln_determinant = component.scatter.factor.diagonal().array().log().sum();
  return ln_likelihood(component.centres, whitened(component.scatter, ln_times), left_out) - ln_determinant;
}

Hypotheses hypotheses_of(const Curve& curve, const std::vector<Observation>& points, const OtherCurves& others) {
  Scales scales;
  bool only_collectives = true;
  for (const auto& one : points) {
    scales.insert(one.gpus);
    only_collectives = only_collectives && is_collective(one);
  }
  const SampledTimes times(curve, points);
  const auto scatter = scatter_of(curve, points);
  const auto ln_times = times.healthy();
  const auto& atypical = only_collectives ? atypical_collectives : atypical_iterations;
  Hypotheses all{component_of(scatter, ln_times, 1),
                 component_of(scatter_of_atypical(scatter, atypical), ln_times, 1),
                 atypical.share,
                 medians_of(ln_times, scatter.mean),
                 {},
                 {}};
  const auto scatter_for = [&](const FaultKind& kind) {
    return kind.curve != nullptr ? scatter_of(*kind.curve, points) : scatter;
  };
  for (const auto& kind : possible_faults(curve, scales, only_collectives, others))
    all.faults.push_back(hypothesis_of(times, scatter_for(kind), kind));
  all.faults.push_back(unlisted_cause(ln_times, scatter));
  share_out(all.faults);
  for (const auto& kind : possible_gains(curve, scales, only_collectives, others))
    all.gains.push_back(hypothesis_of(times, scatter_for(kind), kind));
  return all;
}

double ln_mean(const std::vector<double>& logarithms) {
  const double largest = *std::max_element(logarithms.begin(), logarithms.end());
  double sum = 0;
  for (const double one : logarithms) sum += std::exp(one - largest);
  return largest + std::log(sum / static_cast<double>(logarithms.size()));
}

std::vector<double> ln_likelihoods(const Hypothesis& hypothesis, const Eigen::VectorXd& ln_times) {
  std::vector<double> all;
  for (const auto& component : hypothesis.components) all.push_back(ln_density(component, ln_times, -1));
  return all;
}

double ln_health(const Hypotheses& all, const Eigen::VectorXd& ln_times, Eigen::Index left_out) {
  const double healthy_median = std::log(1 - all.share_of_atypical) + ln_density(all.healthy, ln_times, left_out);
  if (all.share_of_atypical <= 0) return healthy_median;
  const double atypical = std::log(all.share_of_atypical) + ln_density(all.atypical, ln_times, left_out);
  return std::max(healthy_median, atypical) + std::log1p(std::exp(-std::abs(healthy_median - atypical)));
}

double ln_evidence(const Hypotheses& all, const Eigen::VectorXd& ln_times, Eigen::Index left_out) {
  const Eigen::VectorXd slower = ln_times.cwiseMax(all.healthy_median);
  std::vector<double> faults;
  for (const auto& one : all.faults)
    faults.push_back(ln_mean_density(one, slower, left_out) + std::log(one.kind.weight));
  return ln_mean(faults) - ln_health(all, slower, left_out);
}

std::vector<double> healthy_evidence(const Hypotheses& all, std::uint64_t seed, int draws) {
  HealthySampler healthy(seed);
  std::vector<double> evidence;
  for (int draw = 0; draw < draws; ++draw) {
    const Eigen::Index sample = draw % all.healthy.centres.cols();
    const auto& component = healthy.is_true_with(all.share_of_atypical) ? all.atypical : all.healthy;
    const auto drawn = healthy.draw_about(component.centres.col(sample), component.scatter);
    evidence.push_back(ln_evidence(all, drawn, sample));
  }
  return evidence;
}

double chance_if_healthy(const std::vector<double>& of_healthy, double evidence) {
  const auto as_unlikely =
      std::count_if(of_healthy.begin(), of_healthy.end(), [&](double one) { return one >= evidence; });
  return static_cast<double>(as_unlikely + 1) / static_cast<double>(of_healthy.size() + 1);
}

HealthySampler::HealthySampler(std::uint64_t seed) : state_(seed) {}

bool HealthySampler::is_true_with(double share) {
  return uniform(state_) < share;
}

/// A Student-t deviate: a normal one over the root of a chi-squared one with 4 degrees of freedom, which is -2 ln of
/// the product of two uniforms.
double HealthySampler::deviate() {
  const double normal = normal_quantile(uniform(state_));
  const double chi_squared = -2 * std::log(uniform(state_) * uniform(state_));
  return scale_of_deviations * normal / std::sqrt(chi_squared / freedom_of_deviations);
}

Eigen::VectorXd HealthySampler::draw_about(const Eigen::VectorXd& whitened_centre, const Scatter& scatter) {
  Eigen::VectorXd deviated = whitened_centre;
  for (auto& value : deviated) value += deviate();
  return scatter.factor * deviated;
}

} // namespace ddlsim
