#include "calibrate/data/step_at_scale.hpp"

#include "calibrate/data/transfer_time.hpp"

namespace ddlsim {

ScaleModel::ScaleModel(const SeriesEvidence& evidence, const EvidencePoint& point)
    : setup_(setup_at(evidence, point)), measured_(evidence.measured), point_(point) {}

double ScaleModel::time_s(const Parameters& world) {
  memory_.learns = true;
  return run(world);
}

double ScaleModel::time_beside_s(const Parameters& world) {
  memory_.learns = false;
  return run(world);
}

double ScaleModel::run(const Parameters& world) {
  if (measured_ != Measured::step) return bare_transfer_s(measured_, setup_, point_, world);
  return time_step(setup_, world, Fidelity::quick, memory_).iteration_s;
}

} // namespace ddlsim
