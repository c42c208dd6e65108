#pragma once
// Computes the leave-one-out errors of a fit: the errors at series that are left out of it.

#include "calibrate/fit/step_problem.hpp"

#include <vector>

namespace ddlsim {

/// Fills in what `quality` says of evidence left out. Only steps of the cluster's own series are scored (transfers
/// where there are no steps), each with its one-GPU time known:
///   leave_one_out_error     each series, predicted by a fit without it
///   unmeasured_model_error  each model, predicted by a fit without its series that start from a measured one-GPU time;
///                           root of the mean over models of the mean square over a model's points on several GPUs
/// The fits without are a few steps from the whole fit (unknowns_without).
void add_left_out(CalibrationQuality& quality, StepProblem& problem, const RobustProblem& robust, const RobustFit& fit,
                  const std::vector<SeriesData>& series);

} // namespace ddlsim
