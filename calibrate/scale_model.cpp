#include "calibrate/scale_model.hpp"

namespace ddlsim {

ScaleModel::ScaleModel(const SeriesEvidence& evidence, const EvidencePoint& point)
    : setup_(setup_at(evidence, point)), size_bytes_(point.size_bytes) {}

double ScaleModel::time_s(const Parameters& world) {
  memory_.learns = true;
  return run(world);
}

double ScaleModel::time_beside_s(const Parameters& world) {
  memory_.learns = false;
  return run(world);
}

double ScaleModel::run(const Parameters& world) {
  if (size_bytes_ > 0) return bare_all_reduce_s(setup_, size_bytes_, world);
  return time_step(setup_, world, Fidelity::quick, memory_).iteration_s;
}

} // namespace ddlsim
