#pragma once
// Slurm's lists of names: "gpu[01-08,11],login1".

#include <string>
#include <vector>

namespace ddlsim {

/// Every name of the list, "rack[1-2]n[1-4]" with all combinations; numbers keep their leading zeros. No more than
/// 100,000: a longer list ends there. What is no list is one name.
std::vector<std::string> host_names(const std::string& list);

} // namespace ddlsim
