#include "sim/predict/batch_at_scale.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// Where a strategy keeps its number of micro-batches.
int& micro_batches_in(Strategy& strategy) {
  return is_model_parallel(strategy.name) ? strategy.parallel.micro_batches : strategy.sharded.micro_batches;
}

/// GPUs that compute the same samples; 1 where they are searched.
int gpus_of_replica(const Strategy& strategy) {
  if (!is_model_parallel(strategy.name) || seeks_best_layout(strategy)) return 1;
  const auto& parallel = strategy.parallel;
  return parallel.tensor * parallel.context * parallel.pipeline;
}

/// Micro-batches that a replica takes at least: interleaved stages need whole rounds of them, as in Megatron-LM.
int micro_batches_together(const Strategy& strategy) {
  const auto& parallel = strategy.parallel;
  const bool in_rounds =
      is_model_parallel(strategy.name) && parallel.schedule == PipelineSchedule::interleaved && parallel.pipeline > 1;
  return in_rounds ? parallel.pipeline : 1;
}

double global_samples(const Scenario& scenario, const Model& model, int gpus) {
  if (scenario.global_batch > 0) return scenario.global_batch;
  if (scenario.batch_per_gpu > 0) return scenario.batch_per_gpu * gpus;
  const double tokens = model.tokens_per_sample();
  if (tokens == 0)
    throw UserError(scenario.name, "/global_batch_tokens",
                    fmt::format("a sample of {} is no sequence of tokens; give \"global_batch\"", model.name));
  return scenario.global_batch_tokens / tokens;
}

/// Says that the batch does not divide, in the key in which it is stated.
std::string complaint_about_batch(const Scenario& scenario, double samples, double least, double per_key,
                                  const std::string& split) {
  const double below = std::floor(samples / least) * least;
  const char* what = scenario.global_batch_tokens > 0 ? "tokens" : "samples";
  const auto nearest = below > 0 ? fmt::format("{:.10g} and {:.10g}", below * per_key, (below + least) * per_key)
                                 : fmt::format("{:.10g}, which is the least", least * per_key);
  return fmt::format("{} is no multiple of the {:.10g} {} of {}; the nearest that fit: {}", batch_text(scenario),
                     least * per_key, what, split, nearest);
}

bool is_multiple(double samples, double of) {
  constexpr double rounding = 1e-9;
  const double times = samples / of;
  return times >= 1 - rounding && std::abs(times - std::round(times)) <= rounding * times;
}

QuestionAtScales question_at(const Scenario& scenario, const Strategy& strategy, const Model& model, int gpus) {
  QuestionAtScales asked{scenario, strategy};
  asked.scenario.gpus = {gpus};
  const double samples = global_samples(scenario, model, gpus);
  asked.scenario.batch_per_gpu = samples / gpus;
  const int ranks = gpus_of_replica(strategy);
  if (gpus % ranks != 0 || seeks_best_layout(strategy)) return asked; // the layout has its own rules
  const double replicas = gpus / ranks;
  auto& micro_batches = micro_batches_in(asked.strategy);
  const double taken = scenario.micro_batch > 0 ? scenario.micro_batch : micro_batches;
  if (scenario.batch_per_gpu > 0 && scenario.micro_batch == 0) return asked;
  // the batch is stated in samples of all GPUs, in tokens of them, or in samples of one
  const double per_key = scenario.batch_per_gpu > 0         ? 1.0 / gpus
                         : scenario.global_batch_tokens > 0 ? model.tokens_per_sample()
                                                            : 1;
  const int times = scenario.micro_batch > 0 ? micro_batches_together(strategy) : 1;
  const auto of_each = scenario.micro_batch == 0 ? fmt::format("{:g} micro-batches of whole samples", taken)
                       : times > 1               ? fmt::format("{} micro-batches of {:g} each", times, taken)
                                                 : fmt::format("a micro-batch of {:g} each", taken);
  const auto split = fmt::format("{:g} replica{} with {}", replicas, replicas == 1 ? "" : "s", of_each);
  const double least = replicas * taken * times;
  if (!is_multiple(samples, least))
    asked.error = complaint_about_batch(scenario, samples, least, per_key, split);
  else if (scenario.micro_batch > 0)
    micro_batches = static_cast<int>(std::round(samples / (replicas * taken)));
  return asked;
}

bool is_same_batch(const QuestionAtScales& a, const QuestionAtScales& b) {
  return a.error.empty() && b.error.empty() && a.scenario.batch_per_gpu == b.scenario.batch_per_gpu &&
         to_text(a.strategy) == to_text(b.strategy);
}

} // namespace

std::vector<QuestionAtScales> questions_of(const Scenario& scenario, const Strategy& strategy, const Model& model) {
  if (!batch_follows_scale(scenario)) return {{scenario, strategy}};
  std::vector<QuestionAtScales> all;
  for (const int gpus : scenario.gpus) {
    auto asked = question_at(scenario, strategy, model, gpus);
    if (!all.empty() && is_same_batch(all.back(), asked))
      all.back().scenario.gpus.push_back(gpus);
    else
      all.push_back(std::move(asked));
  }
  return all;
}

Scenario scenario_at(Scenario scenario, const Model& model, int gpus) {
  if (!batch_follows_scale(scenario)) return scenario;
  const auto asked = scenario;
  for (auto& strategy : scenario.strategies) {
    auto at = question_at(asked, strategy, model, gpus);
    if (!at.error.empty())
      throw UserError(asked.name, asked.micro_batch > 0 ? "/micro_batch" : "/global_batch",
                      fmt::format("at {} GPUs, {}", gpus, at.error));
    strategy = std::move(at.strategy);
    scenario.batch_per_gpu = at.scenario.batch_per_gpu;
  }
  scenario.global_batch = scenario.global_batch_tokens = scenario.micro_batch = 0;
  return scenario;
}

} // namespace ddlsim
