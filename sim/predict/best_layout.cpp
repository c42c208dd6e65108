#include "sim/predict/best_layout.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/piece_shape.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/memory_fit.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "sim/iteration/step_cache.hpp"
#include "sim/predict/layout_estimate.hpp"
#include "sim/predict/replica_choices.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <set>
#include <string>

namespace ddlsim {
namespace {

constexpr int open_degree = ModelParallelOptions::best;

/// Largest number of operations in all layouts that are run at a scale; they take about 3 s.
constexpr double most_operations_searched = 30e6;

/// The stated degrees, and for each open one the smallest that still gives a model-parallel layout.
Strategy least_layout(const StepSetup& setup) {
  Strategy strategy = setup.strategy;
  auto& parallel = strategy.parallel;
  if (parallel.tensor == open_degree) parallel.tensor = 1;
  if (parallel.context == open_degree) parallel.context = 1;
  if (parallel.pipeline == open_degree) parallel.pipeline = parallel.tensor * parallel.context > 1 ? 1 : 2;
  if (parallel.micro_batches == open_degree) parallel.micro_batches = 1;
  if (parallel.virtual_stages == open_degree) {
    parallel.virtual_stages = 1;
    parallel.schedule = PipelineSchedule::one_f_one_b;
  }
  if (parallel.expert == open_degree) parallel.expert = 1;
  parallel.best_layout = false;
  if (parallel.recompute == Recompute::best) parallel.recompute = Recompute::full;
  const auto usual = replica_choices(setup, {}).front();
  parallel.data_parallel = usual.kind;
  parallel.shard_group = usual.shard_group;
  return strategy;
}

/// A candidate of the search.
struct LayoutCandidate {
  Strategy strategy;
  double least_s = 0;    ///< lower bound of its iteration time
  double estimate_s = 0; ///< estimate of it without stragglers and synchronisation; 0: not estimated
  double peak_bytes = 0; ///< of the memory of the GPU that needs most
  bool fits = true;      ///< whether the candidate fits into memory
  bool is_needed = true; ///< whether no candidate that recomputes less can take its place
  std::optional<StepTime> time{};
};

/// Whether two layouts are the same but for what they recompute.
bool differ_in_recomputation(const Strategy& one, Strategy other) {
  other.parallel.recompute = one.parallel.recompute;
  return one.parallel == other.parallel;
}

/// Share by which the estimates of layouts that matter are wrong at most, where latency does not dominate.
constexpr double margin = 0.05;

/// Number of operations that are run without asking the estimates; they take about 0.1 s.
constexpr double operations_without_estimates = 1e6;

/// The candidates of one scale. The search runs only as many as the decision needs.
class LayoutSearch {
public:
  LayoutSearch(StepSetup setup, const Parameters& likeliest) : setup_(std::move(setup)), likeliest_(likeliest) {
    for (const auto& strategy : layout_candidates(setup_)) add(strategy);
    mark_fitting();
  }

  FoundLayout find() {
    FoundLayout found;
    found.tried = static_cast<int>(candidates_.size());
    for (const auto& candidate : candidates_) found.refused_by_memory += candidate.fits ? 0 : 1;
    const auto fastest = run(true, 2, std::numeric_limits<double>::infinity());
    if (fastest.empty()) {
      found.strategy = candidates_.empty() ? least_layout(setup_) : smallest();
      return found;
    }
    found.best = divided(*fastest.front());
    found.strategy = found.best->strategy;
    if (fastest.size() > 1) found.runner_up = divided(*fastest[1]);
    const auto larger = run(false, 1, found.best->time.iteration_s);
    if (!larger.empty()) found.too_large = divided(*larger.front());
    return found;
  }

private:
  /// The candidate's time with its bubble and exposed parts, which the search leaves out.
  TimedLayout divided(const LayoutCandidate& candidate) {
    auto& memory = memory_of(candidate.strategy);
    memory.divides = true;
    return {candidate.strategy, time_step(setup_, likeliest_, Fidelity::formula, memory)};
  }

  /// Adds a candidate. One that recomputes more than a candidate before it that fits is slower, so that its memory does
  /// not matter.
  void add(const Strategy& strategy) {
    LayoutCandidate candidate{strategy, least_iteration_s(strategy)};
    if (!candidates_.empty() && differ_in_recomputation(candidates_.back().strategy, strategy)) {
      const auto& before = candidates_.back();
      candidate.is_needed =
          before.is_needed && before.peak_bytes > usable_bytes(setup_.gpu) && setup_.gpu.memory_bytes > 0;
    }
    candidate.peak_bytes = candidate.is_needed ? peak_of(strategy) : candidates_.back().peak_bytes;
    candidates_.push_back(candidate);
  }

