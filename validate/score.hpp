#pragma once
// Errors, intervals and their averages. Error = |ln(predicted / measured)| of iteration time.

#include "sim/base/statistics.hpp"
#include "validate/method.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// One target point of one split with every method's forecast.
struct ScoredPoint {
  std::string series;
  std::string file;
  std::string cluster;
  std::string group; ///< whose points are averaged before the mean over groups: the cluster, or its site
  std::string site;  ///< of the cluster; a resample draws all clusters of a site together
  bool emulated = false;
  std::string model;
  std::string strategy; ///< text of the point's strategy
  std::string preset;
  std::string transport;
  int gpus = 0;
  int nodes = 0;
  std::string split;
  std::string left_out;
  char grade = 'C'; ///< noise class
  double measured_s = 0;
  std::map<std::string, Forecast> forecasts;   ///< by method; absent where it had no answer
  std::map<std::string, std::string> refusals; ///< by method: why one that ought to answer did not
};

/// The fewest sites of a resample: fewer say nothing about other sites.
inline constexpr int fewest_sites = 4;

/// Averages over a list of points: over the points of a series, then series of a cluster (or site), then clusters (or
/// sites). A refusal counts as not held.
struct Score {
  int points = 0; ///< answered or refused
  int refused = 0;
  int series = 0;
  int clusters = 0; ///< or sites
  int sites = 0;    ///< that a resample draws from
  double mean_error = 0;
  double median_error = 0; ///< of the points
  double worst_error = 0;
  int points_with_interval = 0; ///< the next three are over these
  double coverage = 0;          ///< share of measured times inside their 90 % interval
  double half_width = 0;        ///< half of ln(high / low)
  double interval_score = 0;    ///< of ln time, 90 %: T. Gneiting and A. Raftery, JASA 102 (2007), equation 43
  /// 90 %, bootstrap over sites: a site that is drawn brings all its clusters. Nothing of fewer than fewest_sites.
  std::optional<Range> mean_error_range;
  std::optional<Range> coverage_range;
};

/// The scores of one method in one split. In the splits of a new site, clusters whose compute was emulated are in
/// by_cluster and not in the means.
struct SplitScore {
  std::string split;
  std::string method;
  Score overall;
  Score classes_a_b; ///< noise classes A and B only
  std::map<char, Score> by_class;
  std::map<std::string, Score> by_cluster; ///< by site in the splits of a new site
};

/// Mean over clusters of (mean error of the method - of the baseline), on points that both answered.
struct PairedDifference {
  std::string split;
  std::string method;
  std::string baseline;
  int points = 0;
  int clusters = 0;
  double difference = 0; ///< negative: the method is better
  Range range;           ///< 90 %, bootstrap over clusters
};

double error_of(const Forecast& forecast, double measured_s);

/// The method's error at a point; a refusal counts with the straight line's error there, 50 % at least. Nothing where
/// the method neither answered nor refused.
std::optional<double> counted_error(const ScoredPoint& point, const std::string& method);

/// (u - l) + 2 / a (l - x)+ + 2 / a (x - u)+ with a = 0.1, in natural logarithms of the three times.
double interval_score(const Forecast& forecast, double measured_s);

/// Gives every forecast without an interval one from the method's residuals ln(measured / predicted) at the other
/// clusters' points of the same split name: their 5 % and 95 % quantiles, every cluster with equal weight, widened to
/// hold the prediction itself. None where there is no other cluster.
void add_residual_intervals(std::vector<ScoredPoint>& points);

/// Points are picked by the caller; `method` by name.
Score score_points(const std::vector<const ScoredPoint*>& points, const std::string& method, int draws,
                   std::uint64_t seed);
SplitScore score_split(const std::vector<const ScoredPoint*>& points, const std::string& split,
                       const std::string& method, int draws, std::uint64_t seed);
PairedDifference compare(const std::vector<const ScoredPoint*>& points, const std::string& split,
                         const std::string& method, const std::string& baseline, int draws, std::uint64_t seed);

} // namespace ddlsim
