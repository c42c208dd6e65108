#pragma once
// An iteration may run several all-reduce algorithms; each is timed as closely as it can be.

#include "sim/simgrid/executor.hpp"

#include <map>

namespace ddlsim {

/// Times all-reduces by the requested fidelity, or as closely to it as choose_all_reduce() finds affordable for their
/// algorithm, those before it counted. `choice` then says how: the least close way of all, with the widest gap of all.
/// For one thread.
class SumExecutor : public Executor {
public:
  /// `choice` must outlive this.
  SumExecutor(Fidelity requested, Choice& choice) : requested_(requested), choice_(choice) {}

  SimulatedTimes all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes,
                             Algorithm algorithm) const override;

  // An iteration with all-reduces has none of these.
  SimulatedTimes paths(const std::vector<PathMessage>& messages, double rate_Bps) const override;
  ServerExchangeTiming server_exchange(const Machine& machine, const ServerMachine& servers,
                                       const ServerExchange& exchange) const override;
  AsyncTiming async_servers(const Machine& machine, const ServerMachine& servers,
                            const AsyncExchange& async) const override;

private:
  Fidelity requested_;
  Choice& choice_;
  mutable std::map<Algorithm, double> messages_; ///< that a full run of all so far would have
};

} // namespace ddlsim
