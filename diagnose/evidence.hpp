#pragma once
// Computes how well a healthy cluster, and each fault, explains the observed times.

#include "diagnose/diagnose.hpp"
#include "diagnose/likelihood.hpp"

#include <cstdint>
#include <optional>

namespace ddlsim {

/// One component of a mixture: sampled times around which observations scatter.
struct Component {
  double severity = 1;
  bool is_interpolated = false; ///< between two severities that were simulated
  Scatter scatter;
  Eigen::MatrixXd centres; ///< whitened, one column per sample
};

/// A fault with a component for each severity. "None of these" gives each time a factor of its own; its severity is the
/// standard deviation of ln of that factor.
struct Hypothesis {
  FaultKind kind;
  std::vector<Component> components;
};

/// The hypotheses that may explain the times of some points. They are made once and compared with any number of times.
struct Hypotheses {
  Component healthy;
  Component atypical; ///< healthy, but not typical of the cluster
  double share_of_atypical = 0;
  Eigen::VectorXd healthy_median; ///< ln of a healthy cluster's times in seconds
  std::vector<Hypothesis> faults; ///< the last is "none of these"
  std::vector<Hypothesis> gains;
};

/// Prior probability that no row of the table explains the times. An expert's estimate: a tenth of what slows clusters
/// has no row.
inline constexpr double share_of_none = 0.1;

Hypotheses hypotheses_of(const Curve& curve, const std::vector<Observation>& points, const OtherCurves& others);

/// `ln_times`: a row for each point, a column for each sample.
Component component_of(const Scatter& scatter, Eigen::MatrixXd ln_times, double severity);

/// ln of the component's density at the times, up to a constant that depends on the number of points. `left_out` as in
/// ln_likelihood().
double ln_density(const Component& component, const Eigen::VectorXd& ln_times, Eigen::Index left_out = -1);

/// ln of the density of each component.
std::vector<double> ln_likelihoods(const Hypothesis& hypothesis, const Eigen::VectorXd& ln_times);

/// ln of the mean of exp(logarithms).
double ln_mean(const std::vector<double>& logarithms);

/// ln of the density of the times for a healthy cluster, typical or not.
double ln_health(const Hypotheses& all, const Eigen::VectorXd& ln_times, Eigen::Index left_out = -1);

/// ln of the ratio of the faults' likelihood to a healthy cluster's. A time below the healthy median counts as the
/// median: being fast is no fault.
double ln_evidence(const Hypotheses& all, const Eigen::VectorXd& ln_times, Eigen::Index left_out = -1);

/// The evidence of `draws` healthy clusters. The times of each are drawn around one sample, which is left out of their
/// evidence because no real cluster equals one of the samples.
std::vector<double> healthy_evidence(const Hypotheses& all, std::uint64_t seed, int draws);

/// Share of healthy clusters with at least as much evidence of a fault; the cluster at hand counts as one of them.
double chance_if_healthy(const std::vector<double>& of_healthy, double evidence);

/// The verdict on times of the points that `all` was made for, and the causes with their probabilities. Points and
/// texts of the diagnosis stay empty.
Diagnosis reach_verdict(const Hypotheses& all, const std::vector<double>& of_healthy, const Eigen::VectorXd& ln_times,
                        double level);

/// Draws times of a healthy cluster.
class HealthySampler {
public:
  explicit HealthySampler(std::uint64_t seed);
  bool is_true_with(double share); ///< true with this probability
  /// ln of times, drawn around a whitened centre.
  Eigen::VectorXd draw_about(const Eigen::VectorXd& whitened_centre, const Scatter& scatter);

private:
  double deviate();
  std::uint64_t state_;
};

} // namespace ddlsim
