#include "sim/collective/recursive_doubling.hpp"

#include "sim/collective/collective.hpp"
#include "sim/collective/pair_exchange.hpp"
#include "sim/network/machine.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ddlsim {
namespace {

std::vector<PeriodSteps> recursive_doubling_period(const Machine& machine, double size_bytes) {
  std::vector<PeriodSteps> all;
  for (int distance = 1; distance < machine.ranks; distance *= 2)
    all.push_back(period_exchange(machine, distance, size_bytes));
  return all;
}

} // namespace

double recursive_doubling_all_reduce_s(const Machine& machine, double size_bytes) {
  require_rates(machine);
  const Reduction reduce(machine.ranks);
  const double handed_s = reduce.rest > 0 ? reduce_s(machine, reduce, size_bytes) : 0;
  double reduced_s = handed_s;
  double others_s = 0;
  for (int distance = 1; distance < reduce.numbers; distance *= 2) {
    if (reduce.rest % (2 * distance) == 0) {
      reduced_s += exchange_of_s(machine, reduce, distance, Part::reduced, size_bytes);
      others_s += exchange_of_s(machine, reduce, distance, Part::others, size_bytes);
    } else {
      others_s = std::max(reduced_s, others_s) + exchange_of_s(machine, reduce, distance, Part::both, size_bytes);
      reduced_s = others_s;
    }
  }
  return std::max(reduced_s, others_s) + handed_s;
}

Schedule recursive_doubling_schedule(const Machine& machine, double size_bytes) {
  require_rates(machine);
  return schedule_of_pairs(machine, size_bytes, [&](const Reduction& reduce, int number) {
    std::vector<Step> steps;
    for (int distance = 1; distance < reduce.numbers; distance *= 2) {
      const int partner = reduce.rank_of(number ^ distance);
      steps.push_back({{{partner, 0, size_bytes}}, {{partner, 0}}});
    }
    return steps;
  });
}

const CollectiveAlgorithm recursive_doubling_all_reduce{
    .time_s = recursive_doubling_all_reduce_s,
    .follows_ranks = false,
    .is_exact = are_in_step, // tests/simgrid/formula_range.hpp states the error elsewhere
    .between_nodes = {
        .pattern = TrafficPattern::recursive_doubling,
        .nic_bytes =
            [](const Machine& machine, double wire_bytes) {
              return std::ceil(std::log2(static_cast<double>(machine.nodes()))) * wire_bytes;
            },
        .rounds = [](const Machine& machine, double) { return 2 * (machine.ranks - 1); },
        .passes_every_gpu = false,
    },
    .why_no_symmetry = why_pairs_have_no_symmetry,
    .period = recursive_doubling_period,
    .schedule = recursive_doubling_schedule,
    .messages =
        [](const Machine& machine, double, int operations) {
          const double ranks = machine.ranks;
          return operations * ranks * std::floor(std::log2(ranks));
        },
};

} // namespace ddlsim
