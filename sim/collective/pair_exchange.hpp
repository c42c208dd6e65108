#pragma once
// Ranks that exchange messages in pairs at doubling distances: what halving-doubling and recursive doubling share.

#include "sim/collective/period.hpp"
#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Ranks that take part once `rest` ranks have given their vector to a neighbour: `numbers`, a power of two.
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

/// The numbers below `rest` and those above: until a block of a step holds both, they know nothing of each other.
enum class Part { reduced, others, both };

/// Time in which the ranks that do not take part give their vector to a neighbour, or get it back.
double reduce_s(const Machine& machine, const Reduction& reduce, double size_bytes);

/// Time of one exchange of `message_bytes` by every pair of numbers that far apart: that of the busiest node and leaf.
double exchange_of_s(const Machine& machine, const Reduction& reduce, int distance, Part part, double message_bytes);

bool is_power_of_two(int count);

/// Nothing where all ranks are alike: full nodes of 2^a ranks on one switch, a power of two in all.
std::optional<std::string> why_pairs_have_no_symmetry(const Machine& machine);

/// One exchange of a rank of the period: inside its node, or through the NIC that its node's ranks share.
PeriodSteps period_exchange(const Machine& machine, int distance, double message_bytes);

/// Every message of an all-reduce by pairs: `exchanges` are the steps of one number between its neighbour's vector and
/// the neighbour's sum.
Schedule schedule_of_pairs(const Machine& machine, double size_bytes,
                           const std::function<std::vector<Step>(const Reduction&, int number)>& exchanges);

/// With nodes of 2^a ranks on one switch all ranks are in step.
bool are_in_step(const Machine& machine);

} // namespace ddlsim
