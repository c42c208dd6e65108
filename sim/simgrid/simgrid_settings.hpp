#pragma once
// Every SimGrid setting, in one place. SimGrid's types stay in the sources of this folder.

#include <cstdint>
#include <span>

namespace ddlsim {

/// SimGrid counts messages in whole units. A chunk of S/n bytes is not a whole number of bytes, so the simulation
/// counts in parts of a byte: sizes and rates both are multiplied by this, times stay.
constexpr double units_per_byte = 1048576;

/// A size as SimGrid takes it. Sizes up to 1.7e13 bytes fit.
std::uint64_t to_units(double size_bytes);

/// The settings that decide simulated times, "name:value" as SimGrid's --cfg takes them: for runs beside ours that must
/// be on the same network.
std::span<const char* const> simulated_time_settings();

/// Starts SimGrid with the project's settings. Once per process, before anything else of SimGrid: it keeps global
/// state.
void start_simgrid();

} // namespace ddlsim
