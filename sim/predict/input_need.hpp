#pragma once
// What keeps the GPUs busy: bytes a second of storage, cores that decode, and which of them is the limit.

#include "sim/predict/scaling_curve.hpp"

#include <optional>
#include <vector>

namespace ddlsim {

/// Of a point whose times are set; nothing where the scenario has no input.
///   samples/s   GPUs x batch / (iteration - wait for input)
///   bytes/s     samples/s x bytes of a sample
///   cores       samples/s of a node / samples/s of a core
/// Their intervals are those of the samples' iterations without input, `to_number` as set_interval() has it, and of the
/// samples' own cores.
std::optional<InputNeed> find_input_need(const PredictedPoint& point, const Curve& curve, const StepSetup& setup,
                                         double to_number, const std::vector<double>& mechanism_s);

} // namespace ddlsim
