#pragma once
// One scale of a series, asked in many worlds.

#include "calibrate/data/fit_data.hpp"
#include "sim/iteration/step_cache.hpp"

namespace ddlsim {

/// What model_time_s() says, to the bit, without working out again what does not depend on the world. For one thread;
/// the evidence must outlive it.
class ScaleModel {
public:
  ScaleModel(const SeriesEvidence& evidence, const EvidencePoint& point);

  /// Time in this world. The next worlds are compared with it, and what they have in common is not run again.
  double time_s(const Parameters& world);
  /// Time in a world beside that one, which stays the one that others are compared with.
  double time_beside_s(const Parameters& world);

private:
  double run(const Parameters& world);

  StepSetup setup_;
  Measured measured_;
  EvidencePoint point_;
  StepMemory memory_;
};

} // namespace ddlsim
