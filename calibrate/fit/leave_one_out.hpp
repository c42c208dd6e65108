#pragma once
// What a fit would be without some of its evidence, without fitting again.

#include "calibrate/fit/map_fit.hpp"

namespace ddlsim {

/// The likeliest coordinates without `count` of the residuals from `first` on: a few Gauss-Newton steps from the fit
/// with all of them, each of which asks for the residuals and none for their slopes, which stay those of the whole fit:
///   step = -(V + J^T W J)^-1 (V x + J^T W r)
/// with J, W, r the other rows' slopes, weights and residuals and V the coordinates' weights, shortened until it costs
/// less. Exact where residuals are linear and small; the prior stays.
Eigen::VectorXd z_scores_without(const MapFit& fit, Eigen::Index first, Eigen::Index count, const Residuals& residuals);

} // namespace ddlsim
