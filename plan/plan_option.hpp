#pragma once
// A candidate with one of its strategies: the machine, its price, and how fast it trains at every scale.

#include "plan/epochs.hpp"
#include "plan/node_costs.hpp"
#include "sim/formats/plan_request.hpp"
#include "sim/predict/known_files.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <map>
#include <memory>
#include <vector>

namespace ddlsim {

/// Its curves refer to `files`, and to the request that it was made from: both must outlive it.
struct PlanOption {
  const PlanCandidate* candidate = nullptr;
  Strategy strategy;
  std::shared_ptr<const KnownFiles> files;
  Scenario scenario; ///< at the candidate's batch; `gpus` are the scales to look at
  NodeCosts costs;
  std::shared_ptr<const TrainingLength> length;            ///< shared by all options
  std::map<double, std::shared_ptr<const Curve>> curves{}; ///< by samples a GPU; filled by curve_at()
};

/// Every candidate with every strategy. Throws UserError when a name is unknown, the preset's transports are not the
/// cluster's, or the convergence is another model's.
std::vector<PlanOption> make_plan_options(const PlanRequest& request, const DataFolder& data);

/// Samples a GPU takes in one iteration at that scale: the candidate's batch, or its part of the global batch.
double batch_at(const PlanRequest& request, const PlanOption& option, int gpus);

/// The curve at that batch. All options draw from one seed, so that uncertainty which two share cancels where they are
/// compared. The error of the
/// model itself differs from cluster to cluster: its draws come in another order for each.
const Curve& curve_at(PlanOption& option, double batch_per_gpu);

} // namespace ddlsim
