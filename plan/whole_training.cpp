#include "plan/whole_training.hpp"

#include "sim/iteration/step.hpp"

#include <cmath>

namespace ddlsim {
namespace {

/// The forward part of one GPU's iteration, for every batch of every evaluation.
double evaluation_s(const Workload& work, const Curve& curve, double samples_an_iteration) {
  if (work.evaluation_samples <= 0) return 0;
  const double evaluations = std::floor(work.epochs / work.epochs_per_evaluation);
  const double batches = std::ceil(work.evaluation_samples / samples_an_iteration);
  return evaluations * batches * one_gpu_iteration_s(curve, curve.median) * curve.median.forward_share;
}

FailingJob failing_job(const FailureRules& rules, int nodes) {
  return {rules.node_mtbf_s / nodes, rules.checkpoint_s, rules.restart_s};
}

} // namespace

WholeTraining whole_training(const PlanRequest& request, const Offer& offer, const Curve& curve, int gpus) {
  const auto& work = request.workload;
  const auto setup = at_scale(curve, gpus);
  const double samples_an_iteration = gpus * setup.batch_per_gpu;
  const int workers_nodes = (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
  WholeTraining training;
  training.iterations = std::ceil(work.samples * work.epochs / samples_an_iteration);
  training.evaluation_s = evaluation_s(work, curve, samples_an_iteration);
  training.nodes = workers_nodes + dedicated_server_hosts(setup, curve.median);
  training.failing = failing_job(request.failures, training.nodes);
  training.costs = offer.costs;
  training.energy = request.energy;
  return training;
}

Outcome outcome_of(const WholeTraining& training, double iteration_s) {
  Outcome outcome;
  outcome.time_s = expected_time_s(training.failing, training.iterations * iteration_s + training.evaluation_s);
  outcome.usd = cost_usd(training.costs, training.nodes, outcome.time_s, training.energy);
  outcome.kwh = energy_kwh(training.costs, training.nodes, outcome.time_s, training.energy);
  return outcome;
}

} // namespace ddlsim
