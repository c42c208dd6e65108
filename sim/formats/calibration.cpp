#include "sim/formats/calibration.hpp"

namespace ddlsim {
namespace {

bool allows(const std::string& named, const std::string& asked) {
  return named.empty() || named == asked;
}

} // namespace

bool covers(const CalibrationScope& scope, const CalibrationScope& asked) {
  return allows(scope.transport, asked.transport) && allows(scope.preset, asked.preset) &&
         (!scope.precision || scope.precision == asked.precision) && allows(scope.model, asked.model) &&
         (scope.batch_per_gpu == 0 || scope.batch_per_gpu == asked.batch_per_gpu);
}

} // namespace ddlsim
