#pragma once
// The closed queueing network of an asynchronous parameter server, run by drawn computes.

#include "sim/parameter_server/async_network.hpp"

namespace ddlsim {

/// The network of `async_closed_form` followed in time: each worker draws its computes, and its messages share the
/// busiest server by max-min fairness. Nothing is assumed of the workers' phases, so it also holds where they gather.
/// More than 64 workers are grouped into 64 customers. Same seed, same numbers. 5 ms for 2 workers, 0.1 s for 64 and
/// more.
AsyncTiming async_reduced(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async);

} // namespace ddlsim
