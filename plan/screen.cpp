#include "plan/screen.hpp"

#include "sim/base/error.hpp"
#include "sim/base/threads.hpp"
#include "sim/base/units.hpp"
#include "sim/iteration/memory_fit.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/iteration/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace ddlsim {
namespace {

/// Seconds of all evaluations. Each of their batches takes the forward part of one GPU's iteration.
double evaluation_s(const Workload& work, double epochs, const Curve& curve, double samples_an_iteration) {
  if (work.evaluation_samples <= 0) return 0;
  const double evaluations = std::floor(epochs / work.epochs_per_evaluation);
  const double batches = std::ceil(work.evaluation_samples / samples_an_iteration);
  return evaluations * batches * one_gpu_iteration_s(curve, curve.median) * curve.median.forward_share;
}

FailingJob failing_job(const FailureRules& rules, double parameters, int nodes) {
  const double checkpoint_s =
      rules.storage_Bps > 0 ? parameters * rules.bytes_per_parameter / rules.storage_Bps : rules.checkpoint_s;
  return {rules.node_mtbf_s / nodes, checkpoint_s, rules.restart_s, rules.repair_s, rules.spare_nodes};
}

/// Time of an iteration's FLOP at the GPU's peak; 0 when the catalogue has no peak in that precision.
double peak_s_of(const StepSetup& setup) {
  constexpr double forward_passes_of_training = 3; // backward is two: of inputs, and of weights
  try {
    return forward_passes_of_training * setup.model.forward_flop_per_sample() * setup.batch_per_gpu /
           peak_flop_per_s(setup.gpu, setup.precision);
  } catch (const UserError&) {
    return 0;
  }
}

/// Returns the training at a batch. Throws UserError if the epochs for that batch are not known.
WholeTraining whole_training(const PlanRequest& request, const PlanOption& option, const Curve& curve, int gpus) {
  const auto& work = request.workload;
  const auto setup = at_scale(curve, gpus);
  const int workers_nodes = (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
  const int busy_nodes = workers_nodes + dedicated_server_hosts(setup, curve.median);
  WholeTraining training;
  training.global_batch = gpus * setup.batch_per_gpu;
  training.epochs = epochs_at(*option.length, training.global_batch);
  training.iterations = std::ceil(option.length->samples * training.epochs / training.global_batch);
  training.evaluation_s = evaluation_s(work, training.epochs, curve, training.global_batch);
  training.start_up_s = work.start_up_s;
  training.nodes = busy_nodes + request.failures.spare_nodes;
  training.failing = failing_job(request.failures, option.files->model().parameters, busy_nodes);
  training.costs = option.costs;
  training.energy = request.energy;
  training.tokens_an_iteration = training.global_batch * setup.model.tokens_per_sample();
  training.peak_s = peak_s_of(setup);
  return training;
}

/// Why an option is refused, with the kind of the reason; no text if it is not.
struct WhyNot {
  std::string text;
  Refusal kind = Refusal::impossible;
};

/// Returns why the limits or the batch exclude this option at `gpus` GPUs, whatever it costs.
WhyNot why_not(const PlanRequest& request, const PlanOption& option, const Curve& curve, int gpus) {
  if (auto why = why_impossible(curve, gpus); !why.empty())
    return {why, why == memory_refusal(at_scale(curve, gpus)) ? Refusal::memory : Refusal::impossible};
  if (auto why = memory_complaint(at_scale(curve, gpus)); !why.empty()) return {why, Refusal::memory};
  const auto training = whole_training(request, option, curve, gpus);
  const auto& limits = request.limits;
  if (limits.nodes > 0 && training.nodes > limits.nodes)
    return {fmt::format("{} nodes, and {} are allowed", training.nodes, limits.nodes), Refusal::nodes};
  const double power_w = room_power_w(option.costs, training.nodes, request.energy);
  if (limits.power_w > 0 && power_w > limits.power_w)
    return {fmt::format("{} with cooling, and {} are allowed", print_quantity(power_w, Dimension::power),
                        print_quantity(limits.power_w, Dimension::power)),
            Refusal::power};
  return {};
}

PlannedOption reported_option(const PlanRequest& request, const PlanOption& option, const Evaluation& evaluation,
                              int gpus) {
  PlannedOption reported;
  reported.candidate = option.candidate->name;
  reported.cluster = option.candidate->cluster;
  reported.strategy = option.strategy;
  reported.gpus = gpus;
  reported.nodes = evaluation.training.nodes;
  reported.spare_nodes = request.failures.spare_nodes;
  reported.batch_per_gpu = batch_at(request, option, gpus);
  reported.epochs = evaluation.training.epochs;
  reported.global_batch = evaluation.training.global_batch;
  reported.iterations = evaluation.training.iterations;
  reported.room_power_w = room_power_w(option.costs, reported.nodes, request.energy);
  const auto& failing = evaluation.training.failing;
  reported.checkpoint_interval_s = best_checkpoint_interval_s(failing);
  reported.goodput = work_s(evaluation.training, evaluation.screened_iteration_s) / evaluation.likeliest.time_s;
  reported.time_s.value = evaluation.likeliest.time_s;
  if (evaluation.likeliest.usd) reported.usd = Estimate{*evaluation.likeliest.usd};
  reported.kwh.value = evaluation.likeliest.kwh;
  reported.tokens = request.workload.tokens;
  reported.iteration_s.value = evaluation.screened_iteration_s;
  set_rates(evaluation.training, evaluation.screened_iteration_s, reported);
  return reported;
}

std::string tight_memory(const StepSetup& setup) {
  const double peak_bytes = peak_memory(setup).total();
  if (memory_fit(peak_bytes, setup.gpu, setup.model) != MemoryFit::tight) return "";
  return fmt::format("{} of {}", gibibytes_text(peak_bytes), gibibytes_text(installed_bytes(setup.gpu)));
}

Evaluation screened(const PlanRequest& request, const PlanOption& option, const Curve& curve, int gpus) {
  Evaluation evaluation;
  evaluation.training = whole_training(request, option, curve, gpus);
  const double efficiency_there = efficiency(curve, curve.median, gpus);
  evaluation.screened_iteration_s = one_gpu_iteration_s(curve, curve.median) / efficiency_there;
  evaluation.likeliest = outcome_of(evaluation.training, evaluation.screened_iteration_s);
  evaluation.reported = reported_option(request, option, evaluation, gpus);
  evaluation.reported.efficiency = efficiency_there;
  evaluation.reported.tight_memory = tight_memory(at_scale(curve, gpus));
  evaluation.reported.peak_memory_bytes = peak_memory(at_scale(curve, gpus)).total();
  if (request.workload.micro_batch > 0) evaluation.reported.strategy = curve.setup.strategy;
  if (curve.best_layout) {
    evaluation.reported.strategy = curve.best_layout->at(gpus).strategy;
    evaluation.reported.layouts_tried = curve.best_layout->at(gpus).tried;
  }
  return evaluation;
}

/// An option at one of its scales: its evaluation, or why it is refused.
struct Place {
  std::size_t option = 0;
  int gpus = 0;
  std::optional<Evaluation> evaluation{};
  std::optional<RefusedOption> refused{};
};

/// All options at their scales. One GPU does not synchronise, so that only a candidate's first strategy has it.
std::vector<Place> places_of(const std::vector<PlanOption>& options) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const bool first_of_candidate = i == 0 || options[i - 1].candidate != options[i].candidate;
    for (const int gpus : options[i].scenario.gpus)
      if (gpus > 1 || first_of_candidate) places.push_back({i, gpus});
  }
  return places;
}

