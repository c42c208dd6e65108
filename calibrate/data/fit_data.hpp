#pragma once
// A measured series as the fit sees it: what the simulator needs to time each of its points, and what was measured.

#include "calibrate/data/reference_data.hpp"
#include "calibrate/data/series.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/record.hpp"
#include "sim/iteration/step.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {
/// What the time of a series' points is of.
enum class Measured { step, all_reduce, message, push, pull, push_pull };

/// One scale; of a bare transfer one size.
struct DataPoint {
  int gpus = 1; ///< of a bare transfer its ranks; of an exchange with a server the workers
  int nodes = 1;
  int gpus_per_node = 1;
  Strategy strategy;
  double measured_s = 0;
  double noise = 0; ///< standard deviation of the measurement's ln
  bool suspect = false;
  double size_bytes = 0; ///< of a bare transfer
};

struct SeriesData {
  std::string id;
  std::string strategy; ///< text of the series' strategy
  CalibrationScope scope;
  StepSetup setup; ///< of the series; its scale and strategy are set for each point
  std::string compute_prior;
  std::vector<Prior> priors; ///< of parameter_fields()
  std::vector<DataPoint> points;
  bool borrowed = false;  ///< measured on another cluster
  std::string excluded{}; ///< not empty: why no parameter is to learn from it; its own residual is still known
  Measured measured = Measured::step;
};

/// A transfer alone over sizes, and not a training step over scales.
inline bool is_transfer(const SeriesData& series) {
  return series.measured != Measured::step;
}

/// Nothing where the simulator cannot time the series: a model without a layer table, a cluster, GPU or precision that
/// is not in the catalogue, several nodes without a NIC. Compute is scaled to the one-GPU time without synchronisation;
/// else with it; else to the one that makes the prior's median sample pass through the smallest scale; else to the
/// roofline. A suspect point is four times as noisy as an unstated one. References into `reference data` stay in the result.
std::optional<SeriesData> series_data(const ReferenceData& reference, const std::vector<Prior>& priors,
                                      const Series& series);

/// The series' setup at that scale.
StepSetup setup_at(const SeriesData& fit_data, const DataPoint& point);

/// Iteration of that scale in that sample (of a bare transfer: transfer_time_s()); nothing but what a quick run knows.
double model_time_s(const SeriesData& fit_data, const DataPoint& point, const Parameters& sample);

// Everything a cluster's fit may learn from: its own records, and those of the clusters it borrows from.

struct SelectedFitData {
  std::vector<SeriesData> fit_data; ///< step series first, own before borrowed; then transfers alone
  std::vector<Excluded> excluded;
};

/// `series` and `files` may be of many clusters; only this one's and those it borrows from are looked at, the others
/// only tell contradictions. Step series: all that the simulator can time. Transfers alone,
/// of 16 KiB and more, over a path that the cluster file has: all-reduces, messages, exchanges with a server. What a
/// donor measured is told about the donor's own machine, and what is shared are efficiencies, latencies and software
/// costs.
SelectedFitData select_fit_data(const ReferenceData& reference, const std::string& cluster,
                                const std::vector<Series>& series, const std::vector<MeasurementFile>& files);

} // namespace ddlsim
