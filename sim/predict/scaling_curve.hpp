#pragma once
// One strategy over scales: the median sample and all drawn samples, its largest efficient scale, what to measure next.

#include "sim/formats/inputs.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/best_layout.hpp"
#include "sim/predict/best_servers.hpp"
#include "sim/predict/measured_all_reduces.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/residual_process.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ddlsim {

/// What a calibration adds to the samples themselves.
struct CalibrationInfo {
  bool any = false;                   ///< there is a calibration
  std::vector<bool> identified{};     ///< by parameter_fields(): narrowed by measurements
  std::vector<bool> borrowed{};       ///< the same, by measurements of other clusters only
  std::vector<int> points{};          ///< the same: how many measured points may depend on it
  ResidualProcess residual_process{}; ///< of this strategy's series
  std::vector<KnownResidual> own{};   ///< of the same series, where it was measured
  bool of_other_batches = false; ///< `own` is of the same stack and model with other batches: this was not measured
  int largest_nodes = 0;         ///< measured here with this transport and kind of strategy
  int largest_donor_nodes = 0;   ///< the same on donor clusters; 0: none ran it
  int largest_gpus = 0;          ///< measured here; of this stack alone where it was measured
  double line_share = 0;         ///< of the straight line, see ln_shift_to_line()
  double line_fade = ModelConstants{}.line_fade;
  double measurement_noise = ModelConstants{}.unstated_noise; ///< standard deviation of ln of one measurement
  /// Least standard deviation of ln across nodes, where no run of this kind of strategy across nodes tells it: what
  /// other series leave unexplained says nothing of other paths. 0: there is such a run.
  double least_across_nodes = 0;
  std::vector<MeasuredAllReduce> all_reduces{}; ///< all-reduces by themselves, over this transport by this library
};

/// What all scales of one strategy share. `setup.gpus` is set for each scale.
struct Curve {
  StepSetup setup;
  Parameters median;
  Draws samples;
  int gpus_per_full_node = 1;
  int growth_gpus = 0;                               ///< most GPUs the cluster may grow to
  EvidenceLabel compute_label;                       ///< of the one-GPU rate
  double discrepancy_width = 0.05;                   ///< standard deviation of ln that model_discrepancy was drawn with
  CalibrationInfo calibration{};                     ///< of the cluster, where there is one
  std::vector<Prior> priors{};                       ///< of parameter_fields(), before any calibration
  std::shared_ptr<const BestServers> best_servers{}; ///< of a strategy that seeks them: what it has at each scale
  std::shared_ptr<const BestLayout> best_layout{};   ///< the same of a strategy that seeks its degrees
  InputUncertainty input_uncertainty{};              ///< about named input; drawn into samples.values[i].input
  std::shared_ptr<const Preset> stand_in{};          ///< what `setup` refers to where no preset is of the stack
  int threads = 1;                                   ///< that share the samples; no answer depends on it
};

/// The setup at another scale, with the best servers there where the strategy seeks them.
StepSetup at_scale(const Curve& curve, int gpus);

/// The number is the likeliest sample by `fidelity`. The interval is that of the drawn samples by the formulas, times
/// the ratio of the likeliest sample by `fidelity` to the same by the formulas, so that what contention adds moves the
/// whole interval. Beyond growth_gpus: a point with an error.
struct PointAndSamples {
  PredictedPoint point;
  std::vector<double> sample_times_s; ///< none for a point with an error
};
PointAndSamples predict_point(const Curve& curve, int gpus, Fidelity fidelity);

/// The same at several scales, to the bit. SimGrid runs their numbers, as many at a time as the curve has
/// threads, while the formulas time samples.
/// `begins(gpus)` is called before each.
std::vector<PointAndSamples> predict_points(const Curve& curve, const std::vector<int>& scales, Fidelity fidelity,
                                            const std::function<void(int gpus)>& begins);

/// Why such a scale is impossible: too many GPUs, or a batch that does not fit; "" when it is not.
std::string why_impossible(const Curve& curve, int gpus);

/// The operations behind the number of that point, and when each of them runs: the likeliest sample by `fidelity`.
StepRun likeliest_run(const Curve& curve, int gpus, Fidelity fidelity);

/// Iteration of one GPU without synchronisation on the same input, in that sample: what efficiency compares with.
double one_gpu_iteration_s(const Curve& curve, const Parameters& sample);

/// Whether this cluster's records have the very point: this stack, model and batch at that scale.
bool was_measured(const Curve& curve, const PredictedPoint& point);

struct ShownEfficiency {
  double efficiency = 0;
  std::string largest_loss; ///< what costs most beside compute
};

/// Of that point, without its interval; nothing where the point is an error.
std::optional<ShownEfficiency> predicted_efficiency(const Curve& curve, int gpus, Fidelity fidelity);

/// Efficiency of one sample at that scale, by the formulas.
double efficiency(const Curve& curve, const Parameters& sample, int gpus);

/// The parameter whose uncertainty widens the interval at `gpus` most, what would measure it, and the half-width left
/// once it is known: half-width x sqrt(1 - r^2), r the correlation of the parameter's z-score with ln(iteration time)
/// over the samples (linear regression; r^2 is the share of variance that one parameter explains).
/// `times_s` are the samples' iteration times there (sample_times).
MeasureNext find_measure_next(const Curve& curve, int gpus, const std::vector<double>& times_s);

} // namespace ddlsim
