#include "import/run_shape.hpp"

#include "import/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double most_gpus_of_a_run = 1e6;

/// Adds what line N of the log says of the fact, in `words` with {} for the number.
void add_stated(const RunFacts& facts, RunFact fact, const char* words, std::vector<Claim>& claims) {
  const auto said = facts.last(fact);
  if (!said) return;
  const auto what = fmt::format(fmt::runtime(words), count_text(said->value));
  claims.push_back({said->value, fmt::format("line {} says {}", said->line, what)});
}

void add_given(const ImportContext& stated, const char* name, std::vector<Claim>& claims) {
  if (const double value = given_number(stated, name); value > 0)
    claims.push_back({value, fmt::format("--set {}={}", name, stated.given.at(name))});
}

/// Where each process takes samples of its own, the global batch over a GPU's counts the GPUs.
double gpus_by_batches(const RunFacts& facts) {
  const auto all = facts.last(RunFact::global_batch);
  const auto of_gpu = facts.last(RunFact::batch_per_gpu);
  if (!all || !of_gpu || facts.last(RunFact::data_parallel)) return 0;
  const auto turns = facts.last(RunFact::accumulation);
  const double gpus = all->value / of_gpu->value / (turns ? turns->value : 1);
  return gpus >= 1 && gpus == std::floor(gpus) ? gpus : 0;
}

double gpus_of_run(const RunFacts& facts, const ImportContext& stated, StepUnit unit, const std::string& where) {
  std::vector<Claim> claims;
  add_stated(facts, RunFact::gpus, "{} GPUs", claims);
  add_given(stated, "gpus", claims);
  const bool one_batch_a_gpu = unit == StepUnit::samples_per_s_of_rank || unit == StepUnit::samples_per_s_of_gpu;
  const double by_batches = gpus_by_batches(facts);
  if (by_batches > 0 && (claims.empty() || one_batch_a_gpu))
    claims.push_back({by_batches, fmt::format("its batches are of {} GPUs", count_text(by_batches))});
  const double gpus = agreed_value(claims, where);
  return gpus <= most_gpus_of_a_run ? gpus : 0;
}

double sequence_of_run(const RunFacts& facts, const ImportContext& stated, const std::string& where) {
  std::vector<Claim> claims;
  add_given(stated, "sequence_length", claims);
  add_stated(facts, RunFact::sequence_length, "{} tokens a sequence", claims);
  const auto model = stated.given.find("model");
  constexpr std::string_view mark = "_seq"; // names of models end in their sequence: llama_3.1_8b_seq8192
  const auto at = model == stated.given.end() ? std::string::npos : model->second.rfind(mark);
  if (at == std::string::npos) return agreed_value(claims, where);
  const auto digits = model->second.substr(at + mark.size());
  if (const auto tokens = parse_number(digits); tokens && tokens->value >= 1)
    claims.push_back({tokens->value, fmt::format("the model's name {} says {} tokens", model->second, digits)});
  return agreed_value(claims, where);
}

/// A GPU's batch times how often it takes one, times those that take samples of their own.
void add_batch_of_parts(const RunFacts& facts, double gpus, std::vector<Claim>& claims) {
  const auto of_gpu = facts.last(RunFact::batch_per_gpu);
  const auto turns = facts.last(RunFact::accumulation);
  const auto groups = facts.last(RunFact::data_parallel);
  const bool is_whole = turns || !facts.last(RunFact::global_batch);
  if (!of_gpu || gpus <= 0 || !is_whole) return;
  const double takers = groups ? groups->value : gpus;
  const double times = turns ? turns->value : 1;
  claims.push_back(
      {of_gpu->value * times * takers,
       fmt::format("{} samples a GPU (line {}) on {} GPUs{} make {}", count_text(of_gpu->value), of_gpu->line,
                   count_text(takers), turns ? fmt::format(", {} times a step,", count_text(times)) : "",
                   count_text(of_gpu->value * times * takers))});
}

/// What a trainer says at its end, to three decimals.
void add_batch_of_totals(const RunFacts& facts, std::vector<Claim>& claims) {
  const auto samples = facts.last(RunFact::run_samples_per_s);
  const auto steps = facts.last(RunFact::run_steps_per_s);
  constexpr double coarsest_rate = 0.05; // half a thousandth is a hundredth of it
  if (!samples || !steps || steps->value < coarsest_rate || samples->value < coarsest_rate) return;
  const double batch = samples->value / steps->value;
  claims.push_back({batch, fmt::format("line {} says {:g} samples/s and {:g} steps/s, which are {:.4g} samples a step",
                                       steps->line, samples->value, steps->value, batch)});
}

