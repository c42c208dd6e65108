#include "sim/iteration/sum_executor.hpp"

#include "sim/simgrid/fidelity_selection.hpp"

#include <algorithm>
#include <numeric>

namespace ddlsim {
namespace {

/// 0 by symmetry, 1 in full, 2 without SimGrid.
int distance_from_default(const Choice& choice) {
  if (choice.fidelity == Fidelity::by_symmetry) return 0;
  return choice.fidelity == Fidelity::full ? 1 : 2;
}

/// Exact formulas are replaced by any way that has a gap.
bool is_less_close(const Choice& one, const Choice& other) {
  const int distance = distance_from_default(one) - distance_from_default(other);
  return distance > 0 || (distance == 0 && one.slower - one.faster > other.slower - other.faster);
}

void add(const Choice& more, Choice& all) {
  const double faster = std::min(all.faster, more.faster);
  const double slower = std::max(all.slower, more.slower);
  if (is_less_close(more, all)) all = more;
  all.faster = faster;
  all.slower = slower;
}

} // namespace

SimulatedTimes SumExecutor::all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes,
                                        Algorithm algorithm) const {
  const double size_bytes = std::accumulate(sizes_bytes.begin(), sizes_bytes.end(), 0.0);
  const int operations = static_cast<int>(sizes_bytes.size());
  double& messages_before = messages_[algorithm];
  const auto chosen = choose_all_reduce(machine, algorithm, size_bytes, operations, requested_, messages_before);
  messages_before += messages_of_all_reduce(machine, algorithm, size_bytes, operations);
  add(chosen, choice_);
  return executor_of(chosen.fidelity).all_reduces(machine, sizes_bytes, algorithm);
}

SimulatedTimes SumExecutor::paths(const std::vector<PathMessage>& messages, double rate_Bps) const {
  return executor_of(Fidelity::closed_form).paths(messages, rate_Bps);
}

ServerExchangeTiming SumExecutor::server_exchange(const Machine& machine, const ServerMachine& servers,
                                                  const ServerExchange& exchange) const {
  return executor_of(Fidelity::closed_form).server_exchange(machine, servers, exchange);
}

AsyncTiming SumExecutor::async_servers(const Machine& machine, const ServerMachine& servers,
                                       const AsyncExchange& async) const {
  return executor_of(Fidelity::closed_form).async_servers(machine, servers, async);
}

} // namespace ddlsim
