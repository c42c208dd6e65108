#include "plan/whole_training.hpp"

#include "sim/iteration/step.hpp"

#include <cmath>

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

} // namespace

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

} // namespace ddlsim
