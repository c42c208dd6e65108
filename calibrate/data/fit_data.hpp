#pragma once
// A measured series in the form that the fit reads: the measured times, and the setup with which the simulator times
// each point.

#include "calibrate/data/series.hpp"
#include "sim/compute/one_gpu_estimate.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "sim/iteration/step.hpp"
#include "sim/iteration/step_cache.hpp"
#include "sim/predict/measured_operation.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {
/// One scale of a series of steps, or one size of a transfer micro-benchmark.
struct DataPoint {
  int gpus = 1; ///< number of GPUs; of an all-reduce the ranks, of an exchange with a server the workers
  int nodes = 1;
  int gpus_per_node = 1;
  Strategy strategy;
  double measured_s = 0;
  double noise = 0;      ///< standard deviation of the logarithm of the measured time
  bool suspect = false;  ///< whether the source or its importer marks it as suspect
  double size_bytes = 0; ///< bytes of a transfer
};

struct SeriesData {
  std::string id;
  std::string strategy; ///< the series' strategy as text
  CalibrationScope scope;
  StepSetup setup; ///< the setup of the series; scale and strategy are set for each point
  std::string compute_prior;
  std::vector<Prior> priors; ///< priors in the order of parameter_fields()
  std::vector<DataPoint> points;
  bool borrowed = false;  ///< whether the series was measured on another cluster
  std::string excluded{}; ///< why the fit does not use the series; "" if it does; residuals are computed in both cases
  Measured measured = Measured::step;
  std::shared_ptr<const Preset> stand_in{}; ///< the preset that `setup` refers to where none describes the stack
};

/// True for a transfer micro-benchmark over sizes, false for training steps over scales.
inline bool is_transfer(const SeriesData& series) {
  return series.measured != Measured::step;
}

/// Returns the series in the form that the fit reads, which refers into `reference`. Returns nothing where the
/// simulator cannot time the series: its model has no layer table; its cluster, GPU or precision is not in the
/// catalogue; its stack has no preset and does more than all-reduces (stand_in_preset); the cluster has none of the
/// preset's transports; it names no GPU and has no one-GPU time of its own.
/// Points on several nodes are left out where the transport has no NIC. The one-GPU time is the one from which a
/// prediction that names the series would start. Suspect points stay among the points, and remove_suspect_times() finds
/// them.
std::optional<SeriesData> series_data(const ReferenceData& reference, const std::vector<Prior>& priors,
                                      const Series& series, const OneGpuTimes& one_gpu_times);

/// Returns the one-GPU times in these files that predictions for a cluster may use: its own, those of clusters from
/// which it borrows steps, and those of all others. A record without a GPU, from a cluster without one, belongs to
/// unnamed_device().
std::unique_ptr<const OneGpuTimes> one_gpu_times_of(const ReferenceData& reference, const Cluster& cluster,
                                                    const std::vector<MeasurementFile>& files);

/// The series' setup at the scale of that point.
StepSetup setup_at(const SeriesData& fit_data, const DataPoint& point);

/// Simulated time of the point with these parameters: of a step by the formulas, of a transfer by transfer_time_s().
double model_time_s(const SeriesData& fit_data, const DataPoint& point, const Parameters& sample);

/// The records that a cluster's fit uses: its own, and those of the clusters it borrows from.
struct SelectedFitData {
  /// series of steps first, the cluster's own before borrowed ones, and then transfers
  std::vector<SeriesData> fit_data;
  std::vector<Excluded> excluded;
};

/// Selects the series that a fit of the cluster uses: its own and those of the clusters it borrows from. `series` and
/// `files` may be of many clusters; the others only show contradictions. All series of steps that the simulator can
/// time are taken, and all transfers (all-reduces, messages, exchanges with a server) of 16 KiB and more over a path
/// that the cluster file has. A borrowed series is simulated on the machine of its own cluster. What the clusters share
/// is efficiencies, latencies and software costs.
SelectedFitData select_fit_data(const ReferenceData& reference, const std::string& cluster,
                                const std::vector<Series>& series, const std::vector<MeasurementFile>& files);

/// The time that `predict` gives for the point, divided by model_time_s(): 1 for transfers and where the formulas are
/// exact.
double predicted_over_formula(const SeriesData& fit_data, const DataPoint& point, const Parameters& sample);

/// Gives the same bits as model_time_s(), but keeps the parts that do not depend on the parameters. One thread may use
/// it.
class CachedStep {
public:
  CachedStep(const SeriesData& fit_data, const DataPoint& point);

  /// Time with these parameters. Parts that the next samples do not change are not computed again.
  double time_s(const Parameters& sample);
  /// Time with these parameters. The cache stays as the last call of time_s() left it.
  double time_without_caching_s(const Parameters& sample);

private:
  double run(const Parameters& sample);

  StepSetup setup_;
  Measured measured_;
  DataPoint point_;
  StepCache memory_;
};

} // namespace ddlsim
