#pragma once
// Scores whether a method orders two ways of synchronising correctly at the largest measured scale.

#include "validate/score.hpp"
#include "validate/split.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Two schedules of one experimenter. They share file, cluster, GPU, model, precision, batch, data and transport, and
/// differ in strategy or preset. They are compared at the largest number of GPUs that both were measured with.
struct RankedPair {
  std::size_t first = 0; ///< position in the list of series
  std::size_t second = 0;
  int gpus = 0;
  double ln_ratio = 0; ///< ln(T first / T second) as measured
};

/// Pairs whose times differ by less than this have no order.
inline constexpr double smallest_ranked_difference = 0.02;

/// Every pair that differs by more than smallest_ranked_difference at its largest shared scale.
std::vector<RankedPair> ranked_pairs(const std::vector<Series>& series);

struct RankingScore {
  std::string split;
  std::string method;
  int pairs = 0;          ///< both points are targets of the split and the method answered both
  double right = 0;       ///< share put in the measured order; a tie counts half
  double persistence = 0; ///< share right if the order at the largest scale visible for both is kept
};

/// Scores a method. `splits` are all those of one name (one for a tier, one for each fold of a transfer split);
/// `points` are all scored points.
RankingScore score_ranking(const std::vector<RankedPair>& pairs, const std::vector<Series>& series,
                           const std::vector<Split>& splits, const std::vector<ScoredPoint>& points,
                           const std::string& split, const std::string& method);

} // namespace ddlsim
