#pragma once
// The operations whose times are measured: an iteration, a collective alone, a message, an exchange with servers.

#include "sim/iteration/step.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// The operation whose time was measured.
enum class Measured { step, all_reduce, reduce_scatter, all_gather, all_to_all, message, push, pull, push_pull };

std::string to_text(Measured what); ///< "iteration", "all_reduce" and so on; collectives as records name them

/// Whether it is an operation of all ranks without training.
bool is_collective(Measured what);

/// Returns the collective that a record names; nothing if the model does not predict that collective alone.
std::optional<Measured> collective_named(const std::string& operation);

/// Seconds of one collective that runs alone, for one sample of the parameters, without the error of the model.
/// Reduce-scatter and all-gather run as NCCL runs them: as rings, with the protocol that it takes for a ring of that
/// size.
double collective_alone_s(const StepSetup& setup, const Parameters& sample, Measured what, double size_bytes);

} // namespace ddlsim
