#include "sim/predict/layout_estimate.hpp"

#include "sim/iteration/execution.hpp"
#include "sim/iteration/iteration_graph.hpp"

#include <algorithm>
#include <vector>

namespace ddlsim {
namespace {

/// The same layout with a batch of one micro-batch and one piece a stage.
StepSetup one_micro_batch(StepSetup setup) {
  auto& parallel = setup.strategy.parallel;
  setup.batch_per_gpu /= parallel.micro_batches;
  setup.one_gpu_s /= parallel.micro_batches;
  parallel.micro_batches = 1;
  parallel.virtual_stages = 1;
  parallel.schedule = PipelineSchedule::one_f_one_b;
  return setup;
}

/// Seconds for which the busiest stage computes or waits for a transfer inside a layer.
double busiest_stage_s(const Graph& graph, const Execution& execution) {
  std::vector<double> busy_s(graph.roles.size(), 0);
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& operation = graph.operations[i];
    const bool is_of_pass = operation.micro_batch >= 0 && operation.kind != OperationKind::send;
    const auto& span = execution.spans[i];
    if (is_of_pass) busy_s[graph.streams[operation.stream].role] += span.end_s - span.start_s;
  }
  return *std::max_element(busy_s.begin(), busy_s.end());
}

} // namespace

double estimated_iteration_s(const StepSetup& setup, const Parameters& sample, const StepCache& of_stages) {
  const auto& parallel = setup.strategy.parallel;
  const auto single = one_micro_batch(setup);
  const auto graph = iteration_graph(single, communication_inputs(single, sample), *of_stages.shape);
  Choice choice;
  const auto execution = execute(graph, Fidelity::formula, choice);
  const double busiest_s = busiest_stage_s(graph, execution);
  return parallel.micro_batches * busiest_s + (execution.end_s - busiest_s) / parallel.virtual_stages;
}

} // namespace ddlsim
