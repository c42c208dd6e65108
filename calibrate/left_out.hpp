#pragma once
// What a fit would be without some of its evidence, without fitting again.

#include "calibrate/map_fit.hpp"

namespace ddlsim {

/// The likeliest coordinates without `count` of the residuals from `first` on, by one Gauss-Newton step from the fit
/// with all of them: with J, W, r their slopes, weights and residuals and C the covariance,
///   moved = C J^T W (I - J C J^T W)^-1 r
/// (J of these rows; Woodbury's identity on (C^-1 - J^T W J)^-1 J^T W r). Exact where residuals are linear and weights
/// do not change; what the prior says stays.
Eigen::VectorXd coordinates_without(const MapFit& fit, Eigen::Index first, Eigen::Index count);

} // namespace ddlsim
