#pragma once
// Errors, intervals and their averages. An error is |ln(predicted / measured)| of the iteration time.

#include "sim/base/statistics.hpp"
#include "validate/method.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// One target point of one split with the forecasts of all methods.
struct ScoredPoint {
  std::string series;
  std::string file;
  std::string cluster;
  std::string group; ///< the cluster or its site; points are averaged within a group before the mean over groups
  std::string site;  ///< the cluster's site; a resample draws all its clusters together
  bool emulated = false;
  std::string model;
  std::string strategy; ///< the point's strategy as text
  std::string preset;
  std::string transport;
  int gpus = 0;
  int nodes = 0;
  std::string split;
  std::string left_out;
  char grade = 'C'; ///< noise class
  double measured_s = 0;
  std::map<std::string, Forecast> forecasts;   ///< by method; absent if it had no answer
  std::map<std::string, std::string> refusals; ///< by method: why it refused to answer
};

/// The fewest sites for a resample: fewer do not represent other sites.
inline constexpr int fewest_sites = 4;

/// Averages over a list of points: first over the points of a series, then over the series of a cluster (or site), then
/// over clusters (or sites). A refusal counts as a point outside its interval.
struct Score {
  int points = 0; ///< answered or refused
  int refused = 0;
  int series = 0;
  int clusters = 0; ///< or sites
  int sites = 0;    ///< that a resample draws from
  double mean_error = 0;
  double median_error = 0; ///< over the points
  double worst_error = 0;
  int points_with_interval = 0; ///< the next three figures are over these
  double coverage = 0;          ///< share of measured times inside their 90 % interval
  double half_width = 0;        ///< half of ln(high / low)
  double interval_score = 0;    ///< of ln time, 90 %: T. Gneiting and A. Raftery, JASA 102 (2007), equation 43
  /// 90 % ranges by bootstrap over sites: a drawn site brings all its clusters. Empty for fewer than fewest_sites.
  std::optional<Range> mean_error_range;
  std::optional<Range> coverage_range;
};

/// The scores of one method in one split. In the splits of a new site, clusters whose compute was emulated appear in
/// by_cluster but not in the means.
struct SplitScore {
  std::string split;
  std::string method;
  Score overall;
  Score classes_a_b; ///< noise classes A and B only
  std::map<char, Score> by_class;
  std::map<std::string, Score> by_cluster; ///< by site in splits of a new site
};

/// Mean over clusters of the method's mean error minus the baseline's, on points that both answered.
struct PairedDifference {
  std::string split;
  std::string method;
  std::string baseline;
  int points = 0;
  int clusters = 0;
  double difference = 0; ///< negative: the method has smaller errors
  Range range;           ///< 90 %, bootstrap over clusters
};

double error_of(const Forecast& forecast, double measured_s);

/// The method's error at a point. A refusal counts as the straight line's error there, and at least 50 %. Nothing if
/// the method neither answered nor refused.
std::optional<double> counted_error(const ScoredPoint& point, const std::string& method);

/// (u - l) + 2 / a (l - x)+ + 2 / a (x - u)+ with a = 0.1, in natural logarithms of the three times.
double interval_score(const Forecast& forecast, double measured_s);

/// Adds an interval to every forecast without one. It is made of the 5 % and 95 % quantiles of the method's residuals
/// ln(measured / predicted) at the points of other clusters under the same split name, every cluster with equal weight,
/// and widened to contain the prediction itself. No interval is added if there is no other cluster.
void add_residual_intervals(std::vector<ScoredPoint>& points);

/// Scores of the points that the caller picked, for the method of that name.
Score score_points(const std::vector<const ScoredPoint*>& points, const std::string& method, int draws,
                   std::uint64_t seed);
SplitScore score_split(const std::vector<const ScoredPoint*>& points, const std::string& split,
                       const std::string& method, int draws, std::uint64_t seed);
PairedDifference compare(const std::vector<const ScoredPoint*>& points, const std::string& split,
                         const std::string& method, const std::string& baseline, int draws, std::uint64_t seed);

} // namespace ddlsim
