#include "import/run_shape.hpp"

#include "import/plain_text.hpp"
#include "import/run_batch.hpp"
#include "import/run_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double most_gpus_of_a_run = 1e6;

/// Returns the number of GPUs as the global batch over a GPU's batch, if each process takes its own samples.
double gpus_by_batches(const RunFacts& facts) {
  const double all = stated_batch(facts);
  const auto of_gpu = facts.last(RunFact::batch_per_gpu);
  if (all <= 0 || !of_gpu || facts.last(RunFact::data_parallel)) return 0;
  const auto turns = facts.last(RunFact::accumulation);
  const double gpus = all / of_gpu->value / (turns ? turns->value : 1);
  return gpus >= 1 && gpus == std::floor(gpus) ? gpus : 0;
}

/// Returns the number of GPUs as the rate of all GPUs over that of one.
double gpus_by_rates(const TrainingLog& log) {
  const double all = rate_of(log, StepUnit::samples_per_s);
  const double one = rate_of(log, StepUnit::samples_per_s_of_gpu);
  const double gpus = one > 0 ? std::round(all / one) : 0;
  constexpr double rounding = 0.02; // share by which they may differ; rates have at least three digits
  return gpus >= 1 && std::abs(all / one - gpus) < rounding * gpus ? gpus : 0;
}

/// Returns the number of GPUs of MXNet's workers. Each worker has its own host.
double gpus_of_workers(const RunFacts& facts, const ImportContext& stated) {
  const auto& kvstore = facts.word(RunWord::kvstore).value;
  const auto devices = facts.last(RunFact::devices_of_rank);
  if (kvstore.empty() || !devices) return 0;
  return devices->value * (kvstore == "local" ? 1 : given_number(stated, "nodes"));
}

/// Returns the number of GPUs that follows from other statements of the log, the most reliable first.
double concluded_gpus(const TrainingLog& log, const ImportContext& stated, std::vector<std::string>& notes) {
  const auto& facts = log.facts;
  if (const double gpus = gpus_of_workers(facts, stated); gpus > 0) return gpus;
  const auto groups = facts.last(RunFact::data_parallel);
  const double by_batches = gpus_by_batches(facts);
  const double gpus = by_batches > 0 ? by_batches : groups ? groups->value : gpus_by_rates(log);
  if (gpus <= 0) return 0;
  const auto* from = by_batches > 0 ? "its batches"
                     : groups       ? "its data-parallel groups"
                                    : "its rates in all and of one";
  notes.push_back(fmt::format("{} GPUs were concluded from {}: if several GPUs hold one copy of the model (tensor, "
                              "pipeline or context parallel), give --set gpus=VALUE",
                              count_text(gpus), from));
  return gpus;
}

double gpus_of_run(const TrainingLog& log, const ImportContext& stated, StepUnit unit, const std::string& where,
                   std::vector<std::string>& notes) {
  const auto& facts = log.facts;
  std::vector<Claim> claims;
  add_stated(facts, RunFact::gpus, "{} GPUs", claims);
  add_line(facts.first(RunFact::gpus), "{} GPUs", claims);
  const auto nodes = facts.last(RunFact::nodes);
  if (const auto of_node = facts.last(RunFact::gpus_of_node); nodes && of_node)
    claims.push_back({nodes->value * of_node->value,
                      fmt::format("lines {} and {} say {} nodes of {} GPUs", nodes->line, of_node->line,
                                  count_text(nodes->value), count_text(of_node->value))});
  add_given(stated, "gpus", claims);
  const bool one_batch_a_gpu = unit == StepUnit::samples_per_s_of_rank || unit == StepUnit::samples_per_s_of_gpu;
  if (const double gpus = gpus_by_batches(facts); gpus > 0 && one_batch_a_gpu)
    claims.push_back({gpus, fmt::format("its batches are of {} GPUs", count_text(gpus))});
  const double gpus = claims.empty() ? concluded_gpus(log, stated, notes) : agreed_value(claims, where);
  if (const auto groups = facts.last(RunFact::data_parallel); groups && gpus > 0 && groups->value > gpus) {
    add_line(groups, "{} data-parallel groups", claims);
    agreed_value({claims.front(), claims.back()}, where);
  }
  return gpus <= most_gpus_of_a_run ? gpus : 0;
}

double sequence_of_run(const RunFacts& facts, const ImportContext& stated, const std::string& where) {
  std::vector<Claim> claims;
  add_given(stated, "sequence_length", claims);
  add_stated(facts, RunFact::sequence_length, "{} tokens a sequence", claims);
  const auto model = stated.given.find("model");
  // names of models end with the length of their sequences, as in llama_3.1_8b_seq8192
  constexpr std::string_view mark = "_seq";
  const auto at = model == stated.given.end() ? std::string::npos : model->second.rfind(mark);
  if (at == std::string::npos) return agreed_value(claims, where);
  const auto digits = model->second.substr(at + mark.size());
  if (const auto tokens = parse_number(digits); tokens && tokens->value >= 1)
    claims.push_back({tokens->value, fmt::format("the model's name {} says {} tokens", model->second, digits)});
  return agreed_value(claims, where);
}

/// Returns the number of printing processes, by the median of the lines and the total of the run.
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
  const double by_devices = devices && shape.gpus > 0 ? std::max(1.0, shape.gpus / devices->value) : 0;
  if (!log.facts.word(RunWord::horovod).value.empty()) return shape.gpus;
  if (log.facts.word(RunWord::kvstore).value == "local") return 1;
  if (log.facts.word(RunWord::kvstore).value == "dist")
    return by_devices > 0 ? by_devices : given_number(stated, "nodes");
  if (by_devices > 0) return by_devices;
  if (log.ranks.size() > 1) return static_cast<double>(log.ranks.size());
  if (const double ranks = ranks_by_total(log); ranks > 0) return ranks;
  return 1;
}

} // namespace

RunShape shape_of_run(const TrainingLog& log, const ImportContext& stated, StepUnit unit, const std::string& where) {
  RunShape shape;
  shape.gpus = gpus_of_run(log, stated, unit, where, shape.notes);
  shape.sequence_length = sequence_of_run(log.facts, stated, where);
  if (is_of_rank(unit)) shape.ranks = ranks_of_run(log, stated, shape);
  shape.global_batch = batch_of_run(log, stated, shape, where);
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
  case StepUnit::seconds_of_sample:
    return shape.ranks > 0 ? shape.global_batch / shape.ranks * figure : 0;
  }
  return 0;
}

bool is_of_rank(StepUnit unit) {
  return unit == StepUnit::samples_per_s_of_rank || unit == StepUnit::seconds_of_sample;
}

std::vector<std::string> unknown_of(const RunShape& shape, StepUnit unit) {
  std::vector<std::string> unknown;
  const bool tokens = unit == StepUnit::tokens_per_s || unit == StepUnit::tokens_per_s_of_gpu;
  if (tokens && shape.sequence_length <= 0) unknown.emplace_back("sequence_length");
  if (is_of_rank(unit) && shape.ranks <= 0) unknown.emplace_back("nodes");
  return unknown;
}

} // namespace ddlsim
