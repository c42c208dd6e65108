#include "sim/collective/all_reduce.hpp"
#include "sim/collective/ring.hpp"

namespace ddlsim {
namespace {

double half_ring_s(const Machine& machine, double size_bytes) {
  return ring_steps_s(machine, size_bytes, machine.ranks - 1);
}

/// A sum of which each rank gets a part, or all parts to every rank: n-1 of the ring's steps, each of S/n bytes, so that
/// (n-1)/n S pass a NIC one way (Patarasuk and Yuan, J. Parallel Distrib. Comput. 69, 2009). S is the whole vector, as in
/// nccl-tests. Adding takes no time here, and both halves take as long.
constexpr AllReduceAlgorithm half_of_ring() {
  return {
      .time_s = half_ring_s,
      .follows_ranks = true,
      .is_exact = [](const Machine&) { return true; }, // tests/simgrid/ring_halves_test.cpp
      .gap = [](const Machine&, double) { return Gap{}; },
      .why_inexact = "",
      .why_no_symmetry = why_ring_has_no_symmetry,
      .period =
          [](const Machine& machine, double size_bytes) {
            return std::vector<PeriodSteps>{
                {ring_period_edges(machine), size_bytes / machine.ranks, machine.ranks - 1}};
          },
      .schedule = nullptr,
      .messages =
          [](const Machine& machine, double, int operations) {
            const double ranks = machine.ranks;
            return (ranks - 1) * ranks * operations;
          },
      .ring_turns = 1,
  };
}

} // namespace

const AllReduceAlgorithm ring_reduce_scatter_all_reduce = half_of_ring();
const AllReduceAlgorithm ring_all_gather_all_reduce = half_of_ring();

} // namespace ddlsim
