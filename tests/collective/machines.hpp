#pragma once
// Machines for the tests of collectives.

#include "sim/network/machine.hpp"

#include <cmath>
#include <random>

namespace ddlsim {

/// Two ways to one sum differ by what doubles round off.
constexpr double rounding = 1e-12;

inline Machine two_level(int ranks, int ranks_per_node) {
  Machine machine;
  machine.ranks = ranks;
  machine.ranks_per_node = ranks_per_node;
  machine.intra_Bps = 60e9;
  machine.intra_latency_s = 1.5e-6;
  machine.nic_Bps = 10e9;
  machine.net_latency_s = 8e-6;
  return machine;
}

inline double uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

inline double log_uniform(std::mt19937_64& random, double low, double high) {
  return std::exp(uniform(random, std::log(low), std::log(high)));
}

/// Any rates and latencies, short last nodes, stars and fat-trees.
inline Machine random_machine(std::mt19937_64& random, int most_ranks) {
  Machine machine = two_level(2 + static_cast<int>(random() % static_cast<unsigned>(most_ranks - 1)),
                              1 + static_cast<int>(random() % 9));
  machine.intra_Bps = log_uniform(random, 1e9, 1e12);
  machine.nic_Bps = log_uniform(random, 1e8, 1e11);
  machine.intra_latency_s = log_uniform(random, 1e-8, 1e-4);
  machine.net_latency_s = log_uniform(random, 1e-8, 1e-4);
  machine.nodes_per_leaf = static_cast<int>(random() % 4);
  machine.uplink_Bps = machine.nic_Bps * uniform(random, 0.3, 2);
  return machine;
}

} // namespace ddlsim
