#include "sim/collective/halving_doubling.hpp"

#include "sim/collective/collective.hpp"
#include "sim/collective/fabric_load.hpp"
#include "sim/collective/pair_exchange.hpp"
#include "sim/network/machine.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// The steps of one period; all ranks do the same.
std::vector<PeriodSteps> halving_doubling_period(const Machine& machine, double size_bytes) {
  std::vector<PeriodSteps> all;
  for (int distance = 1; distance < machine.ranks; distance *= 2)
    all.push_back(period_exchange(machine, distance, size_bytes / (2.0 * distance)));
  std::vector<PeriodSteps> doubling(all.rbegin(), all.rend());
  all.insert(all.end(), doubling.begin(), doubling.end());
  return all;
}

} // namespace

double halving_doubling_all_reduce_s(const Machine& machine, double size_bytes) {
  require_rates(machine);
  const Reduction reduce(machine.ranks);
  double reduced_s = reduce.rest > 0 ? reduce_s(machine, reduce, size_bytes) : 0;
  double others_s = 0;
  for (int distance = 1; distance < reduce.numbers; distance *= 2) {
    const double message_bytes = size_bytes / (2 * distance);
    if (reduce.rest % (2 * distance) == 0) {
      reduced_s += exchange_of_s(machine, reduce, distance, Part::reduced, message_bytes);
      others_s += exchange_of_s(machine, reduce, distance, Part::others, message_bytes);
    } else {
      others_s = std::max(reduced_s, others_s) + exchange_of_s(machine, reduce, distance, Part::both, message_bytes);
      reduced_s = others_s;
    }
  }
  return 2 * std::max(reduced_s, others_s);
}

Schedule halving_doubling_schedule(const Machine& machine, double size_bytes) {
  require_rates(machine);
  return schedule_of_pairs(machine, size_bytes, [&](const Reduction& reduce, int number) {
    std::vector<Step> steps;
    for (int distance = 1; distance < reduce.numbers; distance *= 2) {
      const int partner = reduce.rank_of(number ^ distance);
      steps.push_back({{{partner, 0, size_bytes / (2 * distance)}}, {{partner, 0}}});
    }
    const std::vector<Step> doubling(steps.rbegin(), steps.rend());
    steps.insert(steps.end(), doubling.begin(), doubling.end());
    return steps;
  });
}

const CollectiveAlgorithm halving_doubling_all_reduce{
    .time_s = halving_doubling_all_reduce_s,
    .follows_ranks = false,
    .is_exact = are_in_step, // tests/simgrid/formula_range.hpp states the error elsewhere
    .between_nodes =
        {
            .pattern = TrafficPattern::halving_doubling,
            .nic_bytes = nic_bytes_of_ring_over_nodes,
            .rounds = [](const Machine& machine, double) { return 2 * (machine.ranks - 1); },
            .passes_every_gpu = false,
        },
    .why_no_symmetry = why_pairs_have_no_symmetry,
    .period = halving_doubling_period,
    .schedule = halving_doubling_schedule,
    .messages =
        [](const Machine& machine, double, int operations) {
          const double ranks = machine.ranks;
          return operations * 2 * ranks * std::floor(std::log2(ranks));
        },
};

} // namespace ddlsim
