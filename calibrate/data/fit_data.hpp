#pragma once
// A measured series as the fit sees it: the measured times, and the setup with which the simulator times each point.

#include "calibrate/data/series.hpp"
#include "sim/compute/one_gpu_estimate.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "sim/iteration/step.hpp"
#include "sim/iteration/step_cache.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {
/// The operation whose time a series measures.
enum class Measured { step, all_reduce, message, push, pull, push_pull };

/// One scale of a series of steps, or one size of a transfer micro-benchmark.
struct DataPoint {
  int gpus = 1; ///< for an all-reduce the ranks, for an exchange with a server the workers
  int nodes = 1;
  int gpus_per_node = 1;
  Strategy strategy;
  double measured_s = 0;
  double noise = 0;      ///< standard deviation of the logarithm of the measured time
  bool suspect = false;  ///< the source or its importer marks it as suspect
  double size_bytes = 0; ///< of a transfer
};

struct SeriesData {
  std::string id;
  std::string strategy; ///< the series' strategy as text
  CalibrationScope scope;
  StepSetup setup; ///< of the series; scale and strategy are set for each point
  std::string compute_prior;
  std::vector<Prior> priors; ///< in the order of parameter_fields()
  std::vector<DataPoint> points;
  bool borrowed = false;  ///< measured on another cluster
  std::string excluded{}; ///< why the fit does not use the series, "" if it does; residuals are still computed
  Measured measured = Measured::step;
  std::shared_ptr<const Preset> stand_in{}; ///< the preset that `setup` refers to if none describes the stack
};

/// True for a transfer micro-benchmark over sizes, false for training steps over scales.
inline bool is_transfer(const SeriesData& series) {
  return series.measured != Measured::step;
}

/// Nothing where the simulator cannot time the series: a model without a layer table; a cluster, GPU or precision that
/// is not in the catalogue; anything but all-reduces of a stack without a preset (stand_in_preset); none of the
/// preset's transports on the cluster; no GPU named, and no one-GPU time of its own. Points on several nodes are left
/// out where the transport has no NIC. The one-GPU time is what a prediction that names the series would start from.
/// Suspect points are among its points, as remove_suspect_times() finds them. The result refers into `reference`.
std::optional<SeriesData> series_data(const ReferenceData& reference, const std::vector<Prior>& priors,
                                      const Series& series, const OneGpuTimes& one_gpu_times);

/// One-GPU times in these files that predictions for a cluster may use: its own, those of clusters it borrows steps
/// from, and those of all others. A record that names no GPU, from a cluster without one, belongs to unnamed_device().
std::unique_ptr<const OneGpuTimes> one_gpu_times_of(const ReferenceData& reference, const Cluster& cluster,
                                                    const std::vector<MeasurementFile>& files);

/// The series' setup at the scale of that point.
StepSetup setup_at(const SeriesData& fit_data, const DataPoint& point);

/// Simulated time of the point for these parameters: a step by the formulas, a transfer by transfer_time_s().
double model_time_s(const SeriesData& fit_data, const DataPoint& point, const Parameters& sample);

/// The records that a cluster's fit uses: its own, and those of the clusters it borrows from.
struct SelectedFitData {
  std::vector<SeriesData> fit_data; ///< step series first, own before borrowed; then transfers
  std::vector<Excluded> excluded;
};

/// `series` and `files` may be of many clusters; the fit uses this one's and those of its donor clusters, the others
/// only show contradictions. Step series: all that the simulator can time. Transfers (all-reduces, messages, exchanges
/// with a server): those of 16 KiB and more over a path that the cluster file has. A donor's series is simulated on the
/// donor's machine; efficiencies, latencies and software costs are what the clusters share.
SelectedFitData select_fit_data(const ReferenceData& reference, const std::string& cluster,
                                const std::vector<Series>& series, const std::vector<MeasurementFile>& files);

/// The time that `predict` gives for the point, divided by model_time_s(): 1 for transfers and where the formulas are
/// exact.
double predicted_over_formula(const SeriesData& fit_data, const DataPoint& point, const Parameters& sample);

/// Gives the same bits as model_time_s(), but keeps the parts that do not depend on the parameters. For one thread.
class CachedStep {
public:
  CachedStep(const SeriesData& fit_data, const DataPoint& point);

  /// Time with these parameters. Parts that the next samples leave unchanged are not computed again.
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
