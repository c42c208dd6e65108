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

/// Seconds in which at least one of the spans runs.
double covered_s(std::vector<Span>& spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.start_s < b.start_s; });
  double covered_s = 0;
  double until_s = 0;
  for (const auto& span : spans) {
    covered_s += std::max(0.0, span.end_s - std::max(span.start_s, until_s));
    until_s = std::max(until_s, span.end_s);
  }
  return covered_s;
}

/// Seconds for which the busiest stage computes or waits for a transfer inside a layer. Gathers of parameters may run
/// beside compute.
double busiest_stage_s(const Graph& graph, const Execution& execution) {
  std::vector<std::vector<Span>> spans(graph.roles.size());
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& operation = graph.operations[i];
    const bool is_of_pass = operation.micro_batch >= 0 && operation.kind != OperationKind::send;
    if (is_of_pass) spans[graph.streams[operation.stream].role].push_back(execution.spans[i]);
  }
  double most_s = 0;
  for (auto& of_stage : spans) most_s = std::max(most_s, covered_s(of_stage));
  return most_s;
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
