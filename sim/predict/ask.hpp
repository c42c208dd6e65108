#pragma once
// The function that answers questions: from a scenario's question and the knowledge of its cluster it makes a curve
// over scales. `predict`, its table, the largest efficient scale, what to measure next and the validation all use it.

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
#include <memory>
#include <vector>

namespace ddlsim {

/// What is known of a cluster for a prediction: all that its files hold, or the part that a validation split shows. The
/// referenced objects must outlive every curve that is made from it.
struct Knowledge {
  const Cluster& cluster;
  const std::vector<Gpu>& gpus;
  const std::vector<Preset>& presets;
  const PriorBook& priors;
  const Calibration* calibration = nullptr; ///< calibration of the cluster; null: it was never calibrated
  std::function<OneGpuEstimate(const ComputeQuestion&)> one_gpu_time; ///< OneGpuTimes::find() over the known records
  ModelConstants constants{};
  const InputCatalogue* inputs = nullptr; ///< catalogue of named inputs; null: no scenario names its input
};

/// Returns the model as the scenario trains it; null where that is the table's.
std::shared_ptr<const Model> model_in_question(const Scenario& scenario, const Model& table);

/// Time of an iteration on one GPU without synchronisation, on which the scenario's prediction is based.
OneGpuEstimate one_gpu_of(const Scenario& scenario, const Strategy& strategy, const Model& model,
                          const Knowledge& known);

/// Makes the curve of one strategy of a scenario, which answers at every scale (predict_point(),
/// find_largest_efficient_scale(), ...). The strategy's own preset and transport are used where it names them. Throws
/// UserError when a name is unknown or the cluster has none of the preset's transports.
Curve make_curve(const Scenario& scenario, const Strategy& strategy, const Model& model, const Knowledge& known);

/// Returns the scenario's own transport, else the first of the preset's transports that the cluster has. Throws
/// UserError that names the transports of the cluster and those that the preset can use.
Transport choose_transport(const Scenario& scenario, const Cluster& cluster, const Preset& preset);

} // namespace ddlsim
