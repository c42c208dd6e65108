#include "sim/export/tracks.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "tests/export/shipped_points.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace ddlsim {
namespace {

/// Of sums of spans, relative to the iteration.
constexpr double track_rounding = 1e-9;

const char* const every_strategy =
    R"([{"name": "auto"}, {"name": "ring"}, {"name": "hierarchical-ring"}, {"name": "tree"},
        {"name": "halving-doubling"}, {"name": "fsdp", "micro_batches": 2, "recompute": "full"},
        {"name": "zero-2", "micro_batches": 2},
        {"name": "ps", "servers": {"count": 2}, "placement": "dedicated", "sharding": "bytes"},
        {"name": "ps", "servers": {"per_node": 1}, "placement": "colocated", "sharding": "round-robin",
         "on_node_reduce": false}])";

/// All is pushed at the end of backward, by two workers: few messages.
const char* const asynchronous =
    R"([{"name": "ps-async", "preset": "tf-mirrored", "servers": {"count": 2}, "placement": "dedicated",
         "sharding": "bytes", "on_node_reduce": false}])";

std::vector<Scenario> varied_scenarios() {
  const JsonChange strategies{"/strategies", every_strategy};
  const JsonChange gpus{"/gpus", "[1,2,8,16]"};
  return {shipped_scenario("iris-resnet50", {strategies, gpus}),
          shipped_scenario("iris-resnet50", {strategies, gpus, {"/preset", "horovod"}}),
          shipped_scenario("iris-resnet50", {strategies, gpus, {"/input", R"({"loader_samples_per_s": 900})"}}),
          shipped_scenario("iris-resnet50", {{"/strategies", asynchronous}, {"/gpus", "[1,2]"}}),
          shipped_scenario("k80-inception-ps", {gpus}),
          shipped_scenario("pascal-vgg16", {gpus}),
          shipped_scenario("pascal-servers-or-horovod", {gpus}),
          shipped_scenario("p5-llama-3.1-8b-pipeline", {{"/gpus", "[8,16]"}})};
}

void check_apart(const Track& track, double iteration_s) {
  double free_s = 0;
  for (const TrackSpan& span : track.spans) {
    INFO(track.name << ": " << span.name);
    CHECK(span.time.start_s >= free_s - track_rounding * iteration_s);
    CHECK(span.time.end_s >= span.time.start_s);
    free_s = span.time.end_s;
  }
}

double latest_end_s(const std::vector<TrackGroup>& groups) {
  double end_s = 0;
  for (const TrackGroup& group : groups)
    for (const Track& track : group.tracks)
      for (const TrackSpan& span : track.spans) end_s = std::max(end_s, span.time.end_s);
  return end_s;
}

void check_tracks(const PointRun& run) {
  const double iteration_s = run.point.iteration_s;
  const auto groups = tracks_of(run);
  for (const TrackGroup& group : groups)
    for (const Track& track : group.tracks) check_apart(track, iteration_s);
  CHECK(latest_end_s(groups) == Approx(iteration_s).epsilon(track_rounding));
  double parts_s = 0;
  for (const TrackSpan& span : groups.front().tracks.front().spans) parts_s += span.time.end_s - span.time.start_s;
  CHECK(parts_s == Approx(iteration_s).epsilon(track_rounding));
}

/// The same point where measured runs take so much less than the mechanisms say.
PredictedPoint quicker_by(double share, const PointRun& run) {
  auto point = run.point;
  const double mechanisms_s = point.parts.compute_s + point.parts.exposed_communication_s +
                              point.parts.synchronisation_s + point.parts.straggling_s;
  point.parts.unexplained_s = -share * mechanisms_s;
  point.parts.input_wait_s = std::max(0.0, needed_input_s(run.setup) - (1 - share) * mechanisms_s);
  point.iteration_s = (1 - share) * mechanisms_s + point.parts.input_wait_s;
  return point;
}

/// When the last operation of a role has ended.
double graph_end_s(const std::vector<TrackGroup>& groups) {
  return latest_end_s({groups.begin() + 1, groups.end()});
}

} // namespace

