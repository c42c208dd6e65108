#include "sim/formats/calibration.hpp"

#include <cmath>

namespace ddlsim {
namespace {

/// A file has nine digits of a time.
bool allows(double named_s, double asked_s) {
  constexpr double rounding = 1e-6;
  return named_s == 0 || std::abs(named_s - asked_s) <= rounding * named_s;
}

bool allows(const std::string& named, const std::string& asked) {
  return named.empty() || named == asked;
}

} // namespace

bool covers(const CalibrationScope& scope, const CalibrationScope& asked) {
  return allows(scope.transport, asked.transport) && allows(scope.preset, asked.preset) &&
         (!scope.precision || scope.precision == asked.precision) && allows(scope.model, asked.model) &&
         (scope.batch_per_gpu == 0 || scope.batch_per_gpu == asked.batch_per_gpu) &&
         allows(scope.one_gpu_s, asked.one_gpu_s);
}

} // namespace ddlsim
