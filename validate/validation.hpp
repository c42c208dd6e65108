#pragma once
// The validation protocol: every method predicts every series in every split, and one rule scores all of them.

#include "calibrate/data/series.hpp"
#include "sim/base/child_process.hpp"
#include "validate/answers.hpp"
#include "validate/method.hpp"
#include "validate/ranking.hpp"
#include "validate/score.hpp"
#include "validate/split.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

// How precisely the time of a series is known, by the records alone and before any prediction.

/// The largest standard deviation of ln(time) of noise class A, and that of class B. Above it a series is in class C,
/// of which only the intervals are scored.
inline constexpr double class_a_noise = 0.02;
inline constexpr double class_b_noise = 0.06;

struct Noise {
  char grade = 'C';
  double relative = 0; ///< relative noise; 0: not known
  std::string basis;   ///< "stated spread", "siblings", "spread of the same set", "repeats without a spread", "unknown"
};

/// The noise of each series, by the first of these that applies:
/// 1. the largest spread stated for (or found among repeated records of) the series' points on more than one GPU;
/// 2. siblings, ResNet v1 against v2 of equal bytes, in the same set (file, cluster, transport): with
///    d = ln(T_v1 / T_v2) at every shared scale above one GPU, the mean over the set of |d - median d| / sqrt 2;
/// 3. the median spread of the other series of the set;
/// 4. not known: B when each point comes from three or more repeats, else C.
std::vector<Noise> noise_of(const std::vector<Series>& series);

struct ValidationOptions {
  std::vector<std::string> splits; ///< names of the splits to run; empty: all
  /// method with which each other one is compared; if no method has that name, the first one
  std::string reference = "ddlsim";
  std::uint64_t seed = 1; ///< seed of the bootstrap over clusters
  int bootstrap_draws = 2000;
  /// Chooses the series whose targets are scored; empty: all. The other series remain visible.
  std::function<bool(const Series&)> wanted;
  /// site of each cluster; a cluster that is not listed is a site of its own
  std::map<std::string, std::string> site_of;
  RunTasks run_tasks{}; ///< runs parts in parallel; empty: they run in this process
};

/// A series in a tier whose mean error is above explained_error, with the explanation.
struct ExplainedSeries {
  std::string split;
  std::string series;
  std::string cluster;
  std::string method;
  double mean_error = 0;
  Explanation why;
};

/// A series with its noise and the splits that it takes part in.
struct SeriesSummary {
  std::string id;
  std::string cluster;
  std::string model;
  std::string strategy;
  std::string preset;
  std::string transport;
  int scales = 0;
  int multi_node_scales = 0;
  Noise noise;
  std::vector<std::string> splits; ///< names of the splits that it takes part in
};

struct ValidationResult {
  std::vector<std::string> methods; ///< names in the given order
  std::string reference;            ///< the method with which each other one is compared
  std::vector<SeriesSummary> series;
  std::vector<ScoredPoint> points;           ///< points by split, then series, then gpus
  std::vector<SplitScore> scores;            ///< scores by split, then method
  std::vector<PairedDifference> differences; ///< the reference compared with each other method, by split
  std::vector<RankingScore> rankings;
  std::vector<ExplainedSeries> explained; ///< explained series by split, the largest error first
};

/// Runs every method over every split. A user's own files are treated like shipped ones, and their cluster may be
/// unknown. The same files in the same order, methods and seed give the same result, wherever the tasks run.
ValidationResult validate_measurements(const std::vector<MeasurementFile>& files,
                                       const std::vector<std::unique_ptr<Method>>& methods,
                                       const ValidationOptions& options);

/// Does the same with the caller's splits, in their order. `options.splits` is ignored.
ValidationResult validate_splits(const std::vector<MeasurementFile>& files, const std::vector<Series>& series,
                                 const std::vector<Split>& splits, const std::vector<std::unique_ptr<Method>>& methods,
                                 const ValidationOptions& options);

} // namespace ddlsim