  double peak_of(const Strategy& strategy) {
    const auto& pieces = memory_of(strategy).shape->pieces; // sets the strategy of setup_
    auto& layers = layers_[strategy.parallel.recompute];
    if (layers.empty()) layers = layer_memory(setup_.model, kept_facts(setup_));
    return peak_stage_memory(setup_, pieces, layers).total();
  }

  /// Layouts fit whose peak is not above the GPU's memory; where there are none, those that memory_complaint() accepts.
  void mark_fitting() {
    if (setup_.gpu.memory_bytes <= 0) return;
    const double usable = usable_bytes(setup_.gpu);
    for (auto& candidate : candidates_) candidate.fits = candidate.peak_bytes <= usable;
    if (std::any_of(candidates_.begin(), candidates_.end(), [](const auto& candidate) { return candidate.fits; }))
      return;
    for (auto& candidate : candidates_)
      candidate.fits = memory_fit(candidate.peak_bytes, setup_.gpu, setup_.model) != MemoryFit::too_large;
  }

  /// The cache of layouts with as many pieces, the same recomputation, and parameters shared or not. They share the layers' times and the pieces.
  StepCache& memory_of(const Strategy& strategy) {
    const auto& parallel = strategy.parallel;
    auto& memory =
        memories_[{parallel.recompute, shards_parameters(strategy)}][parallel.pipeline * parallel.virtual_stages];
    memory.stores = memory.divides = false;
    setup_.strategy = strategy;
    if (!memory.shape) memory.shape = backward_shape_of(setup_);
    return memory;
  }

  /// Returns a lower bound of the iteration time. A stage computes all its own work. Before its first forward the first
  /// micro-batch passes through all stages before it, and after its last backward the last micro-batch passes back
  /// through them.
  double least_iteration_s(const Strategy& strategy) {
    const auto& pieces = memory_of(strategy).shape->pieces;
    const auto& parallel = strategy.parallel;
    const double compute_s = setup_.one_gpu_s * compute_factor_of(likeliest_) * likeliest_.model_discrepancy;
    double before_s = 0;
    double least_s = 0;
    for (int stage = 0; stage < parallel.pipeline; ++stage) {
      double own_s = 0;
      for (std::size_t piece = at(stage); piece < pieces.size(); piece += at(parallel.pipeline))
        own_s += share_of(pieces[piece]) * compute_s * parallel.pipeline;
      least_s = std::max(least_s, before_s + own_s);
      before_s += share_of(pieces[at(stage)]) * compute_s * parallel.pipeline / parallel.micro_batches;
    }
    return least_s;
  }

  double share_of(const PieceShape& piece) const {
    return likeliest_.forward_share * (piece.forward + piece.again.forward) +
           (1 - likeliest_.forward_share) * piece.backward;
  }

  /// Estimates a candidate's time by the pieces of the same layout with one piece a stage.
  double estimate_of(const Strategy& strategy) {
    auto of_stages = strategy;
    of_stages.parallel.virtual_stages = 1;
    const auto& stages = memory_of(of_stages);
    setup_.strategy = strategy;
    return estimated_iteration_s(setup_, likeliest_, stages);
  }

  /// The candidates that fit, or those that do not, with the lowest estimate first. Of many only those with the lowest
  /// bounds are estimated.
  std::vector<LayoutCandidate*> most_promising(bool fitting, double limit_s) {
    constexpr std::size_t most_estimated = 5'000;
    constexpr std::size_t least_estimated = 200;
    std::vector<LayoutCandidate*> found;
    for (auto& candidate : candidates_)
      if (candidate.fits == fitting && candidate.is_needed && candidate.least_s < limit_s) found.push_back(&candidate);
    std::stable_sort(found.begin(), found.end(),
                     [](const LayoutCandidate* a, const LayoutCandidate* b) { return a->least_s < b->least_s; });
    double lowest_s = limit_s;
    std::size_t estimated = 0;
    for (; estimated < found.size() && estimated < most_estimated; ++estimated) {
      auto& candidate = *found[estimated];
      const bool is_slower = candidate.least_s > (1 + margin) * lowest_s;
      if (is_slower && estimated >= least_estimated) break;
      candidate.estimate_s = estimate_of(candidate.strategy);
      lowest_s = std::min(lowest_s, candidate.estimate_s);
    }
    found.resize(estimated);
    std::stable_sort(found.begin(), found.end(),
                     [](const LayoutCandidate* a, const LayoutCandidate* b) { return a->estimate_s < b->estimate_s; });
    return found;
  }

