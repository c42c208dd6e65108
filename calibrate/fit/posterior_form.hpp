#pragma once
// What the measurements leave of the parameters: one region or several, a normal distribution or draws.

#include "sim/base/laplace_check.hpp"
#include "sim/formats/calibration.hpp"

#include <vector>

namespace ddlsim {

/// A region of the unknowns that explains the measurements, and its share of the posterior.
struct Mode {
  RobustFit fit;
  double log_evidence = 0; ///< by Laplace: -cost + ln det(covariance) / 2
  double share = 1;
};

/// Goes on with the other searches, now that the noise is judged, from where they ended. The likeliest region first, then
/// those that lie three standard deviations or more apart and have a fiftieth of the posterior.
std::vector<Mode> find_modes(const RobustProblem& robust, RobustFit fit, const std::vector<RobustFit>& others);

/// The normal distribution of the one region where importance weights let it stand (check_laplace); else draws, from
/// every region as many as its share says.
PosteriorForm form_of(const RobustProblem& robust, const std::vector<Mode>& modes,
                      const LaplaceCheckOptions& draws = {});

} // namespace ddlsim
