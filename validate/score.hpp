#pragma once
// Errors, intervals and their averages. An error is |ln(predicted / measured)| of the iteration time.

#include "sim/base/statistics.hpp"
#include "validate/method.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// One target of one split, with the forecasts of all methods.
struct ScoredPoint {
  std::string series;
  std::string file;
  std::string cluster;
  std::string group; ///< cluster or site; points are averaged within a group before the mean over groups
  std::string site;  ///< site of the cluster; a resample draws all clusters of a site together
  bool emulated = false;
  std::string model;
  std::string strategy; ///< the strategy of the point as text
  std::string preset;
  std::string transport;
  int gpus = 0;
  int nodes = 0;
  std::string split;
  std::string left_out;
  char grade = 'C'; ///< noise class of the series
  double measured_s = 0;
  std::map<std::string, Forecast> forecasts;   ///< forecasts by method; a method without an answer is absent
  std::map<std::string, std::string> refusals; ///< reason of each method that refused to answer
};

/// The smallest number of sites that are resampled. Fewer do not represent other sites.
inline constexpr int fewest_sites = 4;

/// Averages over a list of points: first over the points of a series, then over the series of a cluster (or site), then
/// over clusters (or sites). A refusal counts as a point outside its interval.
struct Score {
  int points = 0; ///< number of points that were answered or refused
  int refused = 0;
  int series = 0;
  int clusters = 0; ///< number of clusters, or of sites
  int sites = 0;    ///< number of sites from which a resample draws
  double mean_error = 0;
  double median_error = 0; ///< median over the points
  double worst_error = 0;
  int points_with_interval = 0; ///< number of points behind the next three figures
  double coverage = 0;          ///< share of measured times that are inside their 90 % interval
  double half_width = 0;        ///< mean half of ln(high / low)
  /// interval score of ln time at 90 % (T. Gneiting and A. Raftery, JASA 102 (2007), equation 43)
  double interval_score = 0;
  /// Ranges that hold 90 % of the means by bootstrap over sites. A drawn site brings all its clusters. Empty for fewer
  /// than fewest_sites.
  std::optional<Range> mean_error_range;
  std::optional<Range> coverage_range;
};

/// The scores of one method in one split. In the splits of a new site, clusters whose compute was emulated appear in
/// by_cluster but not in the means.
struct SplitScore {
  std::string split;
  std::string method;
  Score overall;
  Score classes_a_b; ///< score of the points in noise classes A and B only
  std::map<char, Score> by_class;
  std::map<std::string, Score> by_cluster; ///< score by cluster; by site in splits of a new site
};

/// Mean over clusters of the method's mean error minus that of the baseline, on points that both answered.
struct PairedDifference {
  std::string split;
  std::string method;
  std::string baseline;
  int points = 0;
  int clusters = 0;
  /// difference between the errors of method and baseline; negative: the method has the smaller ones
  double difference = 0;
  Range range; ///< range of 90 % by bootstrap over clusters
};

double error_of(const Forecast& forecast, double measured_s);

/// Returns the method's error at a point; nothing if the method neither answered nor refused. A refusal counts as the
/// straight line's error there, and as 50 % at least.
std::optional<double> counted_error(const ScoredPoint& point, const std::string& method);

/// Returns (u - l) + 2 / a (l - x)+ + 2 / a (x - u)+ with a = 0.1, in natural logarithms of the three times.
double interval_score(const Forecast& forecast, double measured_s);

/// Adds an interval to every forecast without one. It is made of the 5 % and 95 % quantiles of the method's residuals
/// ln(measured / predicted) at the points of other clusters in splits of the same name, where every cluster has equal
/// weight. It is widened to hold the prediction itself. If there is no other cluster, no interval is added.
void add_residual_intervals(std::vector<ScoredPoint>& points);

/// Returns the score of the method of that name on the points that the caller picked.
Score score_points(const std::vector<const ScoredPoint*>& points, const std::string& method, int draws,
                   std::uint64_t seed);
SplitScore score_split(const std::vector<const ScoredPoint*>& points, const std::string& split,
                       const std::string& method, int draws, std::uint64_t seed);
PairedDifference compare(const std::vector<const ScoredPoint*>& points, const std::string& split,
                         const std::string& method, const std::string& baseline, int draws, std::uint64_t seed);

} // namespace ddlsim
