#include "import/run_batch.hpp"

#include "import/run_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// Adds the product of a GPU's batch, the accumulation steps and the number of data-parallel groups.
void add_batch_of_parts(const RunFacts& facts, double gpus, std::vector<Claim>& claims) {
  const auto of_gpu = facts.last(RunFact::batch_per_gpu);
  const auto turns = facts.last(RunFact::accumulation);
  const auto groups = facts.last(RunFact::data_parallel);
  const bool is_whole = turns || (!facts.last(RunFact::global_batch) && !facts.last(RunFact::tokens_per_step));
  if (!of_gpu || gpus <= 0 || !is_whole) return;
  const double takers = groups ? groups->value : gpus;
  const double times = turns ? turns->value : 1;
  claims.push_back(
      {of_gpu->value * times * takers,
       fmt::format("{} samples a GPU (line {}) on {} GPUs{} make {}", count_text(of_gpu->value), of_gpu->line,
                   count_text(takers), turns ? fmt::format(", {} times a step,", count_text(times)) : "",
                   count_text(of_gpu->value * times * takers))});
}

/// Returns the steps of an epoch, whose last step may be smaller; 0: not known. The first count is used, because an
/// evaluation may state its own samples later.
double steps_of_epoch(const RunFacts& facts) {
  const auto samples = facts.first(RunFact::epoch_samples);
  const double batch = stated_batch(facts);
  return samples && batch > 0 ? std::ceil(samples->value / batch) : 0;
}

/// Adds the batch that follows from the rates that a trainer prints at its end, with three decimals.
void add_batch_of_totals(const RunFacts& facts, std::vector<Claim>& claims) {
  const auto samples = facts.last(RunFact::run_samples_per_s);
  const auto steps = facts.last(RunFact::run_steps_per_s);
  constexpr double coarsest_rate = 0.05;       // rate of which half a thousandth is one per cent
  constexpr double most_of_a_short_epoch = 20; // number of steps, of which the last may be incomplete
  if (const double of_epoch = steps_of_epoch(facts); of_epoch > 0 && of_epoch < most_of_a_short_epoch) return;
  if (!samples || !steps || steps->value < coarsest_rate || samples->value < coarsest_rate) return;
  const double batch = samples->value / steps->value;
  claims.push_back({batch, fmt::format("line {} says {:g} samples/s and {:g} steps/s, which are {:.4g} samples a step",
                                       steps->line, samples->value, steps->value, batch)});
}

/// Returns the samples of a step by its time and the rate on the same lines, rounded to a whole number.
double batch_by_rates(const TrainingLog& log, const RunShape& shape, std::vector<std::string>& notes) {
  const double rate = rate_of(log, StepUnit::steps_per_s);
  const double time_s = rate > 0 ? 1 / rate : rate_of(log, StepUnit::seconds);
  double samples = time_s * rate_of(log, StepUnit::samples_per_s);
  if (samples <= 0) samples = time_s * rate_of(log, StepUnit::samples_per_s_of_gpu) * shape.gpus;
  if (samples <= 0 && shape.sequence_length > 0)
    samples = time_s / shape.sequence_length *
              std::max(rate_of(log, StepUnit::tokens_per_s), rate_of(log, StepUnit::tokens_per_s_of_gpu) * shape.gpus);
  if (samples <= 0) return 0;
  const double of_one = shape.gpus > 0 ? samples / shape.gpus : samples;
  constexpr double rounding = 0.02; // share by which they may differ; both figures have at least three digits
  const double whole = std::round(of_one) * samples / of_one;
  if (std::abs(whole - samples) <= rounding * samples) samples = whole;
  notes.push_back(fmt::format("{} samples a step were concluded from the time of a step and the rate beside it",
                              count_text(samples)));
  return samples;
}

} // namespace

double stated_batch(const RunFacts& facts) {
  const auto samples = facts.last(RunFact::global_batch);
  const auto tokens = facts.last(RunFact::tokens_per_step);
  const auto sequence = facts.last(RunFact::sequence_length);
  if (samples) return samples->value;
  return tokens && sequence ? tokens->value / sequence->value : 0;
}

double steps_of_run(const RunFacts& facts) {
  const auto run_s = facts.last(RunFact::run_s);
  const auto rate = facts.last(RunFact::run_steps_per_s);
  const auto planned = facts.last(RunFact::run_steps);
  const auto before = facts.last(RunFact::first_step);
  if (!run_s || !rate) return 0;
  double steps = planned ? planned->value : run_s->value * rate->value;
  if (const double of_epoch = steps_of_epoch(facts); of_epoch > 0)
    if (const auto epochs = facts.last(RunFact::epochs_done)) steps = std::min(steps, epochs->value * of_epoch);
  return steps - (before ? before->value : 0);
}

double batch_of_run(const TrainingLog& log, const ImportContext& stated, RunShape& shape, const std::string& where) {
  const auto& facts = log.facts;
  std::vector<Claim> claims;
  add_stated(facts, RunFact::global_batch, "a global batch of {} samples", claims);
  add_batch_of_parts(facts, shape.gpus, claims);
  if (const double mean = facts.mean(RunFact::samples_of_step); mean > 0 && claims.empty()) {
    claims.push_back({mean, fmt::format("its lines say {:.4g} samples a step on average", mean)});
    shape.notes.push_back(fmt::format("steps differ in samples: {:.4g} is their mean", mean));
  }
  if (const auto of_rank = facts.last(RunFact::batch_of_rank); of_rank && shape.ranks > 0)
    claims.push_back(
        {of_rank->value * shape.ranks, fmt::format("line {} says {} samples of each of {} processes", of_rank->line,
                                                   count_text(of_rank->value), count_text(shape.ranks))});
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
  return claims.empty() ? batch_by_rates(log, shape, shape.notes) : agreed_value(claims, where);
}

} // namespace ddlsim