double batch_of_run(const RunFacts& facts, const ImportContext& stated, const RunShape& shape,
                    const std::string& where) {
  std::vector<Claim> claims;
  add_stated(facts, RunFact::global_batch, "a global batch of {} samples", claims);
  add_batch_of_parts(facts, shape.gpus, claims);
  if (const double counted = facts.samples_a_step(); counted > 0)
    claims.push_back({counted, fmt::format("the log counts {} samples a step", count_text(counted))});
  if (const auto tokens = facts.last(RunFact::tokens_per_step); tokens && shape.sequence_length > 0)
    claims.push_back({tokens->value / shape.sequence_length,
                      fmt::format("line {} says {} tokens a step, which are {} sequences of {}", tokens->line,
                                  count_text(tokens->value), count_text(tokens->value / shape.sequence_length),
                                  count_text(shape.sequence_length))});
  add_batch_of_totals(facts, claims);
  const double of_gpu = given_number(stated, "batch_per_gpu");
  if (of_gpu > 0 && shape.gpus > 0)
    claims.push_back({of_gpu * shape.gpus,
                      fmt::format("--set batch_per_gpu={} on {} GPUs makes {}", stated.given.at("batch_per_gpu"),
                                  count_text(shape.gpus), count_text(of_gpu * shape.gpus))});
  return agreed_value(claims, where);
}

/// Of the lines' median and the run's total: how many processes print.
double ranks_by_total(const TrainingLog& log) {
  const auto total = log.facts.last(RunFact::total_samples_per_s);
  if (!total) return 0;
  for (std::size_t i = 0; i < log.series.size(); ++i) {
    if (step_forms()[i].unit != StepUnit::samples_per_s_of_rank || log.series[i].figures.empty()) continue;
    const double ranks = std::round(total->value / steady_steps(log.series[i].figures).median);
    return std::max(1.0, ranks);
  }
  return 0;
}

double ranks_of_run(const TrainingLog& log, const ImportContext& stated, const RunShape& shape) {
  const auto devices = log.facts.last(RunFact::devices_of_rank);
  if (log.facts.one_gpu_a_rank) return shape.gpus;
  if (log.facts.workers_on_hosts) return given_number(stated, "nodes");
  if (devices && shape.gpus > 0) return std::max(1.0, shape.gpus / devices->value);
  if (log.ranks.size() > 1) return static_cast<double>(log.ranks.size());
  if (const double ranks = ranks_by_total(log); ranks > 0) return ranks;
  return 1;
}

} // namespace

RunShape shape_of_run(const TrainingLog& log, const ImportContext& stated, StepUnit unit, const std::string& where) {
  RunShape shape;
  shape.gpus = gpus_of_run(log.facts, stated, unit, where);
  shape.sequence_length = sequence_of_run(log.facts, stated, where);
  shape.global_batch = batch_of_run(log.facts, stated, shape, where);
  if (unit == StepUnit::samples_per_s_of_rank) shape.ranks = ranks_of_run(log, stated, shape);
  return shape;
}

double step_seconds(double figure, StepUnit unit, const RunShape& shape) {
  const double of_gpu = shape.gpus > 0 ? shape.global_batch / shape.gpus : 0;
  switch (unit) {
  case StepUnit::seconds:
    return figure;
  case StepUnit::steps_per_s:
    return 1 / figure;
  case StepUnit::samples_per_s:
    return shape.global_batch / figure;
  case StepUnit::samples_per_s_of_gpu:
    return of_gpu / figure;
  case StepUnit::samples_per_s_of_rank:
    return shape.ranks > 0 ? shape.global_batch / shape.ranks / figure : 0;
  case StepUnit::tokens_per_s:
    return shape.global_batch * shape.sequence_length / figure;
  case StepUnit::tokens_per_s_of_gpu:
    return of_gpu * shape.sequence_length / figure;
  }
  return 0;
}

std::vector<std::string> unknown_of(const RunShape& shape, StepUnit unit) {
  std::vector<std::string> unknown;
  const bool tokens = unit == StepUnit::tokens_per_s || unit == StepUnit::tokens_per_s_of_gpu;
  if (tokens && shape.sequence_length <= 0) unknown.emplace_back("sequence_length");
  if (unit == StepUnit::samples_per_s_of_rank && shape.ranks <= 0) unknown.emplace_back("nodes");
  return unknown;
}

double given_number(const ImportContext& stated, const std::string& name) {
  const auto given = stated.given.find(name);
  if (given == stated.given.end()) return 0;
  const auto number = parse_number(given->second);
  return number ? std::max(0.0, number->value) : 0;
}

std::string count_text(double count) {
  if (count != std::floor(count) || count > 1e15) return fmt::format("{:.4g}", count);
  auto text = fmt::format("{:.0f}", count);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

} // namespace ddlsim
