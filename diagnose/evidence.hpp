#pragma once
// Computes how well a healthy cluster, and each fault, explains the observed times.

#include "diagnose/diagnose.hpp"
#include "diagnose/likelihood.hpp"

#include <cstdint>
#include <optional>

namespace ddlsim {

/// One component of a mixture: the sampled times around which observations scatter.
struct Component {
  double severity = 1;
  bool is_interpolated = false; ///< whether the component lies between two simulated severities
  Scatter scatter;
  Eigen::MatrixXd centres; ///< whitened times, one column for each sample
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
  Component atypical; ///< healthy times of a log that is not typical of the cluster
  double share_of_atypical = 0;
  Eigen::VectorXd healthy_median; ///< median of ln of a healthy cluster's times in seconds
  std::vector<Hypothesis> faults; ///< the faults; the last one is "none of these"
  std::vector<Hypothesis> gains;
};

/// Prior probability that no row of the table of faults explains the times. It is an expert's estimate: a tenth of what
/// slows clusters has no row.
inline constexpr double share_of_none = 0.1;

Hypotheses hypotheses_of(const Curve& curve, const std::vector<Observation>& points, const OtherCurves& others);

/// Makes a component. `ln_times` has a row for each point and a column for each sample.
Component component_of(const Scatter& scatter, Eigen::MatrixXd ln_times, double severity);

/// ln of the component's density at the times. A constant that depends on the number of points is left out. `left_out`
/// is as in ln_likelihood().
double ln_density(const Component& component, const Eigen::VectorXd& ln_times, Eigen::Index left_out = -1);

/// ln of the density of each component.
std::vector<double> ln_likelihoods(const Hypothesis& hypothesis, const Eigen::VectorXd& ln_times);

/// ln of the mean of exp(logarithms).
double ln_mean(const std::vector<double>& logarithms);

/// ln of the density of the times for a healthy cluster, typical or not.
double ln_health(const Hypotheses& all, const Eigen::VectorXd& ln_times, Eigen::Index left_out = -1);

/// ln of the ratio of the faults' likelihood to that of a healthy cluster. A time below the healthy median counts as
/// the median, because being fast is no fault.
double ln_evidence(const Hypotheses& all, const Eigen::VectorXd& ln_times, Eigen::Index left_out = -1);

/// The evidence of `draws` healthy clusters. The times of each are drawn around one sample, which is left out of their
/// evidence because no real cluster equals one of the samples.
std::vector<double> healthy_evidence(const Hypotheses& all, std::uint64_t seed, int draws);

/// Share of healthy clusters that have at least as much evidence of a fault. The observed cluster counts as one of
/// them.
double chance_if_healthy(const std::vector<double>& of_healthy, double evidence);

/// Returns the verdict on times of the points for which `all` was made, and the causes with their probabilities. The
/// points and texts of the diagnosis stay empty.
Diagnosis reach_verdict(const Hypotheses& all, const std::vector<double>& of_healthy, const Eigen::VectorXd& ln_times,
                        double level);

/// Draws times of a healthy cluster.
class HealthySampler {
public:
  explicit HealthySampler(std::uint64_t seed);
  bool is_true_with(double share); ///< returns true with this probability
  /// Returns ln of times that are drawn around a whitened centre.
  Eigen::VectorXd draw_about(const Eigen::VectorXd& whitened_centre, const Scatter& scatter);

private:
  double deviate();
  std::uint64_t state_;
};

} // namespace ddlsim
