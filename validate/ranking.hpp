#pragma once
// Whether a method puts two ways of synchronising in the right order at the scale one wants to buy.

#include "validate/score.hpp"
#include "validate/split.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Two schedules of one experimenter: same file, cluster, GPU, model, precision, batch, data and transport, another
/// strategy or preset, at the largest number of GPUs that both were measured with.
struct RankedPair {
  std::size_t first = 0; ///< into the list of series
  std::size_t second = 0;
  int gpus = 0;
  double ln_ratio = 0; ///< ln(T first / T second) as measured
};

/// Times closer than this are not in any order.
inline constexpr double smallest_ranked_difference = 0.02;

/// Every pair that differs by more than smallest_ranked_difference at its largest shared scale.
std::vector<RankedPair> ranked_pairs(const std::vector<Series>& series);

struct RankingScore {
  std::string split;
  std::string method;
  int pairs = 0;          ///< both points are targets of the split, the method answered both
  double right = 0;       ///< share put in the measured order; a tie counts half
  double persistence = 0; ///< share on the same pairs when the order of the largest scale that both show is kept
};

/// `splits` are those of one name (one for a tier, one a fold for transfer), `points` all scored points.
RankingScore score_ranking(const std::vector<RankedPair>& pairs, const std::vector<Series>& series,
                           const std::vector<Split>& splits, const std::vector<ScoredPoint>& points,
                           const std::string& split, const std::string& method);

} // namespace ddlsim
