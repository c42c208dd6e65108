#pragma once
// One point of a series, simulated in many samples.

#include "calibrate/data/fit_data.hpp"
#include "sim/iteration/step_cache.hpp"

namespace ddlsim {

/// model_time_s() to the bit, without repeating what does not depend on the sample. For one thread.
class CachedStep {
public:
  CachedStep(const SeriesData& fit_data, const DataPoint& point);

  /// Time in this sample. What the next samples have in common with it is not run again.
  double time_s(const Parameters& sample);
  /// Time in another sample; the next are still compared with the last that time_s() was asked for.
  double time_without_caching_s(const Parameters& sample);

private:
  double run(const Parameters& sample);

  StepSetup setup_;
  Measured measured_;
  DataPoint point_;
  StepCache memory_;
};

} // namespace ddlsim
