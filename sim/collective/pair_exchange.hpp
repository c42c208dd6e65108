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

/// The ranks that take part in the exchanges. Their number is `numbers`, a power of two; `rest` further ranks give
/// their vector to a neighbour first. Those that take part are numbered from 0.
struct Reduction {
  explicit Reduction(int ranks) {
    while (2 * numbers <= ranks) {
      numbers *= 2;
    }
    rest = ranks - numbers;
  }
  int rank_of(int number) const { return number < rest ? 2 * number + 1 : number + rest; }
  /// How many numbers are below that rank: the ranks of a node have consecutive numbers.
  int numbers_below(int rank) const { return rank < 2 * rest ? rank / 2 : rank - rest; }

  int numbers = 1;
  int rest = 0;
};

/// The numbers below `rest`, and the others: they do not wait for each other until a block of a step holds both.
enum class Part { reduced, others, both };

/// Time in which the ranks that do not take part give their vector to a neighbour, or get it back.
double reduce_s(const Machine& machine, const Reduction& reduce, double size_bytes);

/// Time of one exchange of `message_bytes` by every pair of numbers that far apart: that of the busiest node and leaf.
double exchange_of_s(const Machine& machine, const Reduction& reduce, int distance, Part part, double message_bytes);

bool is_power_of_two(int count);

/// Returns why ranks differ; nothing where all do the same: full nodes of 2^a ranks on one switch, a power of two in
/// all.
std::optional<std::string> why_pairs_have_no_symmetry(const Machine& machine);

/// The steps of one exchange in a period of ranks: inside a node, or through the NIC that the node's ranks share.
PeriodSteps period_exchange(const Machine& machine, int distance, double message_bytes);

/// The schedule of every message of an all-reduce by pairs. `exchanges` returns the steps of one number after it has
/// got its neighbour's vector and before it sends the neighbour the sum.
Schedule schedule_of_pairs(const Machine& machine, double size_bytes,
                           const std::function<std::vector<Step>(const Reduction&, int number)>& exchanges);

/// With nodes of 2^a ranks on one switch all ranks are in step.
bool are_in_step(const Machine& machine);

} // namespace ddlsim
