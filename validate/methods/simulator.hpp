#pragma once
// ddlsim as a method of the protocol: calibrated anew, in memory, from what a split shows; and without that.

#include "sim/formats/data_folder.hpp"
#include "validate/method.hpp"

#include <memory>

namespace ddlsim {

/// "ddlsim": for each cluster the fit of calibrate/fit/step_fit.hpp on the visible records, under the priors that were
/// not learnt from it; the series' residual at the scale asked for is estimated from its visible scales. Interval: 5 %
/// and 95 % of drawn samples. Cannot answer where the simulator cannot time the series (calibrate/data/fit_data.hpp).
std::unique_ptr<Method> make_simulator(const DataFolder& data);

/// "uncalibrated": the same without the fit: compute scaled to the series' own one-GPU time, all else at the priors.
std::unique_ptr<Method> make_uncalibrated(const DataFolder& data);

} // namespace ddlsim
