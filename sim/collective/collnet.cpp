#include "sim/collective/collnet.hpp"

#include "sim/collective/collective.hpp"
#include "sim/collective/in_network_reduction.hpp"

namespace ddlsim {
namespace {

/// The shares that a rank sends with CollNet. It sends its vector to the heads of its node, and as a head it sends as
/// much again. The heads need half of the bytes before their sums leave the node, and the other half while sums come
/// in.
InsideShares to_heads_and_back(int ranks) {
  const double others = ranks > 1 ? (ranks - 1.0) / ranks : 0;
  return {others / 2, others / 2, others};
}

} // namespace

double collnet_all_reduce_s(const Machine& machine, double size_bytes) {
  return in_network_reduction_s(machine, size_bytes, to_heads_and_back);
}

Schedule collnet_schedule(const Machine& machine, double size_bytes) {
  return in_network_schedule(machine, size_bytes, to_heads_and_back);
}

const CollectiveAlgorithm collnet_all_reduce{
    .time_s = collnet_all_reduce_s,
    .follows_ranks = false,
    .is_exact = has_one_rank_a_node, // tests/simgrid/full_all_reduce_test.cpp checks this
    .between_nodes =
        {
            .pattern = TrafficPattern::in_order,
            .nic_bytes = nic_bytes_of_vector,
            .rounds = [](const Machine&, double) { return 1; }, // the switches sum bytes as they arrive
            .passes_every_gpu = false,
        },
    .why_no_symmetry = why_chunks_have_no_symmetry,
    .period = nullptr,
    .schedule = collnet_schedule,
    .messages = [](const Machine& machine, double size_bytes,
                   int operations) { return in_network_messages(machine, size_bytes, operations, 3); },
    .programs_per_rank = in_network_programs,
};

} // namespace ddlsim
