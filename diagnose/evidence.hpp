#pragma once
// How well health, and each fault, explain what was observed.

#include "diagnose/diagnose.hpp"
#include "diagnose/likelihood.hpp"

#include <cstdint>
#include <optional>

namespace ddlsim {

/// One way in which the times come about: samples about which they spread.
struct Form {
  double severity = 1;
  bool between = false; ///< interpolated from its neighbours
  Scatter scatter;
  Eigen::MatrixXd centres; ///< whitened, a column a sample
};

/// A fault over its severities. Of "none of these" each time has a factor of its own, and the severity is that factor's
/// standard deviation.
struct Hypothesis {
  FaultKind kind;
  std::vector<Form> forms;
};

/// All that may explain times of some points. They can be asked about many times.
struct Hypotheses {
  Form healthy;
  Form unlike; ///< healthy, and unlike what is known of the cluster
  double share_of_unlike = 0;
  Eigen::VectorXd usual;          ///< ln of a healthy cluster's times, the median of its samples
  std::vector<Hypothesis> faults; ///< the last: none of these
  std::vector<Hypothesis> gains;
};

/// Of times that no row of the table explains, before anything was measured. Judged: a tenth of what slows clusters
/// has no row.
inline constexpr double share_of_none = 0.1;

Hypotheses hypotheses_of(const Curve& curve, const std::vector<Observation>& points, const OtherCurves& others);

/// A row of `ln_times` a point, a column a sample.
Form form_of(const Scatter& scatter, Eigen::MatrixXd ln_times, double severity);

/// ln of its density at the times, but for a constant of the number of points. `left_out` as in ln_likelihood().
double ln_density(const Form& form, const Eigen::VectorXd& ln_times, Eigen::Index left_out = -1);

/// By form, at all severities or at those that were run.
std::vector<double> ln_likelihoods(const Hypothesis& hypothesis, const Eigen::VectorXd& ln_times);

/// ln of the mean of exp.
double ln_mean(const std::vector<double>& logarithms);

/// ln of how likely the times are for a healthy cluster, the unlike ones among them.
double ln_health(const Hypotheses& all, const Eigen::VectorXd& ln_times, Eigen::Index left_out = -1);

/// ln of how much better faults explain the times than health does. A time below the usual one counts as that: faster is
/// no fault.
double ln_evidence(const Hypotheses& all, const Eigen::VectorXd& ln_times, Eigen::Index left_out = -1);

/// Evidence that healthy clusters show, drawn one after another. The sample that times are drawn about takes no part in
/// their evidence: no cluster is one of the samples.
std::vector<double> healthy_evidence(const Hypotheses& all, std::uint64_t seed, int draws);

/// Share of healthy clusters that show as much evidence of a fault, the one at hand counted among them.
double chance_if_healthy(const std::vector<double>& of_healthy, double evidence);

/// The verdict on times of the points that `all` was made of, and the causes with their chances; no points, no words.
Diagnosis judge(const Hypotheses& all, const std::vector<double>& of_healthy, const Eigen::VectorXd& ln_times,
                double level);

/// Times of a healthy cluster: about a whitened centre, as `scatter` has them.
class HealthyDraws {
public:
  explicit HealthyDraws(std::uint64_t seed);
  bool is_of(double share); ///< with that probability
  Eigen::VectorXd about(const Eigen::VectorXd& whitened_centre, const Scatter& scatter);

private:
  double deviate();
  std::uint64_t state_;
};

} // namespace ddlsim