RefusedOption refused_option(const PlanOption& option, int gpus, const WhyNot& why) {
  return {option.candidate->name, label_of(option.strategy), gpus, why.text, why.kind};
}

/// Adds what the option would take if its nodes and its power were allowed.
void add_outcome(const PlanRequest& request, const PlanOption& option, const Curve& curve, RefusedOption& refused) {
  const auto one = screened(request, option, curve, refused.gpus);
  refused.nodes = one.reported.nodes;
  refused.power_w = one.reported.room_power_w;
  refused.outcome = one.likeliest;
}

/// Calls `work` unless the place is refused; where it throws UserError, the option is impossible there.
template <typename Work> void unless_refused(const PlanOption& option, Place& place, const Work& work) {
  if (place.refused) return;
  try {
    work();
  } catch (const UserError& error) {
    place.refused = refused_option(option, place.gpus, {error.mistakes().front().what, Refusal::impossible});
  }
}

/// Makes the curve of the place, which threads then only read. Throws UserError if there is none.
void prepare(const PlanRequest& request, PlanOption& option, int gpus) {
  const double batch = batch_at(request, option, gpus);
  // the micro-batch of a replica must be whole, and not that of a GPU
  if (batch < 1 && !is_model_parallel(option.strategy.name))
    throw UserError(
        "", "", fmt::format("a global batch of {:g} leaves less than one sample a GPU", request.workload.global_batch));
  curve_at(option, batch);
}

void evaluate(const PlanRequest& request, PlanOption& option, Place& place) {
  const auto& curve = curve_at(option, batch_at(request, option, place.gpus));
  if (const auto why = why_not(request, option, curve, place.gpus); !why.text.empty()) {
    place.refused = refused_option(option, place.gpus, why);
    if (why.kind == Refusal::nodes || why.kind == Refusal::power) add_outcome(request, option, curve, *place.refused);
    return;
  }
  place.evaluation = screened(request, option, curve, place.gpus);
  place.evaluation->option = place.option;
}

} // namespace

std::vector<Evaluation> screen(const PlanRequest& request, std::vector<PlanOption>& options,
                               std::vector<RefusedOption>& refused, int threads) {
  auto places = places_of(options);
  for (auto& place : places) {
    auto& option = options[place.option];
    unless_refused(option, place, [&] { prepare(request, option, place.gpus); });
  }
  for_each_number(places.size(), threads, [&](std::size_t number) {
    auto& place = places[number];
    auto& option = options[place.option];
    unless_refused(option, place, [&] { evaluate(request, option, place); });
  });
  std::vector<Evaluation> all;
  for (auto& place : places) {
    if (place.evaluation) all.push_back(std::move(*place.evaluation));
    if (place.refused) refused.push_back(std::move(*place.refused));
  }
  return all;
}

} // namespace ddlsim
