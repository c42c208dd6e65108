#pragma once
// Words for a parameter's name, and its value as text, for people.

#include <string>
#include <string_view>

namespace ddlsim {

/// Returns "network rate reached" for nic_efficiency; for a name without words, the name with blanks.
std::string parameter_words(std::string_view name);

/// Writes a value with three digits in a readable unit: "58.6 us", "1.2 GB/s", "70.1 %" for a share, "x 1.02" for a
/// factor.
std::string parameter_value(std::string_view name, const std::string& unit, double value);

/// Writes the value with its interval in the same unit: "58.6 us (41.3..82.9)".
std::string parameter_interval(std::string_view name, const std::string& unit, double value, double low, double high);

} // namespace ddlsim
