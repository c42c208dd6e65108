#pragma once
// An executor whose answers a test states, so that the end of a small graph can be calculated by hand.

#include "sim/parameter_server/exchange.hpp"
#include "sim/simgrid/executor.hpp"

#include <functional>
#include <stdexcept>
#include <vector>

namespace ddlsim {

struct FixedTimes : Executor {
  std::function<double(double size_bytes)> all_reduce_s = [](double) { return 0.1; };
  std::vector<double> pulled_s{}; ///< of each shard, in the order in which they leave

  SimulatedTimes collectives(const Machine&, const std::vector<double>& sizes_bytes,
                             const CollectiveKind&) const override {
    SimulatedTimes times;
    for (const double size_bytes : sizes_bytes) times.times_s.push_back(all_reduce_s(size_bytes));
    return times;
  }

  SimulatedTimes paths(const std::vector<PathMessage>& messages, double rate_Bps) const override {
    return {pass_paths(messages, rate_Bps), 0};
  }

  ServerExchangeTiming server_exchange(const Machine&, const ServerMachine&, const ServerExchange&) const override {
    ServerExchangeTiming timing;
    timing.summed_s = pulled_s;
    timing.pulled_s = pulled_s;
    return timing;
  }

  AsyncTiming async_servers(const Machine&, const ServerMachine&, const AsyncExchange&) const override {
    throw std::logic_error("no test states asynchronous times");
  }
};

} // namespace ddlsim
