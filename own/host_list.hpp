#pragma once
// Expands Slurm's lists of names, such as "gpu[01-08,11],login1".

#include <string>
#include <vector>

namespace ddlsim {

/// Returns every name of the list, at most 100,000. "rack[1-2]n[1-4]" gives all combinations, and numbers keep their
/// leading zeros. A text that is no list is one name.
std::vector<std::string> host_names(const std::string& list);

} // namespace ddlsim
