#pragma once
// Ranks that exchange messages in pairs at doubling distances: code that halving-doubling and recursive doubling share.

#include "sim/collective/period.hpp"
#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The ranks that take part in the exchanges, and the rest. The number of those that take part, `numbers`, is a power
/// of two, and they are numbered from 0. Each of the `rest` other ranks gives its vector to a neighbour first.
struct Reduction {
  explicit Reduction(int ranks) {
    while (2 * numbers <= ranks) {
      numbers *= 2;
    }
    rest = ranks - numbers;
  }
  int rank_of(int number) const { return number < rest ? 2 * number + 1 : number + rest; }
  /// How many numbers are below that rank. The ranks of a node have consecutive numbers.
  int numbers_below(int rank) const { return rank < 2 * rest ? rank / 2 : rank - rest; }

  int numbers = 1;
  int rest = 0;
};

/// Numbers below `rest`, the other numbers, or both. The two parts do not wait for each other until a block of a step
/// holds numbers of both.
enum class Part { reduced, others, both };

/// Time in which the ranks that do not take part give their vector to a neighbour, or get it back.
double reduce_s(const Machine& machine, const Reduction& reduce, double size_bytes);

/// Time in which every pair of numbers at that distance exchanges `message_bytes`. The busiest node and leaf decide it.
double exchange_of_s(const Machine& machine, const Reduction& reduce, int distance, Part part, double message_bytes);

bool is_power_of_two(int count);

/// Returns why ranks do different things; nothing where all do the same, which needs full nodes of 2^a ranks on one
/// switch and a power of two of ranks in all.
std::optional<std::string> why_pairs_have_no_symmetry(const Machine& machine);

/// The steps of one exchange in a period of ranks: inside a node, or through the NIC that the node's ranks share.
PeriodSteps period_exchange(const Machine& machine, int distance, double message_bytes);

/// The schedule of every message of an all-reduce by pairs. `exchanges` returns the steps of one number. They begin
/// after it has got its neighbour's vector, and end before it sends the neighbour the sum.
Schedule schedule_of_pairs(const Machine& machine, double size_bytes,
                           const std::function<std::vector<Step>(const Reduction&, int number)>& exchanges);

/// Whether all ranks are in step, as they are with full nodes of 2^a ranks on one switch.
bool are_in_step(const Machine& machine);

} // namespace ddlsim
