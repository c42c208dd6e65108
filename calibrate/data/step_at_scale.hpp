#pragma once
// One scale of a series, asked in many samples.

#include "calibrate/data/fit_data.hpp"
#include "sim/iteration/step_cache.hpp"

namespace ddlsim {

/// What model_time_s() says, to the bit, without working out again what does not depend on the sample. For one thread;
/// the evidence must outlive it.
class CachedStep {
public:
  CachedStep(const SeriesData& fit_data, const DataPoint& point);

  /// Time in this sample. The next samples are compared with it, and what they have in common is not run again.
  double time_s(const Parameters& sample);
  /// Time in a sample beside that one, which stays the one that others are compared with.
  double time_without_caching_s(const Parameters& sample);

private:
  double run(const Parameters& sample);

  StepSetup setup_;
  Measured measured_;
  DataPoint point_;
  StepCache memory_;
};

} // namespace ddlsim
