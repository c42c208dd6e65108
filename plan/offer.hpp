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

/// Its curves refer to `files`, and to the request that it was made of.
struct Offer {
  const PlanCandidate* candidate = nullptr;
  Strategy strategy;
  std::shared_ptr<const KnownFiles> files;
  Scenario scenario; ///< at the candidate's batch; `gpus` are the scales to look at
  NodeCosts costs;
  std::shared_ptr<const TrainingLength> length;            ///< one of all offers
  std::map<double, std::shared_ptr<const Curve>> curves{}; ///< by batch a GPU, as they were asked for
};

/// Every candidate with every strategy. Throws UserError when a name is unknown, the preset's transports are not the
/// cluster's, or the convergence is another model's.
std::vector<Offer> make_offers(const PlanRequest& request, const DataFolder& data);

/// Samples a GPU takes in one iteration at that scale: the candidate's batch, or its part of the global batch.
double batch_at(const PlanRequest& request, const Offer& offer, int gpus);

/// The curve at that batch. All offers draw from one seed, so that uncertainty which two share cancels where they are
/// compared. What no parameter explains is another thing on another cluster: there its draws come in another order.
const Curve& curve_at(Offer& offer, double batch_per_gpu);

} // namespace ddlsim
