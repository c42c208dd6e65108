#include "sim/collective/nvls_sharp.hpp"

#include "sim/collective/collective.hpp"
#include "sim/collective/in_network_reduction.hpp"

namespace ddlsim {
namespace {

/// The shares that a rank sends with NVLS: the switch reads and writes its vector, and the rank is a head.
InsideShares through_switch(int ranks) {
  const double port = ranks > 1 ? 1 + 1.0 / ranks : 0;
  return {port / 2, 0, port / 2};
}

} // namespace

double nvls_sharp_all_reduce_s(const Machine& machine, double size_bytes) {
  return in_network_reduction_s(machine, size_bytes, through_switch);
}

Schedule nvls_sharp_schedule(const Machine& machine, double size_bytes) {
  return in_network_schedule(machine, size_bytes, through_switch);
}

const CollectiveAlgorithm nvls_sharp_all_reduce{
    .time_s = nvls_sharp_all_reduce_s,
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
    .schedule = nvls_sharp_schedule,
    .messages = [](const Machine& machine, double size_bytes,
                   int operations) { return in_network_messages(machine, size_bytes, operations, 2); },
    .programs_per_rank = in_network_programs,
};

} // namespace ddlsim
