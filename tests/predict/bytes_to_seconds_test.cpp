// The walk of ARCHITECTURE.md, "gradient bytes to iteration time": one tensor of 100 MB through the public function of
// each stop, on four nodes of one GPU, whose NICs carry 1 GB/s and whose messages wait 1 ms.

#include "sim/iteration/all_reduce_graph.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/predict/report.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace ddlsim {
namespace {

constexpr double gradient_bytes = 1e8;
constexpr double compute_s = 0.3;
constexpr double all_reduce_alone_s = 6 * (1e-3 + gradient_bytes / 4 / 1e9); // 2(n-1) steps of S/n bytes

const Operation& all_reduce_of(const Graph& graph) {
  return *std::find_if(graph.operations.begin(), graph.operations.end(),
                       [](const Operation& one) { return one.kind == OperationKind::all_reduce; });
}

} // namespace

TEST_CASE("nine stops from a gradient's bytes to the report", "[walk]") {
  const SmallCluster small;
  const auto setup = small.setup(StrategyName::ring, 4);
  const auto inputs = communication_inputs(setup, small.sample);

  const auto shape = backward_shape_of(setup); // 1: the tensor
  REQUIRE(shape.tensors.size() == 1);
  CHECK(shape.tensors[0].size_bytes == gradient_bytes);

  const auto profile = compute_profile(shape, compute_s, small.sample.forward_share); // 2: its bucket
  CHECK(group_ends(profile, setup.preset) == std::vector<std::size_t>{1});

  const Graph graph = iteration_graph(setup, inputs, shape); // 3: an operation of the graph
  CHECK(all_reduce_of(graph).size_bytes == gradient_bytes);

  const auto choice_of_library = choose_algorithm(graph.rules, 4, gradient_bytes); // 4: the library's choice
  CHECK(choice_of_library == AlgorithmAndProtocol{Algorithm::ring, Protocol::none});

  const auto cost = cost_of(graph.machine, graph.rules, gradient_bytes); // 5: its cost
  CHECK(cost.wire_bytes == gradient_bytes);
  CHECK(cost.net_latency_s == 1e-3);
  CHECK(formula_s(graph.machine, cost) == Approx(all_reduce_alone_s));

  Choice choice; // 6: its place on a stream
  const auto execution = execute(graph, Fidelity::by_default, choice);
  REQUIRE(execution.collectives.size() == 1);
  CHECK(execution.collectives[0].span.start_s == Approx(compute_s));
  CHECK(execution.collectives[0].span.end_s == Approx(compute_s + all_reduce_alone_s).epsilon(1e-6));
  CHECK(execution.simgrid_messages > 0);

  const auto time = time_step(setup, small.sample, Fidelity::by_default); // 7: the iteration, in parts that add up
  CHECK(time.parts.compute_s == compute_s);
  CHECK(time.parts.exposed_communication_s == Approx(all_reduce_alone_s).epsilon(1e-6));
  CHECK(sum_s(time.parts) == Approx(time.iteration_s));

  Curve curve{setup, small.sample, {}, 1, 64, EvidenceLabel::calibrated}; // 8: the number and its interval
  curve.samples.values = {small.sample};
  curve.samples.z_scores = {std::vector<double>(parameter_fields().size(), 0.0)};
  const auto point = predict_point(curve, 4, Fidelity::by_default).point;
  CHECK(point.iteration_s == Approx(compute_s + all_reduce_alone_s).epsilon(1e-6));
  CHECK(point.iteration_s_low <= point.iteration_s);
  CHECK(point.iteration_s <= point.iteration_s_high);

  StrategyAnswer answer; // 9: the report
  answer.points = {point};
  Prediction prediction;
  prediction.strategies = {answer};
  CHECK_THAT(to_csv_text(prediction), Catch::Contains("0.456"));
}

} // namespace ddlsim
