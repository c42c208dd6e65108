#include "sim/formats/calibration.hpp"

namespace ddlsim {
namespace {

bool allows(const std::string& named, const std::string& asked) {
  return named.empty() || named == asked;
}

} // namespace

bool operator==(const CalibrationScope& a, const CalibrationScope& b) {
  return a.transport == b.transport && a.preset == b.preset && a.precision == b.precision && a.model == b.model &&
         a.batch_per_gpu == b.batch_per_gpu;
}

bool covers(const CalibrationScope& scope, const CalibrationScope& asked) {
  return allows(scope.transport, asked.transport) && allows(scope.preset, asked.preset) &&
         allows(scope.precision, asked.precision) && allows(scope.model, asked.model) &&
         (scope.batch_per_gpu == 0 || scope.batch_per_gpu == asked.batch_per_gpu);
}

} // namespace ddlsim