  /// Returns the `most` fastest candidates that are faster than `limit_s`, among those that fit into memory or among
  /// those that do not. It runs the most promising first, until the next one's estimate is `margin` above the times
  /// reached.
  std::vector<LayoutCandidate*> run(bool fitting, std::size_t most, double limit_s) {
    double time_of_estimate = 0; // time over estimate of the first that ran
    std::vector<LayoutCandidate*> fastest;
    const auto is_faster = [](const LayoutCandidate* a, const LayoutCandidate* b) {
      constexpr double equal = 1e-9; // factor within which times are equal except for rounding
      if (std::abs(a->time->iteration_s / b->time->iteration_s - 1) > equal)
        return a->time->iteration_s < b->time->iteration_s;
      return a < b; // keeps the order of layout_candidates()
    };
    for (LayoutCandidate* const next : most_promising(fitting, limit_s)) {
      const double reached_s = fastest.size() < most ? limit_s : fastest.back()->time->iteration_s;
      const bool is_slower = time_of_estimate * next->estimate_s > (1 + margin) * reached_s;
      if (is_slower && operations_ > operations_without_estimates) break;
      if (next->least_s > (1 + 1e-9) * reached_s) continue;
      operations_ += operations_of_pipeline(next->strategy.parallel);
      if (operations_ > most_operations_searched && !fastest.empty()) break;
      auto& memory = memory_of(next->strategy);
      next->time = time_step(setup_, likeliest_, Fidelity::formula, memory);
      if (time_of_estimate == 0) time_of_estimate = next->time->iteration_s / next->estimate_s;
      if (!(next->time->iteration_s < limit_s)) continue;
      fastest.insert(std::upper_bound(fastest.begin(), fastest.end(), next, is_faster), next);
      if (fastest.size() > most) fastest.pop_back();
    }
    return fastest;
  }

  /// Returns the layout that needs the least memory, for a scale at which no layout fits. memory_complaint() says how
  /// much memory it lacks.
  Strategy smallest() {
    return std::min_element(
               candidates_.begin(), candidates_.end(),
               [](const LayoutCandidate& a, const LayoutCandidate& b) { return a.peak_bytes < b.peak_bytes; })
        ->strategy;
  }

  StepSetup setup_;
  const Parameters& likeliest_;
  std::map<Recompute, std::vector<LayerMemory>> layers_; ///< the same for all layouts that recompute the same
  std::vector<LayoutCandidate> candidates_;
  /// caches by recomputation, by whether replicas share parameters, and by number of pieces
  std::map<std::pair<Recompute, bool>, std::map<int, StepCache>> memories_;
  double operations_ = 0; ///< number of operations run so far
};

} // namespace

const FoundLayout& BestLayout::at(int gpus) const {
  std::unique_lock adding(adding_);
  auto& one = searches_.try_emplace(gpus).first->second;
  adding.unlock();
  const std::lock_guard running(one.running);
  if (!one.is_done) one.found = search(gpus);
  one.is_done = true;
  return one.found;
}

FoundLayout BestLayout::search(int gpus) const {
  const auto setup = on_gpus(setup_, gpus, gpus_per_full_node_);
  if (gpus > 1) // a single GPU has no parallel layout
    try {
      return LayoutSearch(setup, likeliest_).find();
    } catch (const UserError&) { // the point at this scale says why it is impossible
    }
  FoundLayout none;
  none.strategy = least_layout(setup);
  return none;
}

int BestLayout::most_usable(int gpus) const {
  const auto scales = scales_up_to(gpus);
  const auto found = std::find_if(scales.rbegin(), scales.rend(), [&](int scale) { return at(scale).tried > 0; });
  return found == scales.rend() ? 0 : *found;
}

int BestLayout::least_usable(int most) const {
  const auto scales = scales_up_to(most);
  const auto found = std::find_if(scales.begin(), scales.end(), [&](int scale) { return at(scale).tried > 0; });
  return found == scales.end() ? 0 : *found;
}

std::vector<int> BestLayout::scales_up_to(int gpus) const {
  const auto& requested = setup_.strategy.parallel;
  const int stated = std::max(1, requested.tensor) * std::max(1, requested.context) * std::max(1, requested.pipeline);
  const int domain = gpus_per_full_node_ * domain_nodes(setup_.cluster, setup_.transport);
  std::vector<int> scales;
  for (int scale = stated; scale <= std::min(gpus, domain); scale += stated)
    if (scale > 1) scales.push_back(scale);
  for (long scale = std::lcm(static_cast<long>(stated), static_cast<long>(domain)); scale <= gpus; scale *= 2)
    if (scale > domain) scales.push_back(static_cast<int>(scale));
  return scales;
}

} // namespace ddlsim
