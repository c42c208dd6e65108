#pragma once
// What shares a parameter: all that was measured over a transport, one stack, one model.

#include "sim/files/calibration.hpp"

#include <string>

namespace ddlsim {

/// The part of `full` that a parameter of that name depends on: the network's on the transport, what software costs on
/// the stack, compute on model, precision and batch. "form_residual" belongs to one series and has no scope.
CalibrationScope scope_of(const std::string& parameter, const CalibrationScope& full);

} // namespace ddlsim
