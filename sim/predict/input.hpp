#pragma once
// The storage and loaders that a scenario names: how uncertain their rates are, and what rate keeps the GPUs busy.

#include "sim/formats/inputs.hpp"
#include "sim/formats/parameters.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ddlsim {

/// Sets `input` of all samples by Latin hypercubes of `block` samples each, as draw_parameters() does. The factors are
/// independent of each other: a storage that is slow for one node may be fast for all nodes together.
void draw_input(Draws& samples, const InputUncertainty& uncertainty, int block, std::uint64_t seed);

/// A factor on the input's rates that a user can measure.
struct InputFactorField {
  const char* name;
  double InputFactors::*value;
  const char* measured_by; ///< the command or benchmark that measures it
};
std::span<const InputFactorField> input_factor_fields();
bool is_input_factor(std::string_view name);

/// Returns what the input must deliver at a point whose times are set; nothing when the scenario has no input:
///   samples/s   GPUs x batch / (iteration - wait for input)
///   bytes/s     samples/s x bytes of a sample
///   cores       samples/s of a node / samples/s of a core
/// The intervals are those of the samples' iterations without input, with `to_number` as in set_interval(), and of the
/// samples' own rates of a core.
std::optional<InputNeed> find_input_need(const PredictedPoint& point, const Curve& curve, const StepSetup& setup,
                                         double to_number, const std::vector<double>& mechanism_s);

} // namespace ddlsim
