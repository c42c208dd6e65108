#pragma once
// End-to-end step times of one cluster, fitted with the simulator in the loop.

#include "calibrate/data/fit_data.hpp"
#include "sim/base/laplace_check.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/predict/residual_process.hpp"

#include <vector>

namespace ddlsim {

/// Of a fit's priors: the tail is heavier than a normal's, so that records win where they say much.
inline constexpr Loss step_prior_loss = Loss::cauchy;

struct StepFitOptions {
  ModelConstants constants{};
  ResidualProcess residual_process() const; ///< before the data say how far series are off
  int noise_rounds = 2;                     ///< fits after which the spread is judged again, by transport
  int threads = 1;                          ///< no fit depends on it
  LaplaceCheckOptions draws{};              ///< how the posterior is checked and drawn from
};

/// Fits all series of a cluster at once. The free parameters (calibrate/fit/free_parameters.hpp) come out at their
/// likeliest under their priors. Residuals ln(measured / model) of one series are correlated by the residual process
/// and heavy-tailed once whitened; their spread is estimated for each transport. A series without points adds its
/// parameters at their priors. The calibration gets parameters, correlation, series, algorithm choices and quality; its
/// leave-one-out error predicts each series from a fit without it (unknowns_without).
Calibration fit_steps(const std::vector<SeriesData>& series, const StepFitOptions& options);

// What the measurements leave of the parameters: one region or several, a normal distribution or draws.

/// A region of the unknowns that explains the measurements, and its share of the posterior.
struct Mode {
  RobustFit fit;
  double log_evidence = 0; ///< -cost + ln det(covariance) / 2, Laplace's, + LaplaceCheck::ln_mean_weight
  double share = 1;
};

/// Goes on with the other searches, now that the noise is judged, from where they ended. The likeliest region first,
/// then those that have a fiftieth of the posterior. Two ends are of two regions where the normal distribution about
/// either spreads beyond three standard deviations of the other in some direction: regions that meet at a corner do,
/// though their ends may be near. An end within another's region (the bend where a bound begins) is no region: the one
/// of more evidence stands for both.
std::vector<Mode> find_modes(const RobustProblem& robust, RobustFit fit, const std::vector<RobustFit>& others,
                             const LaplaceCheckOptions& draws = {});

/// The normal distribution of the one region where importance weights let it stand (check_laplace); else draws, from
/// every region as many as its share says.
PosteriorForm form_of(const RobustProblem& robust, const std::vector<Mode>& modes,
                      const LaplaceCheckOptions& draws = {});

/// Standard deviation of what the measurements leave of that parameter's z-score; where several regions explain them,
/// of all regions: what they disagree about was not learnt.
double doubt_left(const Calibration& calibration, std::size_t parameter);

} // namespace ddlsim
