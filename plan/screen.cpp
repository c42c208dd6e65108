#include "plan/considered.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"
#include "sim/iteration/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ddlsim {
namespace {

/// The forward part of one GPU's iteration, for every batch of every evaluation.
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

/// Throws UserError where the epochs of its batch are not known.
WholeTraining whole_training(const PlanRequest& request, const Offer& offer, const Curve& curve, int gpus) {
  const auto& work = request.workload;
  const auto setup = at_scale(curve, gpus);
  const int workers_nodes = (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
  const int busy_nodes = workers_nodes + dedicated_server_hosts(setup, curve.median);
  WholeTraining training;
  training.global_batch = gpus * setup.batch_per_gpu;
  training.epochs = epochs_at(*offer.length, training.global_batch);
  training.iterations = std::ceil(offer.length->samples * training.epochs / training.global_batch);
  training.evaluation_s = evaluation_s(work, training.epochs, curve, training.global_batch);
  training.start_up_s = work.start_up_s;
  training.nodes = busy_nodes + request.failures.spare_nodes;
  training.failing = failing_job(request.failures, offer.files->model().parameters, busy_nodes);
  training.costs = offer.costs;
  training.energy = request.energy;
  return training;
}

/// Why the limits or the batch rule it out, whatever it costs; "" when they do not.
std::string why_not(const PlanRequest& request, const Offer& offer, const Curve& curve, int gpus) {
  if (auto why = why_impossible(curve, gpus); !why.empty()) return why;
  const auto training = whole_training(request, offer, curve, gpus);
  const auto& limits = request.limits;
  if (limits.nodes > 0 && training.nodes > limits.nodes)
    return fmt::format("{} nodes, and {} are allowed", training.nodes, limits.nodes);
  const double power_w = room_power_w(offer.costs, training.nodes, request.energy);
  if (limits.power_w > 0 && power_w > limits.power_w)
    return fmt::format("{} with cooling, and {} are allowed", print_quantity(power_w, Dimension::power),
                       print_quantity(limits.power_w, Dimension::power));
  return "";
}

PlannedOption reported_option(const PlanRequest& request, const Offer& offer, const Considered& considered, int gpus) {
  PlannedOption reported;
  reported.candidate = offer.candidate->name;
  reported.cluster = offer.candidate->cluster;
  reported.strategy = offer.strategy;
  reported.gpus = gpus;
  reported.nodes = considered.training.nodes;
  reported.spare_nodes = request.failures.spare_nodes;
  reported.batch_per_gpu = batch_at(request, offer, gpus);
  reported.epochs = considered.training.epochs;
  reported.global_batch = considered.training.global_batch;
  reported.iterations = considered.training.iterations;
  reported.room_power_w = room_power_w(offer.costs, reported.nodes, request.energy);
  const auto& failing = considered.training.failing;
  reported.checkpoint_interval_s = best_checkpoint_interval_s(failing);
  reported.goodput = work_s(considered.training, considered.screened_iteration_s) / considered.likeliest.time_s;
  reported.time_s.value = considered.likeliest.time_s;
  if (considered.likeliest.usd) reported.usd = Likely{*considered.likeliest.usd};
  reported.kwh.value = considered.likeliest.kwh;
  return reported;
}

Considered screened(const PlanRequest& request, const Offer& offer, const Curve& curve, int gpus) {
  Considered considered;
  considered.training = whole_training(request, offer, curve, gpus);
  const double efficiency_there = efficiency(curve, curve.median, gpus);
  considered.screened_iteration_s = one_gpu_iteration_s(curve, curve.median) / efficiency_there;
  considered.likeliest = outcome_of(considered.training, considered.screened_iteration_s);
  considered.reported = reported_option(request, offer, considered, gpus);
  considered.reported.efficiency = efficiency_there;
  if (curve.best_layout) considered.reported.strategy = curve.best_layout->at(gpus).strategy;
  return considered;
}

/// Throws UserError where the option cannot be.
Considered screened_or_refused(const PlanRequest& request, Offer& offer, int gpus) {
  const double batch = batch_at(request, offer, gpus);
  if (batch < 1 && !is_model_parallel(offer.strategy.name)) // a replica's micro-batch has to be whole, not a GPU's
    throw UserError(
        "", "", fmt::format("a global batch of {:g} leaves less than one sample a GPU", request.workload.global_batch));
  const auto& curve = curve_at(offer, batch);
  if (const auto why = why_not(request, offer, curve, gpus); !why.empty()) throw UserError("", "", why);
  return screened(request, offer, curve, gpus);
}

} // namespace

double work_s(const WholeTraining& training, double iteration_s) {
  return training.iterations * iteration_s + training.evaluation_s;
}

Outcome outcome_of(const WholeTraining& training, double iteration_s, double length) {
  Outcome outcome;
  outcome.time_s = training.start_up_s + expected_time_s(training.failing, length * work_s(training, iteration_s));
  outcome.usd = cost_usd(training.costs, training.nodes, outcome.time_s, training.energy);
  outcome.kwh = energy_kwh(training.costs, training.nodes, outcome.time_s, training.energy);
  return outcome;
}

std::vector<Considered> screen(const PlanRequest& request, std::vector<Offer>& offers,
                               std::vector<RefusedOption>& refused) {
  std::vector<Considered> all;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    auto& offer = offers[i];
    const bool first_of_candidate = i == 0 || offers[i - 1].candidate != offer.candidate;
    for (const int gpus : offer.scenario.gpus) {
      if (gpus == 1 && !first_of_candidate) continue; // one GPU synchronises with nobody: the same by any strategy
      try {
        all.push_back(screened_or_refused(request, offer, gpus));
        all.back().offer = i;
      } catch (const UserError& error) {
        refused.push_back({offer.candidate->name, label_of(offer.strategy), gpus, error.mistakes().front().what});
      }
    }
  }
  return all;
}

double figure_of(const Outcome& outcome, PlanGoal goal) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  switch (goal) {
  case PlanGoal::cost:
    return outcome.usd.value_or(unknown);
  case PlanGoal::time:
    return outcome.time_s;
  case PlanGoal::energy:
    return outcome.kwh > 0 ? outcome.kwh : unknown;
  }
  return unknown;
}

std::vector<bool> front_of(const std::vector<Considered>& all) {
  const auto beats = [](const Outcome& one, const Outcome& other) {
    bool less = false;
    for (const auto goal : values_of<PlanGoal>()) {
      if (figure_of(one, goal) > figure_of(other, goal)) return false;
      less = less || figure_of(one, goal) < figure_of(other, goal);
    }
    return less;
  };
  std::vector<bool> front;
  for (const auto& option : all)
    front.push_back(std::none_of(all.begin(), all.end(),
                                 [&](const Considered& other) { return beats(other.likeliest, option.likeliest); }));
  return front;
}

} // namespace ddlsim
