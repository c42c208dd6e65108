#pragma once
// Every SimGrid setting, in one place. SimGrid's types stay in the sources of this folder.

#include <cstdint>

namespace ddlsim {

/// SimGrid counts messages in whole units. A chunk of S/n bytes is not a whole number of bytes, so the simulation
/// counts in parts of a byte: sizes and rates both are multiplied by this, times stay.
constexpr double units_per_byte = 1048576;

/// A size as SimGrid takes it. Sizes up to 1.7e13 bytes fit.
std::uint64_t to_units(double size_bytes);

/// Starts SimGrid with the project's settings. Once per process, before anything else of SimGrid: it keeps global
/// state.
void start_simgrid();

} // namespace ddlsim
