#pragma once
// Runs a simulation in a forked child, because SimGrid keeps global state and ends the process when something is wrong.

#include <functional>
#include <vector>

namespace ddlsim {

/// What `work` returns, computed in a child process. Whatever the child prints is kept from the terminal.
/// Throws std::runtime_error when the child throws (with its words), is killed (with the signal) or cannot be started;
/// then the end of what it printed is part of the message.
std::vector<double> run_in_child(const std::function<std::vector<double>()>& work);

} // namespace ddlsim