TEST_CASE("no span lies over another of its track, and tracks end with the iteration", "[export][property]") {
  for (const Scenario& scenario : varied_scenarios())
    for (const Fidelity fidelity : {Fidelity::by_default, Fidelity::formula})
      for_each_point(scenario, fidelity, [](const std::string& what, const PointRun& run) {
        INFO(what);
        check_tracks(run);
      });
}

TEST_CASE("a slow node has a track of its own, and its delay a part", "[export]") {
  const auto scenario = shipped_scenario(
      "iris-resnet50",
      {{"/strategies", every_strategy}, {"/gpus", "[16]"}, {"/slow_node", R"({"compute_factor": 1.5})"}});
  for_each_point(scenario, Fidelity::formula, [](const std::string& what, const PointRun& run) {
    INFO(what);
    if (run.setup.strategy.name == StrategyName::ps_async) return; // its slow worker's own iteration is longer
    check_tracks(run);
    const auto groups = tracks_of(run);
    const auto& parts = groups.front().tracks.front().spans;
    CHECK(std::any_of(parts.begin(), parts.end(),
                      [](const TrackSpan& part) { return part.name == "straggling: the slow node"; }));
    if (is_parameter_server(run.setup.strategy.name)) CHECK(groups.at(2).name == "slow worker (4 ranks)");
  });
}

TEST_CASE("where measured runs take less than the mechanisms say, all times but input are shortened alike",
          "[export]") {
  const auto scenario = shipped_scenario(
      "iris-resnet50",
      {{"/strategies", every_strategy}, {"/gpus", "[16]"}, {"/input", R"({"loader_samples_per_s": 600})"}});
  for_each_point(scenario, Fidelity::formula, [](const std::string& what, const PointRun& run) {
    INFO(what);
    const auto quicker = quicker_by(0.2, run);
    const PointRun quicker_run{run.setup, quicker, run.run};
    CHECK(track_scale(quicker) == Approx(0.8));
    check_tracks(quicker_run);
    CHECK(track_scale(run.point) == 1);
  });
}

TEST_CASE("each stage of a pipeline has its compute, its sends and its sum", "[export][pipeline]") {
  const auto scenario = shipped_scenario("p5-llama-3.1-8b-pipeline", {{"/gpus", "[8]"}});
  for_each_point(scenario, Fidelity::formula, [](const std::string& what, const PointRun& run) {
    INFO(what);
    if (run.setup.strategy.name != StrategyName::model_parallel || run.setup.strategy.parallel.tensor > 1) return;
    const auto groups = tracks_of(run);
    REQUIRE(groups.size() == 5); // the parts, and four stages
    CHECK(groups.at(1).name == "stage 0 (2 ranks)");
    CHECK(groups.at(0).tracks.front().spans.at(1).name == "bubble");
    std::vector<std::string> names;
    for (const Track& track : groups.at(2).tracks) names.push_back(track.name);
    CHECK(names == std::vector<std::string>{"compute", "outputs to the next stage", "gradients to the stage before",
                                            "all-reduces"});
    const auto& compute = groups.at(1).tracks.front().spans;
    CHECK(compute.front().name.rfind("forward embeddings .. block", 0) == 0);
    CHECK(compute.front().name.find(", micro-batch 0") != std::string::npos);
    CHECK(groups.at(1).tracks.at(1).spans.front().name.rfind("send outputs of embeddings .. block", 0) == 0);
  });
}

TEST_CASE("what stands outside the graph begins where the graph ends", "[export]") {
  const auto scenario = shipped_scenario("iris-resnet50", {{"/gpus", "[16]"}});
  for_each_point(scenario, Fidelity::by_default, [](const std::string& what, const PointRun& run) {
    INFO(what);
    const auto groups = tracks_of(run);
    const auto& parts = groups.front().tracks.front().spans;
    const auto outside =
        std::find_if(parts.begin(), parts.end(), [](const TrackSpan& part) { return part.name == "synchronisation"; });
    REQUIRE(outside != parts.end());
    CHECK(outside->time.start_s == Approx(graph_end_s(groups)).epsilon(track_rounding));
  });
}

