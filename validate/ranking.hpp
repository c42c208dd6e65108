#pragma once
// Scores whether a method orders two kinds of synchronisation correctly at the largest measured scale.

#include "validate/score.hpp"
#include "validate/split.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Two schedules of one experimenter. They agree in file, cluster, GPU, model, precision, batch, data and transport,
/// and differ in strategy or preset. They are compared at the largest number of GPUs at which both were measured.
struct RankedPair {
  std::size_t first = 0; ///< position in the list of series
  std::size_t second = 0;
  int gpus = 0;
  double ln_ratio = 0; ///< ln(T first / T second), as measured
};

/// Least difference of ln; pairs whose times differ by less have no order.
inline constexpr double smallest_ranked_difference = 0.02;

/// Returns every pair that differs by more than smallest_ranked_difference at its largest shared scale.
std::vector<RankedPair> ranked_pairs(const std::vector<Series>& series);

struct RankingScore {
  std::string split;
  std::string method;
  int pairs = 0;          ///< number of pairs whose points are both targets of the split and both answered
  double right = 0;       ///< share of pairs that the method put in the measured order; a tie counts half
  double persistence = 0; ///< share that is right if the order at the largest scale visible for both is kept
};

/// Scores a method. `splits` are all splits of one name: one for a tier, several for a transfer split. `points` are all
/// scored points.
RankingScore score_ranking(const std::vector<RankedPair>& pairs, const std::vector<Series>& series,
                           const std::vector<Split>& splits, const std::vector<ScoredPoint>& points,
                           const std::string& split, const std::string& method);

} // namespace ddlsim
