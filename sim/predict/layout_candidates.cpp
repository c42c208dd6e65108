#include "sim/predict/layout_candidates.hpp"

#include "sim/compute/piece_shape.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "sim/predict/replica_choices.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>

namespace ddlsim {
namespace {

constexpr int searched_degree = ModelParallelOptions::best;

/// Number of operations above which a layout is not tried; more take 50 ms.
constexpr double most_operations = 500'000;

/// Largest number of candidates of a scale.
constexpr std::size_t most_candidates = 50'000;

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
  if (!has_attention(model))
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
  if (requested != searched_degree) return {requested};
  auto degrees = divisors(gpus_of_domain(setup));
  std::erase_if(degrees, [&](int tensor) { return !cuts_evenly(setup.model, tensor); });
  return degrees;
}

std::vector<int> contexts_of(const StepSetup& setup, int tensor) {
  const int requested = setup.strategy.parallel.context;
  if (requested != searched_degree) return {requested};
  if (!has_attention(setup.model) || !has_keys_and_values(setup.model)) return {1};
  auto degrees = divisors(setup.gpus / tensor);
  const double tokens = setup.model.tokens_per_sample();
  std::erase_if(degrees,
                [&](int context) { return context > 1 && (tokens == 0 || std::fmod(tokens, 2 * context) != 0); });
  return degrees;
}

/// The numbers of ranks over which to try to divide a block's experts.
std::vector<int> experts_of_search(const StepSetup& setup) {
  const int requested = setup.strategy.parallel.expert;
  if (requested != searched_degree) return {requested};
  const int experts = experts_of(setup.model);
  if (experts == 0) return {1};
  return divisors(experts);
}

/// The pipeline degrees to try when `group` GPUs compute each layer together.
std::vector<int> pipelines_of(const StepSetup& setup, int group, int blocks) {
  const auto& requested = setup.strategy.parallel;
  if (requested.pipeline != searched_degree) return {requested.pipeline};
  std::vector<int> found;
  const int most = blocks / std::max(1, requested.virtual_stages);
  for (const int pipeline : divisors(setup.gpus / group)) {
    const bool too_few = requested.schedule == PipelineSchedule::interleaved && pipeline == 1;
    if (pipeline <= most && !too_few) found.push_back(pipeline);
  }
  return found;
}

/// The numbers of pieces a stage to try: with one block a piece, with two, with four, and so on to one piece a stage.
std::vector<int> virtual_stages_of(const StepSetup& setup, int pipeline, int model_blocks) {
  const int requested = setup.strategy.parallel.virtual_stages;
  if (requested != searched_degree) return {requested};
  const int blocks = model_blocks / pipeline;
  std::set<int> found{1};
  for (int of_piece = 1; pipeline > 1 && of_piece <= blocks; of_piece *= 2) found.insert(blocks / of_piece);
  return {found.begin(), found.end()};
}

std::vector<Recompute> recomputations_of(const StepSetup& setup) {
  const auto& requested = setup.strategy.parallel;
  if (requested.recompute != Recompute::best) return {requested.recompute};
  return {Recompute::none, Recompute::selective, Recompute::full};
}

/// The numbers of micro-batches to try, which divide the samples into whole numbers.
std::vector<int> micro_batches_of(const StepSetup& setup, int group, int pipeline) {
  const int requested = setup.strategy.parallel.micro_batches;
  if (requested != searched_degree) return {requested};
  constexpr double most_samples = 1e9;
  const double samples = setup.batch_per_gpu * group * pipeline;
  if (samples < 1 || samples != std::floor(samples) || samples > most_samples) return {};
  return divisors(static_cast<int>(samples));
}

/// Whether the layout is plain data parallelism although the request leaves single degrees open, and so asks for model
/// parallelism.
bool is_only_data(const ModelParallelOptions& requested, const ModelParallelOptions& parallel) {
  if (requested.best_layout) return false;
  const bool named = requested.tensor != searched_degree && requested.context != searched_degree &&
                     requested.pipeline != searched_degree && requested.expert != searched_degree;
  return !named && 1.0 * parallel.tensor * parallel.context * parallel.pipeline * parallel.expert == 1;
}

/// Whether the GPUs and the model allow the strategy. No answer depends on the micro-batches or the pieces of a stage.
bool is_laid_out(const StepSetup& setup, Strategy strategy) {
  auto& parallel = strategy.parallel;
  parallel.micro_batches = parallel.virtual_stages = 1;
  return layout_complaint(setup.model, strategy, setup.batch_per_gpu, setup.gpus,
                          gpus_of_domain_used(parallel, setup.gpus, setup.gpus_per_node,
                                              domain_nodes(setup.cluster, setup.transport)))
      .empty();
}

/// Whether the schedule allows the layout, and is short enough to be run. `blocks` are those of the model.
bool is_scheduled(const StepSetup& setup, const ModelParallelOptions& parallel, int blocks) {
  if (is_only_data(setup.strategy.parallel, parallel)) return false;
  const int pieces = parallel.pipeline * parallel.virtual_stages;
  const bool interleaved = parallel.schedule == PipelineSchedule::interleaved;
  if (interleaved && parallel.micro_batches % parallel.pipeline != 0) return false;
  const double samples = micro_batch_samples(parallel, setup.batch_per_gpu);
  if (samples < 1 || samples != std::floor(samples)) return false;
  return pieces <= blocks && operations_of_pipeline(parallel) <= most_operations &&
         1.0 * blocks * blocks * pieces <= most_cuts;
}

PipelineSchedule schedule_of(int virtual_stages) {
  return virtual_stages > 1 ? PipelineSchedule::interleaved : PipelineSchedule::one_f_one_b;
}

/// The choices that the GPUs and the model allow for given degrees: how replicas share gradients, how experts are
/// divided, and what is recomputed.
struct AllowedParts {
  std::vector<ReplicaChoice> replicas;
  std::vector<int> experts;
  std::vector<Recompute> recomputations;
};

AllowedParts allowed_parts(const StepSetup& setup, Strategy candidate) {
  AllowedParts allowed;
  auto& parallel = candidate.parallel;
  parallel.recompute = Recompute::none;
  for (const auto& replicas : replica_choices(setup, parallel)) {
    parallel.data_parallel = replicas.kind;
    parallel.shard_group = replicas.shard_group;
    parallel.expert = 1;
    if (is_laid_out(setup, candidate)) allowed.replicas.push_back(replicas);
  }
  if (allowed.replicas.empty()) return allowed;
  parallel.data_parallel = allowed.replicas.front().kind;
  parallel.shard_group = allowed.replicas.front().shard_group;
  for (const int expert : experts_of_search(setup)) {
    parallel.expert = expert;
    if (is_laid_out(setup, candidate)) allowed.experts.push_back(expert);
  }
  if (allowed.experts.empty()) return allowed;
  parallel.expert = allowed.experts.front();
  for (const auto recompute : recomputations_of(setup)) {
    parallel.recompute = recompute;
    if (is_laid_out(setup, candidate)) allowed.recomputations.push_back(recompute);
  }
  return allowed;
}

/// Returns the layouts with the candidate's degrees: every division of the batch, the stages, the experts and the
/// memory.
std::vector<Strategy> with_degrees(const StepSetup& setup, Strategy candidate, int blocks) {
  std::vector<Strategy> found;
  auto& parallel = candidate.parallel;
  const auto allowed = allowed_parts(setup, candidate);
  if (allowed.experts.empty()) return found;
  const bool searches_schedule = parallel.virtual_stages == searched_degree;
  for (const int micro_batches : micro_batches_of(setup, parallel.tensor * parallel.context, parallel.pipeline))
    for (const int virtual_stages : virtual_stages_of(setup, parallel.pipeline, blocks)) {
      parallel.micro_batches = micro_batches;
      parallel.virtual_stages = virtual_stages;
      if (searches_schedule) parallel.schedule = schedule_of(virtual_stages);
      for (const auto& replicas : allowed.replicas)
        for (const int expert : allowed.experts)
          for (const auto recompute : allowed.recomputations) {
            parallel.data_parallel = replicas.kind;
            parallel.shard_group = replicas.shard_group;
            parallel.expert = expert;
            parallel.recompute = recompute;
            if (is_scheduled(setup, parallel, blocks)) found.push_back(candidate);
          }
    }
  return found;
}

} // namespace

std::vector<Strategy> layout_candidates(const StepSetup& setup) {
  std::vector<Strategy> candidates;
  const int blocks = blocks_of(setup.model);
  Strategy candidate = setup.strategy;
  auto& parallel = candidate.parallel;
  parallel.best_layout = false;
  for (const int tensor : tensors_of(setup))
    for (const int context : contexts_of(setup, tensor))
      for (const int pipeline : pipelines_of(setup, tensor * context, blocks)) {
        parallel.tensor = tensor;
        parallel.context = context;
        parallel.pipeline = pipeline;
        const auto found = with_degrees(setup, candidate, blocks);
        candidates.insert(candidates.end(), found.begin(), found.end());
        if (candidates.size() >= most_candidates) return candidates;
      }
  return candidates;
}

} // namespace ddlsim
