#pragma once
// The one function that answers: a question and what is known of its cluster in, a curve over scales out. `predict`,
// its table, the largest efficient scale, what to measure next, and the validation all ask here.

#include "sim/compute/one_gpu_estimate.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/inputs.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/formats/preset.hpp"
#include "sim/formats/prior_book.hpp"
#include "sim/formats/scenario.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <functional>
#include <vector>

namespace ddlsim {

/// What is known of a cluster when it is predicted: all that its files hold, or what a validation split shows of them.
/// The references must outlive every curve that is made of it.
struct Knowledge {
  const Cluster& cluster;
  const std::vector<Gpu>& gpus;
  const std::vector<Preset>& presets;
  const PriorBook& priors;
  const Calibration* calibration = nullptr;                           ///< null: the cluster was never calibrated
  std::function<OneGpuEstimate(const ComputeQuestion&)> one_gpu_time; ///< as OneGpuTimes::find() of the records known
  ModelConstants constants{};
  const InputCatalogue* inputs = nullptr; ///< null: no scenario names its input
};

/// The time of one GPU without synchronisation that a scenario starts from.
OneGpuEstimate one_gpu_of(const Scenario& scenario, const Model& model, const Knowledge& known);

/// The answer to one strategy of a scenario at every scale (predict_point(), find_largest_efficient_scale(), ...), with
/// the strategy's own preset and transport where it names some.
/// Throws UserError when a name is unknown or the preset's transports are not the cluster's.
Curve make_curve(const Scenario& scenario, const Strategy& strategy, const Model& model, const Knowledge& known);

/// The transport of a scenario: its own, else the first of the preset's that the cluster has.
/// Throws UserError naming what the cluster has and what the preset can use.
Transport choose_transport(const Scenario& scenario, const Cluster& cluster, const Preset& preset);

} // namespace ddlsim
