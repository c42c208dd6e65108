#pragma once
// Storage and loaders that a scenario names: how uncertain their rates are, and what keeps the GPUs busy.

#include "sim/formats/inputs.hpp"
#include "sim/formats/parameters.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ddlsim {

/// Sets `input` of all samples by Latin hypercubes of `block` samples, one after another, as draw_parameters() draws.
/// What one thing is does not depend on what another is: a storage that is slow for one node may be quick for all.
void draw_input(Draws& samples, const InputUncertainty& uncertainty, int block, std::uint64_t seed);

/// A factor that a person can measure.
struct InputFactorField {
  const char* name;
  double InputFactors::*value;
  const char* measured_by; ///< what a person runs to learn it
};
std::span<const InputFactorField> input_factor_fields();
bool is_input_factor(std::string_view name);

/// What the input must deliver at a point whose times are set; nothing where the scenario has no input.
///   samples/s   GPUs x batch / (iteration - wait for input)
///   bytes/s     samples/s x bytes of a sample
///   cores       samples/s of a node / samples/s of a core
/// Their intervals are those of the samples' iterations without input, `to_number` as set_interval() has it, and of the
/// samples' own cores.
std::optional<InputNeed> find_input_need(const PredictedPoint& point, const Curve& curve, const StepSetup& setup,
                                         double to_number, const std::vector<double>& mechanism_s);

} // namespace ddlsim
