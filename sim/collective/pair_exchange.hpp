#pragma once
// Ranks that exchange messages in pairs at doubling distances, and the all-reduces that do so: halving-doubling and
// recursive doubling.

#include "sim/collective/ring.hpp"
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

// Halving-doubling all-reduce: recursive halving as reduce-scatter, recursive doubling as all-gather (Rabenseifner,
// ICCS 2004; Thakur, Rabenseifner, Gropp, Int. J. High Perform. Comput. Appl. 19, 2005).

/// Time of one halving-doubling all-reduce of `size_bytes`, seconds; 0 for one rank.
///
/// With p the largest power of two in n ranks and r = n - p: the even ones of the first 2r ranks give their vector to
/// their right neighbours first and take the sum from them last. The p others are numbered in order; in step
/// k = 0 .. log2 p - 1 number j exchanges S/2^(k+1) bytes with number j xor 2^k, nearest first, so that the largest
/// messages stay in the node; then the same steps backwards. All ranks are in step, except that numbers below r and
/// numbers above r do not wait for each other while 2^(k+1) divides r:
///   T   = 2 [ max( first(S) + sum over such k of e_k below r,  sum over such k of e_k above r )
///             + sum over other k of e_k ]
///   e_k = max( latency_intra + m/rate_intra                        if some pair is inside a node,
///              latency_net + m max(c_k/rate_nic, l_k/rate_uplink)  if some pair is not ),    m = S/2^(k+1)
/// c_k ranks of the busiest node, l_k of the busiest leaf have their partner outside it. first(S) is the exchange of
/// the first 2r ranks, by the same formula; at most one of its pairs lies across each border. On one GPU a node, n a
/// power of two: T = 2 log2 n latency + 2(n-1)/n S/rate.
///
/// Equal to the full run (1e-6) on one switch with full nodes of 2^a ranks, any number of them. With short last nodes,
/// other nodes or leaves some pairs are ahead of others: 6 % too fast to 28 % too slow on up to 64 ranks
/// (tests/simgrid/full_all_reduce_test.cpp). O(g log n), on fat-trees O(ranks of a leaf x log n).
/// Throws std::invalid_argument when a link in use has no rate.
double halving_doubling_all_reduce_s(const Machine& machine, double size_bytes);

/// Every message of it.
Schedule halving_doubling_schedule(const Machine& machine, double size_bytes);

// Recursive-doubling all-reduce: whole vectors exchanged in pairs, log2 n times; what MPI libraries do with short
// vectors (Thakur, Rabenseifner, Gropp, Int. J. High Perform. Comput. Appl. 19, 2005).

/// Time of one recursive-doubling all-reduce of `size_bytes`, seconds; 0 for one rank.
///
/// As halving-doubling (above, whose pairs, first(S) and e_k these are), but step k
/// exchanges all S bytes, and there is no way back:
///   T = max( first(S) + sum over k with 2^(k+1) | r of e_k below r,  the same sum above r ) + sum over other k of e_k
///       + last(S)                                     the ranks that did not take part get the sum, if there are any
/// On one GPU a node, n a power of two: T = log2 n (latency + S/rate).
/// Equal to the full run (1e-6) where halving-doubling is, else within 12 % of it
/// (tests/simgrid/engine_choice_test.cpp) without a slow node or leaves. Throws std::invalid_argument when a link
/// in use has no rate.
double recursive_doubling_all_reduce_s(const Machine& machine, double size_bytes);

/// Every message of it.
Schedule recursive_doubling_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