TEST_CASE("bytes on the tracks are those of the model's gradients", "[export]") {
  const auto scenario = shipped_scenario("iris-resnet50", {{"/gpus", "[8]"}});
  for_each_point(scenario, Fidelity::formula, [](const std::string& what, const PointRun& run) {
    INFO(what);
    double reduced_bytes = 0;
    double pushed_bytes = 0;
    std::size_t tensors = 0;
    for (const TrackGroup& group : tracks_of(run)) {
      for (const Track& track : group.tracks) {
        for (const TrackSpan& span : track.spans) {
          if (span.kind == OperationKind::all_reduce) reduced_bytes += span.details.size_bytes;
          if (span.kind == OperationKind::all_reduce) {
            const auto runs_as = choose_algorithm(run.run.graph.rules, run.setup.gpus, span.details.size_bytes);
            CHECK(span.details.collective == all_reduce_by(runs_as.algorithm));
            CHECK(span.details.protocol == runs_as.protocol);
          }
          if (span.name.starts_with("push ")) pushed_bytes += span.details.size_bytes;
          if (span.kind == OperationKind::compute) tensors += span.details.tensors.size();
        }
      }
    }
    CHECK(reduced_bytes + pushed_bytes == Approx(run.setup.model.size_bytes()));
    CHECK(tensors == 161); // of ResNet-50
  });
}

TEST_CASE("a worker's iteration by hand: 100 MB over two servers' NICs of 1 GB/s", "[export]") {
  // Forward 0.1 s and backward 0.2 s; two workers push 50 MB to each of two servers' NICs at 1 GB/s: 0.1 s and 1 ms of
  // latency; the same back.
  SmallCluster small;
  small.model.layers = {{"fc1", "linear", 1e9, 0, {{"fc1.weight", {}, 5e7}}},
                        {"fc2", "linear", 1e9, 0, {{"fc2.weight", {}, 5e7}}}};
  auto setup = small.setup(StrategyName::ps, 2);
  setup.strategy.servers = {ServerCount::Rule::count, 2};
  setup.strategy.placement = Placement::dedicated;
  small.sample.compute_factor = 1;
  const auto run = run_step(setup, small.sample, Fidelity::by_default);
  PredictedPoint point;
  point.iteration_s = run.execution.end_s;
  point.parts.compute_s = setup.one_gpu_s;
  point.parts.exposed_communication_s = run.execution.end_s - setup.one_gpu_s;
  const auto groups = tracks_of({setup, point, run});
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].name == "iteration");
  CHECK(groups[1].name == "worker (2 ranks)");
  REQUIRE(groups[1].tracks.size() == 1); // synthetic data: no input
  const auto& compute = groups[1].tracks[0];
  REQUIRE(compute.spans.size() == 3);
  CHECK(compute.spans[0].name == "forward");
  CHECK(compute.spans[0].time.end_s == Approx(0.1));
  CHECK(compute.spans[1].name == "backward fc2");
  CHECK(compute.spans[1].time.end_s == Approx(0.2));
  CHECK(compute.spans[2].details.tensors == std::vector<std::string>{"fc1.weight"});
  CHECK(groups[2].name == "parameter servers (2 dedicated)");
  REQUIRE(groups[2].tracks.size() == 4);
  const auto& push = groups[2].tracks[0];
  const auto& pull = groups[2].tracks[1];
  CHECK(push.name == "server 0: push");
  REQUIRE(push.spans.size() == 1);
  CHECK(push.spans[0].time.start_s == Approx(0.3)); // backward is not overlapped here
  CHECK(push.spans[0].time.end_s == Approx(0.401));
  CHECK(pull.spans[0].name.starts_with("pull fc"));
  CHECK(pull.spans[0].time.start_s == Approx(0.401));
  CHECK(pull.spans[0].time.end_s == Approx(0.502));
}

} // namespace ddlsim
