#include "validate/collectives/size_tables.hpp"

#include "calibrate/data/transfer_series.hpp"
#include "calibrate/fit/calibrate.hpp"
#include "calibrate/fit/collective_fit.hpp"
#include "sim/predict/collectives.hpp"
#include "sim/predict/measured_all_reduces.hpp"
#include "sim/predict/posterior.hpp"
#include "validate/methods/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ddlsim {
namespace {

/// The two visible sizes. Bandwidth dominates the larger one; at the other one latency has a part.
constexpr double large_shown_bytes = 256 << 20;
constexpr double large_over_small = 256;

const DataPoint& nearest(const SeriesData& table, double size_bytes) {
  const auto distance = [&](const DataPoint& point) { return std::abs(std::log(point.size_bytes / size_bytes)); };
  return *std::min_element(table.points.begin(), table.points.end(),
                           [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
}

/// The two visible sizes of a table.
struct VisibleTraining {
  DataPoint small;
  DataPoint large;

  bool has(const DataPoint& point) const {
    return point.size_bytes == small.size_bytes || point.size_bytes == large.size_bytes;
  }
};

/// The time on a straight line through both sizes: a latency, which is never negative, plus size over rate.
double line_s(const VisibleTraining& shown, double size_bytes) {
  const double slope =
      (shown.large.measured_s - shown.small.measured_s) / (shown.large.size_bytes - shown.small.size_bytes);
  const double latency_s = std::max(0.0, shown.small.measured_s - slope * shown.small.size_bytes);
  return latency_s + slope * size_bytes;
}

/// Number of samples behind an interval.
constexpr int draws = 200;

/// The posterior parameters of the table once `points` of it are known.
Posterior posterior_knowing(const ReferenceData& reference, const SeriesData& table,
                            const std::vector<DataPoint>& points) {
  SeriesData seen = table;
  seen.points = points;
  const PosteriorQuestion question{seen.compute_prior, seen.setup.preset, false, seen.scope, seen.priors};
  const auto priors = priors_on(seen.setup.cluster, priors_for(reference.priors), seen.setup.gpu.compute_capability);
  if (points.empty()) return find_posterior(priors, nullptr, question, draws, 1);
  const auto calibration = fit_selected(reference, seen.setup.cluster.name, {{seen}, {}}).calibration;
  return find_posterior(priors, &calibration, question, draws, 1);
}

/// What is known of a table: the parameters and the measured sizes.
struct Known {
  Posterior parameters;
  std::vector<MeasuredAllReduce> all_reduces;
};

Known known_of(const ReferenceData& reference, const SeriesData& table, const std::vector<DataPoint>& points) {
  Known known{posterior_knowing(reference, table, points), {}};
  for (const auto& point : points)
    known.all_reduces.push_back({{point.gpus, point.nodes, point.size_bytes}, point.measured_s, usual_table_noise, {}});
  return known;
}

/// The prediction of one size as `predict --collective` gives it.
IterationTime predicted(const ReferenceData& reference, const SeriesData& table, const DataPoint& point,
                        const Known& known) {
  const auto& median = known.parameters.mode;
  const auto scale_of = [&](Scale at) {
    at.balance = latency_bandwidth_mix(setup_at(table, point), median, at.size_bytes);
    return at;
  };
  auto all_reduces = known.all_reduces;
  for (auto& all_reduce : all_reduces) all_reduce.at = scale_of(all_reduce.at);
  const auto rules = library_rules_of(setup_at(table, point), median);
  const auto correction = correction_at(all_reduce_process(reference.constants, rules), all_reduces,
                                        scale_of({point.gpus, point.nodes, point.size_bytes}));
  const auto ln_time = [&](const Parameters& sample) {
    const auto model_s = [&](const MeasuredAllReduce& all_reduce) {
      auto there = point;
      there.size_bytes = all_reduce.at.size_bytes;
      return model_time_s(table, there, sample);
    };
    return std::log(model_time_s(table, point, sample)) + ln_correction(correction, model_s);
  };
  std::vector<double> ln_times;
  for (const auto& sample : known.parameters.samples.values) ln_times.push_back(ln_time(sample));
  const double spread = std::hypot(correction.of.spread, reference.constants.unstated_noise);
  return collective_interval(std::exp(ln_time(known.parameters.mode)), ln_times, spread);
}

bool holds(const IterationTime& predicted, double measured_s) {
  return measured_s >= predicted.s_low && measured_s <= predicted.s_high;
}

void add_table(const ReferenceData& reference, const SeriesData& table, std::vector<PredictedCollective>& all) {
  const auto& large = nearest(table, large_shown_bytes);
  const VisibleTraining shown{nearest(table, large.size_bytes / large_over_small), large};
  if (shown.small.size_bytes == shown.large.size_bytes) return;
  const auto nothing = known_of(reference, table, {});
  const auto two = known_of(reference, table, {shown.small, shown.large});
  for (const auto& point : table.points) {
    if (shown.has(point)) continue;
    const auto before = predicted(reference, table, point, nothing);
    const auto after = predicted(reference, table, point, two);
    all.push_back({table.setup.cluster.name, table.id, table.setup.transport.name, point.gpus, point.nodes,
                   point.size_bytes, point.measured_s, before.s, after.s, holds(before, point.measured_s),
                   holds(after, point.measured_s), line_s(shown, point.size_bytes), before.s_low, before.s_high});
  }
}

std::map<std::string, std::vector<MeasurementFile>> by_cluster(const std::vector<MeasurementFile>& files) {
  std::map<std::string, std::vector<MeasurementFile>> sorted;
  for (const auto& file : files) sorted[file.context.cluster].push_back(file);
  return sorted;
}

} // namespace

std::vector<PredictedCollective> predict_collectives(const ReferenceData& reference,
                                                     const std::vector<MeasurementFile>& files) {
  constexpr std::size_t fewest_sizes = 3;
  std::vector<PredictedCollective> all;
  for (const auto& [cluster, own] : by_cluster(files)) {
    if (reference.clusters.count(cluster) == 0) continue; // the cluster is a user's own
    const auto unshaped = without_site(reference, cluster);
    for (const auto& table :
         collective_series(unshaped, priors_for(unshaped.priors), unshaped.clusters.at(cluster), own, 1))
      if (table.measured == Measured::all_reduce && table.points.size() >= fewest_sizes)
        add_table(unshaped, table, all);
  }
  return all;
}

std::vector<UnseenCollective> predict_unseen_collectives(const ReferenceData& reference,
                                                         const std::vector<MeasurementFile>& files) {
  std::vector<UnseenCollective> all;
  for (const auto& [cluster, own] : by_cluster(files)) {
    for (const auto& table :
         collective_series(reference, priors_for(reference.priors), reference.clusters.at(cluster), own, 1)) {
      if (!is_collective(table.measured)) continue;
      const auto nothing = known_of(reference, table, {});
      for (const auto& point : table.points)
        all.push_back({table.id, point.gpus, point.nodes, point.size_bytes, point.measured_s,
                       predicted(reference, table, point, nothing)});
    }
  }
  return all;
}

} // namespace ddlsim
