#pragma once
// The doubt about storage and loaders that a scenario names: drawn with the other samples, from a stream of its own, so
// that a scenario that names none has the samples that it always had.

#include "sim/formats/inputs.hpp"
#include "sim/formats/parameters.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace ddlsim {

/// Sets `input` of all samples by Latin hypercubes of `block` samples, one after another, as draw_parameters() draws.
/// What one thing is does not depend on what another is: a storage that is slow for one node may be quick for all.
void draw_input(Draws& samples, const InputDoubts& doubts, int block, std::uint64_t seed);

/// A factor that a person can measure.
struct InputFactorField {
  const char* name;
  double InputFactors::*value;
  const char* measured_by; ///< what a person runs to learn it
};
std::span<const InputFactorField> input_factor_fields();
bool is_input_factor(std::string_view name);

} // namespace ddlsim
