#include "sim/predict/best_layout.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/piece_shape.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/memory_fit.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "sim/iteration/step_cache.hpp"

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

/// Number of operations above which a layout is not tried; more take 50 ms.
constexpr double most_operations = 500'000;

/// Largest number of operations in all layouts that are run at a scale; they take about 3 s.
constexpr double most_operations_searched = 30e6;

/// Largest number of candidates of a scale. A scale of 10,000 GPUs has about 300.
constexpr std::size_t most_candidates = 5'000;

/// Largest product of pieces and squared blocks, which is the work of splitting a model into pieces; it takes 0.2 s.
constexpr double most_cuts = 200e6;

std::vector<int> divisors(int number) {
  std::vector<int> found;
  for (int small = 1; small * small <= number; ++small) {
    if (number % small != 0) continue;
    found.push_back(small);
    if (small * small != number) found.push_back(number / small);
  }
  std::sort(found.begin(), found.end());
  return found;
}

int gpus_of_domain(const StepSetup& setup) {
  return setup.gpus_per_node * domain_nodes(setup.cluster, setup.transport);
}

/// Whether all matrices of the blocks with attention can be cut evenly along either side. A model without attention is
/// cut by the outputs of every layer with weights; the classes are left out, because frameworks pad them.
bool cuts_evenly(const Model& model, int tensor) {
  if (attentive_blocks_of(model) == 0)
    return std::all_of(model.layers.begin(), model.layers.end() - 1, [tensor](const Layer& layer) {
      return !has_weights(layer) || layer.tensors.front().shape.front() % tensor == 0;
    });
  std::set<std::string> attentive;
  for (const auto& layer : model.layers)
    if (layer.kind == "attention") attentive.insert(block_name_of(layer.name));
  for (const auto& layer : model.layers)
    if (attentive.count(block_name_of(layer.name)) > 0)
      for (const auto& matrix : layer.tensors)
        if (matrix.shape.size() == 2 && (matrix.shape[0] % tensor != 0 || matrix.shape[1] % tensor != 0)) return false;
  return true;
}

std::vector<int> tensors_of(const StepSetup& setup) {
  const int requested = setup.strategy.parallel.tensor;
  if (requested != open_degree) return {requested};
  auto degrees = divisors(gpus_of_domain(setup));
  std::erase_if(degrees, [&](int tensor) { return !cuts_evenly(setup.model, tensor); });
  return degrees;
}

std::vector<int> contexts_of(const StepSetup& setup, int tensor) {
  const int requested = setup.strategy.parallel.context;
  if (requested != open_degree) return {requested};
  if (attentive_blocks_of(setup.model) == 0 || !has_keys_and_values(setup.model)) return {1};
  auto degrees = divisors(setup.gpus / tensor);
  const double tokens = setup.model.tokens_per_sample();
  std::erase_if(degrees,
                [&](int context) { return context > 1 && (tokens == 0 || std::fmod(tokens, 2 * context) != 0); });
  return degrees;
}

/// The pipeline degrees to try when `group` GPUs compute each layer together.
std::vector<int> pipelines_of(const StepSetup& setup, int group) {
  const auto& requested = setup.strategy.parallel;
  if (requested.pipeline != open_degree) return {requested.pipeline};
  std::vector<int> found;
  const int most = blocks_of(setup.model) / requested.virtual_stages;
  for (const int pipeline : divisors(setup.gpus / group)) {
    const bool too_few = requested.schedule == PipelineSchedule::interleaved && pipeline == 1;
    if (pipeline <= most && !too_few) found.push_back(pipeline);
  }
  return found;
}

/// The numbers of micro-batches to try, which divide the samples into whole numbers.
std::vector<int> micro_batches_of(const StepSetup& setup, int group, int pipeline) {
  const int requested = setup.strategy.parallel.micro_batches;
  if (requested != open_degree) return {requested};
  constexpr double most_samples = 1e9;
  const double samples = setup.batch_per_gpu * group * pipeline;
  if (samples < 1 || samples != std::floor(samples) || samples > most_samples) return {};
  return divisors(static_cast<int>(samples));
}

/// Whether the layout is plain data parallelism although the request leaves degrees open, and so asks for model
/// parallelism.
bool is_only_data(const ModelParallelOptions& requested, const ModelParallelOptions& parallel) {
  const bool named =
      requested.tensor != open_degree && requested.context != open_degree && requested.pipeline != open_degree;
  return !named && 1.0 * parallel.tensor * parallel.context * parallel.pipeline * parallel.expert == 1;
}

bool can_be(const StepSetup& setup, const Strategy& strategy) {
  const auto& parallel = strategy.parallel;
  if (is_only_data(setup.strategy.parallel, parallel)) return false;
  if (parallel.schedule == PipelineSchedule::interleaved && parallel.micro_batches % parallel.pipeline != 0)
    return false;
  const double blocks = blocks_of(setup.model);
  return operations_of_pipeline(parallel) <= most_operations &&
         blocks * blocks * parallel.pipeline * parallel.virtual_stages <= most_cuts &&
         layout_complaint(setup.model, strategy, setup.batch_per_gpu, setup.gpus, gpus_of_domain(setup)).empty();
}

