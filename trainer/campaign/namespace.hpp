#pragma once
// One named network namespace, as `ip netns` has it.

#include <string>
#include <vector>

namespace ddltrain {

/// Names in /run/netns that begin so.
std::vector<std::string> namespaces_named(const std::string& prefix);

/// Kills every process in the namespace and removes it. One that is not there is no mistake.
void remove_namespace(const std::string& name);

/// Begins the names of everything that the running process makes: "ddltrain-PID-START-".
std::string own_name_prefix();

/// True when the name is one of this program's ("ddltrain-PID-START-...") and that process is no more.
bool is_left_over(const std::string& name);

/// Where folders of such names lie.
std::string temporary_root();

} // namespace ddltrain
