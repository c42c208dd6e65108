#include "sim/predict/best_servers.hpp"

#include "sim/base/error.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/server_graph.hpp"
#include "sim/iteration/server_limits.hpp"
#include "sim/iteration/step_cache.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

namespace ddlsim {
namespace {

/// Factor within which two costs are equal except for rounding.
constexpr double equal_cost = 1 + 1e-9;

/// Number of shards above which servers are not searched: a step with more takes a second or more by the formulas.
constexpr double most_shards_searched = 500'000;

int nodes_of_setup(const StepSetup& setup) {
  return (setup.gpus + setup.gpus_per_node - 1) / setup.gpus_per_node;
}

std::set<int> server_counts(const StepSetup& setup) {
  const int nodes = nodes_of_setup(setup);
  std::set<int> counts{nodes, 2 * nodes, setup.gpus};
  for (int count = 1; count < nodes; count *= 2) counts.insert(count);
  return counts;
}

int hosts_of(const StepSetup& setup, const Strategy& strategy) {
  return strategy.placement == Placement::dedicated && starts_servers(setup) ? strategy.servers.value : 0;
}

/// Shards of all tensors on that many servers, by the preset's likeliest rule if the strategy leaves it open.
double shards_on(const StepSetup& setup, const BackwardShape& shape, Sharding sharding, int servers) {
  if (sharding == Sharding::unknown) sharding = *value_named<Sharding>(setup.preset.shardings.front().name);
  return bound_of_shards(shape, sharding, setup.preset.split_bytes, servers).shards;
}

/// A candidate of the search. `least_s` is a lower bound of its iteration time; `cost` is set once it was simulated.
struct Candidate {
  Strategy strategy;
  double bought_nodes = 0;
  double least_cost = 0; ///< lower bound of `cost`
  /// nodes bought x seconds of an iteration, over its samples: the inverse of samples/s per node bought
  std::optional<double> cost;
};

/// The candidates of one scale. The search runs only as many as the decision needs.
class Search {
public:
  Search(StepSetup setup, const Parameters& likeliest) : setup_(std::move(setup)), likeliest_(likeliest) {
    memory_.stores = false; // candidates share only the layers' times
    memory_.shape = backward_shape_of(setup_);
    for (const auto& strategy : server_candidates(setup_))
      candidates_.push_back(
          {strategy, static_cast<double>(nodes_of_setup(setup_) + hosts_of(setup_, strategy)), 0, {}});
    for (auto& candidate : candidates_) candidate.least_cost = candidate.bought_nodes * least_iteration_s(candidate);
  }

  /// Runs the most promising candidates first, until no lower bound is below the lowest cost so far.
  Strategy find() {
    std::vector<Candidate*> by_bound;
    for (auto& candidate : candidates_) by_bound.push_back(&candidate);
    std::stable_sort(by_bound.begin(), by_bound.end(),
                     [](const Candidate* a, const Candidate* b) { return a->least_cost < b->least_cost; });
    double lowest = std::numeric_limits<double>::infinity();
    for (Candidate* const next : by_bound) {
      if (next->least_cost > equal_cost * lowest) break;
      next->cost = next->bought_nodes * time_of(*next).iteration_s;
      lowest = std::min(lowest, *next->cost);
    }
    return std::find_if(candidates_.begin(), candidates_.end(),
                        [&](const Candidate& one) { return one.cost && *one.cost <= equal_cost * lowest; })
        ->strategy;
  }

private:
  StepTime time_of(const Candidate& candidate) {
    setup_.strategy = candidate.strategy;
    return time_step(setup_, likeliest_, Fidelity::formula, memory_);
  }

  double least_iteration_s(const Candidate& candidate) {
    setup_.strategy = candidate.strategy;
    return least_server_iteration_s(setup_, likeliest_, *memory_.shape);
  }

  StepSetup setup_;
  const Parameters& likeliest_;
  StepCache memory_;
  std::vector<Candidate> candidates_;
};

} // namespace

std::vector<Strategy> server_candidates(const StepSetup& setup) {
  const auto& requested = setup.strategy;
  std::vector<Placement> placements{requested.placement};
  if (requested.placement == Placement::unknown) placements = {Placement::colocated, Placement::dedicated};
  std::vector<Sharding> shardings{requested.sharding};
  if (requested.sharding == Sharding::unknown && !setup.preset.sharding_choices.empty())
    shardings = setup.preset.sharding_choices;
  const auto shape = backward_shape_of(setup);
  std::vector<Strategy> candidates;
  for (const Placement placement : placements) {
    for (const int count : server_counts(setup)) {
      for (const Sharding sharding : shardings) {
        if (count > 1 && shards_on(setup, shape, sharding, count) > most_shards_searched) continue;
        candidates.push_back(requested);
        candidates.back().servers = {ServerCount::Rule::count, count};
        candidates.back().placement = placement;
        candidates.back().sharding = sharding;
      }
    }
  }
  return candidates;
}

Strategy BestServers::at(int gpus) const {
  const std::lock_guard lock(searching_);
  const auto [known, is_new] = known_.try_emplace(gpus, setup_.strategy);
  if (!is_new) return known->second;
  const auto setup = on_gpus(setup_, gpus, gpus_per_full_node_);
  known->second = server_candidates(setup).front();
  if (gpus == 1) return known->second; // a single GPU sends nothing
  try {
    known->second = Search(setup, likeliest_).find();
  } catch (const UserError&) { // no number of servers makes this scale possible, and its point says why
  }
  return known->second;
}

} // namespace ddlsim
