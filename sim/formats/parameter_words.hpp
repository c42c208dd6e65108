#pragma once
// What a parameter is called, and how its value is written, where a person reads it.

#include <string>
#include <string_view>

namespace ddlsim {

/// "network rate reached" of nic_efficiency; of a name that has no words: the name with blanks.
std::string parameter_words(std::string_view name);

/// The value in a unit that people read, three digits: "58.6 us", "1.2 GB/s", "70.1 %" of a share, "x 1.02" of a factor.
std::string parameter_value(std::string_view name, const std::string& unit, double value);

/// The same with its interval in the value's unit: "58.6 us (41.3..82.9)".
std::string parameter_interval(std::string_view name, const std::string& unit, double value, double low, double high);

} // namespace ddlsim
