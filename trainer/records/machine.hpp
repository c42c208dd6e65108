#pragma once
// What the machine and its software say of themselves.

#include <istream>
#include <string>
#include <vector>

namespace ddltrain {

struct Machine {
  std::string processor; ///< "Intel(R) Xeon(R) ..."; "unknown processor" where the system does not say
  int cores = 0;         ///< of the machine, also those that this process is not bound to
  double memory_bytes = 0;
  std::string system; ///< kernel name and release
  std::string host;
};

Machine this_machine();

/// First "model name" in the text of /proc/cpuinfo; "unknown processor" without one.
std::string processor_name(std::istream& cpuinfo);

/// "Intel Xeon ..., 2 cores, 23.5 GiB, Linux 6.1": what nodes of one kind have in common, so without the host's name.
std::string machine_text(const Machine& machine);

/// Version of the NVIDIA driver that is loaded; "" without one.
std::string nvidia_driver_version();

/// Today in UTC, "2026-05-07".
std::string today();

/// Parts that are not empty, joined by ", ".
std::string join_parts(const std::vector<std::string>& parts);

} // namespace ddltrain
