#pragma once
// A candidate with one of its strategies: the machine, its price, and its training speed at every scale.

#include "plan/epochs.hpp"
#include "plan/node_costs.hpp"
#include "sim/formats/plan_request.hpp"
#include "sim/predict/known_files.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <map>
#include <memory>
#include <vector>

namespace ddlsim {

/// A candidate with one of its strategies. Its curves refer to `files` and to the request, both of which must outlive
/// it.
struct PlanOption {
  const PlanCandidate* candidate = nullptr;
  Strategy strategy;
  std::shared_ptr<const KnownFiles> files;
  Scenario scenario; ///< scenario with the candidate's batch; its `gpus` are the scales to evaluate
  NodeCosts costs;
  std::shared_ptr<const TrainingLength> length;            ///< length of the training, which all options share
  std::map<double, std::shared_ptr<const Curve>> curves{}; ///< curves by samples per GPU; curve_at() fills them
};

/// Combines every candidate with every strategy. Throws UserError if a name is unknown, the cluster lacks the preset's
/// transports, or the convergence belongs to another model.
std::vector<PlanOption> make_plan_options(const PlanRequest& request, const DataFolder& data);

/// Samples per GPU in one iteration at that scale: the candidate's batch, or the GPU's share of the global batch.
double batch_at(const PlanRequest& request, const PlanOption& option, int gpus);

/// Returns the curve for that batch. All options draw their samples from one seed, so that uncertainty that two options
/// share cancels in a comparison. The model error differs between clusters, so its draws are permuted for each cluster.
const Curve& curve_at(PlanOption& option, double batch_per_gpu);

} // namespace ddlsim