/// The stated degrees, and for each open one the smallest that still gives a model-parallel layout.
Strategy least_layout(const StepSetup& setup) {
  Strategy strategy = setup.strategy;
  auto& parallel = strategy.parallel;
  if (parallel.tensor == open_degree) parallel.tensor = 1;
  if (parallel.context == open_degree) parallel.context = 1;
  if (parallel.pipeline == open_degree) parallel.pipeline = parallel.tensor * parallel.context > 1 ? 1 : 2;
  if (parallel.micro_batches == open_degree) parallel.micro_batches = 1;
  return strategy;
}

/// A candidate of the search. `least_s` is a lower bound of its iteration time.
struct LayoutCandidate {
  Strategy strategy;
  double least_s = 0;
  double peak_bytes = 0; ///< of the memory of the GPU that needs most
  bool fits = true;      ///< whether the candidate fits into memory
  std::optional<StepTime> time;
};

/// The candidates of one scale. The search runs only as many as the decision needs.
class LayoutSearch {
public:
  LayoutSearch(StepSetup setup, const Parameters& likeliest)
      : setup_(std::move(setup)), likeliest_(likeliest), layers_(layer_memory(setup_.model, kept_facts(setup_))) {
    const auto strategies = layout_candidates(setup_);
    for (const auto& strategy : strategies)
      candidates_.push_back({strategy, least_iteration_s(strategy), peak_of(strategy), true, {}});
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
    found.best = timed(*fastest.front());
    found.strategy = found.best->strategy;
    if (fastest.size() > 1) found.runner_up = timed(*fastest[1]);
    const auto larger = run(false, 1, found.best->time.iteration_s);
    if (!larger.empty()) found.too_large = timed(*larger.front());
    return found;
  }

private:
  static TimedLayout timed(const LayoutCandidate& candidate) { return {candidate.strategy, *candidate.time}; }

  double peak_of(const Strategy& strategy) {
    const auto& pieces = memory_of(strategy).shape->pieces; // sets the strategy of setup_
    return peak_stage_memory(setup_, pieces, layers_).total();
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

  /// The cache of layouts with as many pieces as this one. They share the layers' times and the pieces.
  StepCache& memory_of(const Strategy& strategy) {
    auto& memory = memories_[strategy.parallel.pipeline * strategy.parallel.virtual_stages];
    memory.stores = false;
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

  /// Returns the `most` fastest candidates that are faster than `limit_s`, among those that fit into memory or among
  /// those that do not. It runs the most promising first, until no lower bound is below the times reached.
  std::vector<LayoutCandidate*> run(bool fitting, std::size_t most, double limit_s) {
    std::vector<LayoutCandidate*> by_bound;
    for (auto& candidate : candidates_)
      if (candidate.fits == fitting) by_bound.push_back(&candidate);
    std::stable_sort(by_bound.begin(), by_bound.end(),
                     [](const LayoutCandidate* a, const LayoutCandidate* b) { return a->least_s < b->least_s; });
    std::vector<LayoutCandidate*> fastest;
    const auto is_faster = [](const LayoutCandidate* a, const LayoutCandidate* b) {
      constexpr double equal = 1e-9; // factor within which times are equal except for rounding
      if (std::abs(a->time->iteration_s / b->time->iteration_s - 1) > equal)
        return a->time->iteration_s < b->time->iteration_s;
      return a < b; // keeps the order of layout_candidates()
    };
    for (LayoutCandidate* const next : by_bound) {
      const double reached_s = fastest.size() < most ? limit_s : fastest.back()->time->iteration_s;
      if (next->least_s > (1 + 1e-9) * reached_s) break;
      operations_ += operations_of_pipeline(next->strategy.parallel);
      if (operations_ > most_operations_searched && !fastest.empty()) break;
      auto& memory = memory_of(next->strategy);
      next->time = time_step(setup_, likeliest_, Fidelity::formula, memory);
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
  std::vector<LayerMemory> layers_; ///< the same for all layouts
  std::vector<LayoutCandidate> candidates_;
  std::map<int, StepCache> memories_; ///< caches by number of pieces
  double operations_ = 0;             ///< number of operations run so far
};

} // namespace

std::vector<Strategy> layout_candidates(const StepSetup& setup) {
  std::vector<Strategy> candidates;
  Strategy candidate = setup.strategy;
  auto& parallel = candidate.parallel;
  for (const int tensor : tensors_of(setup))
    for (const int context : contexts_of(setup, tensor))
      for (const int pipeline : pipelines_of(setup, tensor * context))
        for (const int micro_batches : micro_batches_of(setup, tensor * context, pipeline)) {
          parallel.tensor = tensor;
          parallel.context = context;
          parallel.pipeline = pipeline;
          parallel.micro_batches = micro_batches;
          if (can_be(setup, candidate)) candidates.push_back(candidate);
          if (candidates.size() == most_candidates) return candidates;
        }
  return candidates;
}

const FoundLayout& BestLayout::at(int gpus) const {
  const std::lock_guard lock(searching_);
  const auto [known, is_new] = known_.try_emplace(gpus);
  if (!is_new) return known->second;
  const auto setup = on_gpus(setup_, gpus, gpus_per_full_node_);
  known->second.strategy = least_layout(setup);
  if (gpus == 1) return known->second; // a single GPU has no parallel layout
  try {
    known->second = LayoutSearch(setup, likeliest_).find();
  } catch (const UserError&) { // the point at this scale says why it is impossible
  }
  return known->second;
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
