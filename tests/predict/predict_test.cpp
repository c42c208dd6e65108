#include "sim/base/error.hpp"
#include "sim/iteration/neighbours_cost.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/known_files.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/report.hpp"
#include "tests/calibrate/shipped_data.hpp"
#include "tests/golden/message_trace.hpp"
#include "tests/predict/relations.hpp"
#include "tests/simgrid/formula_range.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

const DataFolder shipped = ddlsim_test::shipped_data();

Scenario iris() {
  auto scenario = read_scenario(shipped.scenarios() / "iris-resnet50.json");
  scenario.gpus = {1, 4, 16};
  scenario.samples = 40;
  return scenario;
}

} // namespace

TEST_CASE("the shipped scenario gives every promised field, finite and in order", "[predict]") {
  const auto json = nlohmann::json::parse(to_json_text(predict(iris(), shipped, formulas)));
  REQUIRE(json["points"].size() == 12); // 4 strategies x 3 scales
  for (const auto& point : json["points"]) {
    for (const auto& name : {"strategy", "gpus", "nodes", "server_nodes", "compute_s", "exposed_communication_s",
                             "unexplained_s", "efficiency_per_gpu_bought", "samples_per_s_per_node_bought",
                             "bottleneck", "evidence", "extrapolated", "fidelity"})
      CHECK(point.contains(name));
    CHECK(point["iteration_s_low"].get<double>() <= point["iteration_s"].get<double>());
    CHECK(point["iteration_s"].get<double>() <= point["iteration_s_high"].get<double>());
    CHECK(point["samples_per_s_low"].get<double>() <= point["samples_per_s_high"].get<double>());
    CHECK(point["efficiency"].get<double>() > 0);
    CHECK(point["efficiency"].get<double>() <= 1 + 1e-9);
  }
  for (const auto& strategy : json["strategies"]) {
    CHECK(strategy["largest_efficient_gpus"].get<int>() >= 1);
    CHECK_FALSE(strategy["measure_next"]["what"].get<std::string>().empty());
  }
  CHECK(json["produced_by"]["files"].size() == 6); // with the cluster's calibration
}

TEST_CASE("beside neighbours a point says what they cost, and is else as without them", "[predict][neighbours]") {
  auto scenario = read_scenario(shipped.scenarios() / "iris-vgg16-shared.json");
  scenario.samples = 20;
  scenario.gpus = {1, 4, 16};
  scenario.strategies.emplace_back().name = StrategyName::ps;
  const auto beside = predict(scenario, shipped, {Fidelity::by_default, {}});
  scenario.co_location.neighbours.clear();
  const auto alone = predict(scenario, shipped, {Fidelity::by_default, {}});
  for (std::size_t i = 0; i < 3; ++i) { // the last are parameter servers
    const auto& points = beside.strategies.at(i).points;
    CHECK(points.at(1).parts.neighbours_s == 0);            // one node
    CHECK((i == 2 || points.at(2).parts.neighbours_s > 0)); // connections of servers are thin, and may lose nothing
    for (const auto& point : points) {
      REQUIRE(point.alone.has_value());
      CHECK(point.iteration_s >= point.alone->s * (1 - 1e-12));
      CHECK(sum_s(point.parts) == Approx(point.iteration_s));
    }
    CHECK(points.at(2).alone->s == Approx(alone.strategies.at(i).points.at(2).iteration_s));
    CHECK_FALSE(alone.strategies.at(i).points.at(2).alone.has_value());
  }
  const auto text = to_terminal_text(beside);
  CHECK(text.find("beside it another: 48 nodes, scattered, 150 ms of compute and 550 MB all-reduced") !=
        std::string::npos);
  CHECK(text.find("without neighbours (90 %)") != std::string::npos);
  CHECK(to_terminal_text(alone).find("neighbours") == std::string::npos);
}

TEST_CASE("64 GPUs beside a neighbour: every message is as close to the rounds as draws found",
          "[predict][neighbours]") {
  if (most_ranks < 64) return; // a million messages
  auto scenario = read_scenario(shipped.scenarios() / "iris-vgg16-shared.json");
  scenario.strategies.erase(scenario.strategies.begin()); // what the library takes; the ring stays
  const KnownFiles files(scenario, shipped);
  const auto curve = make_curve(scenario, scenario.strategies.front(), files.model(), files.knowledge());
  const auto setup = at_scale(curve, 64);
  const auto rounds = time_step(setup, curve.median, Fidelity::by_default);
  const auto full = time_step(setup, curve.median, Fidelity::full);
  const auto run = run_step(setup, curve.median, Fidelity::formula);
  double alone_s = 0;
  for (const auto& transfer : job_traffic(run.graph, run.execution).transfers) alone_s += transfer.alone_s;
  const auto range_s = added_range_s(rounds.parts.neighbours_s, alone_s, rings_beside);
  CHECK(rounds.parts.neighbours_s > 0);
  CHECK(full.parts.neighbours_s > 0);
  const double apart_s = full.iteration_s - rounds.iteration_s;
  CHECK(apart_s >= range_s.faster - rounds.parts.neighbours_s);
  CHECK(apart_s <= range_s.slower - rounds.parts.neighbours_s);
}

TEST_CASE("every point of a shipped scenario on several GPUs is SimGrid's, but of many unlike connections",
          "[predict][symmetry]") {
  int points = 0;
  int by_formula = 0;
  for (const char* name : {"iris-resnet50", "k80-inception-ps", "pascal-vgg16", "pascal-servers-or-horovod"}) {
    auto scenario = read_scenario(shipped.scenarios() / (std::string(name) + ".json"));
    scenario.samples = 40;
    for (const auto& strategy : predict(scenario, shipped, {Fidelity::by_default, {}}).strategies) {
      for (const auto& point : strategy.points) {
        if (point.gpus == 1) continue;
        INFO(name << ", " << to_text(strategy.strategy) << " at " << point.gpus << " GPUs: " << point.fidelity_note);
        ++points;
        by_formula += point.fidelity == "formula";
        CHECK((point.simgrid_messages > 0 || point.fidelity_note.find("connections") != std::string::npos));
      }
    }
  }
  CHECK(10 * by_formula <= points); // unlike servers on dozens of nodes
}

TEST_CASE("the number that is shown follows the capacity of SimGrid's links", "[predict][symmetry]") {
  auto scenario = iris();
  scenario.gpus = {16};
  if (most_ranks < 64)
    scenario.strategies = {scenario.strategies[1], scenario.strategies.back()}; // sanitizers: minutes
  const auto before = predict(scenario, shipped, {Fidelity::by_default, {}}).strategies;
  const NarrowedLinks narrowed("nic-in", 0.02);
  const auto after = predict(scenario, shipped, {Fidelity::by_default, {}}).strategies;
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK(after[i].points.front().iteration_s > 1.1 * before[i].points.front().iteration_s);
}

TEST_CASE("the largest efficient scale of every shipped scenario is what its table says", "[predict]") {
  // Sanitizers would run the trees of thousands of GPUs for minutes.
  const PredictOptions asked{most_ranks < 64 ? Fidelity::formula : Fidelity::by_default, {}};
  for (const char* name : {"iris-resnet50", "k80-inception-ps", "pascal-vgg16"}) {
    auto scenario = read_scenario(shipped.scenarios() / (std::string(name) + ".json"));
    scenario.samples = 40;
    scenario.gpus = {1};
    const auto strategies = scenario.strategies;
    for (const auto& strategy : strategies) {
      scenario.strategies = {strategy};
      INFO(name << ", " << to_text(strategy));
      const auto answer = predict(scenario, shipped, asked).strategies.front();
      check_largest_scale(scenario, answer.largest_scale, asked);
    }
  }
}

TEST_CASE("offload asks for the host's rates, and a row names those that are missing", "[predict][offload]") {
  auto scenario = read_scenario(shipped.scenarios() / "p5-llama-3.1-8b-fsdp.json");
  scenario.samples = 20;
  scenario.gpus = {8};
  scenario.strategies.resize(1);
  scenario.strategies.front().sharded.offload = Offload::optimizer_and_parameters;
  const auto prediction = predict(scenario, shipped, formulas);
  CHECK_THAT(prediction.strategies.front().points.front().error,
             Catch::Contains("/node/host_memory_bandwidth and /node/host_link of p5"));
}

TEST_CASE("a pipeline's points have a bubble, and counts that it cannot have are reported", "[predict][pipeline]") {
  auto scenario = read_scenario(shipped.scenarios() / "p5-llama-3.1-8b-pipeline.json");
  scenario.samples = 20;
  scenario.gpus = {1, 8, 24, 64};
  const auto prediction = predict(scenario, shipped, formulas);
  const auto& once = prediction.strategies.at(0).points;
  const auto& interleaved = prediction.strategies.at(1).points;
  CHECK(once.at(0).error.find("give a multiple of 4") != std::string::npos);
  CHECK(once.at(2).error.find("give a multiple of 32 GPUs") != std::string::npos);
  for (const std::size_t at : {1U, 3U}) {
    CHECK(once.at(at).parts.bubble_s >=
          3.0 / 16 * once.at(at).parts.compute_s * (1 - 1e-9)); // more where stages are uneven
    CHECK(interleaved.at(at).parts.bubble_s < once.at(at).parts.bubble_s);
    CHECK(once.at(at).memory->parts.total() > 16 * 8.0e9 / 4); // a quarter of the state, and outputs
    CHECK(once.at(at).evidence == EvidenceLabel::assumed);     // nothing of the kind was ever run
    check_parts(once.at(at));
  }
  const auto json = nlohmann::json::parse(to_json_text(prediction));
  CHECK(json["points"][1]["bubble_s"].get<double>() == Approx(once.at(1).parts.bubble_s));
  CHECK_FALSE(json["points"].back().contains("bubble_s")); // of fsdp
  const auto text = to_terminal_text(prediction);
  CHECK(text.find("+ bubble") != std::string::npos);
  CHECK(text.find("24 GPUs cannot be: ") != std::string::npos);
}

TEST_CASE("the largest efficient scale of a pipeline is one that it can have", "[predict][pipeline]") {
  auto scenario = read_scenario(shipped.scenarios() / "p5-llama-3.1-8b-pipeline.json");
  scenario.samples = 20;
  scenario.gpus = {8};
  scenario.strategies.resize(1);
  for (const double bound : {0.3, 0.6, 0.99}) {
    scenario.efficiency_bound = bound;
    const auto answer = predict(scenario, shipped, formulas).strategies.front();
    const int gpus = answer.largest_scale.gpus;
    INFO("bound " << bound << ", " << gpus << " GPUs");
    CHECK(gpus % 4 == 0);
    CHECK((gpus <= 32 || gpus % 32 == 0));
    CHECK(answer.efficient_against_gpus == 8); // no single GPU holds the model
    CHECK(gpus >= 8);                          // where efficiency is 1
    scenario.gpus = {8, gpus};
    const auto points = predict(scenario, shipped, formulas).strategies.front().points;
    CHECK(points.back().efficiency >= bound * points.front().efficiency);
    scenario.gpus = {8};
  }
}

TEST_CASE("every row of the shipped scenarios adds up, residuals of measured series and all", "[predict]") {
  for (const char* name : {"iris-resnet50", "k80-inception-ps", "pascal-vgg16"}) {
    auto scenario = read_scenario(shipped.scenarios() / (std::string(name) + ".json"));
    scenario.samples = 40;
    for (const auto& answer : predict(scenario, shipped, formulas).strategies)
      for (const auto& point : answer.points)
        if (point.error.empty()) check_parts(point);
  }
}

TEST_CASE("an all-reduce that is to be measured next is run as at the scale asked for", "[predict]") {
  auto scenario = iris();
  scenario.gpus = {65536}; // a ring there is its latency
  scenario.samples = 40;
  scenario.strategies.resize(2); // auto, ring
  int named = 0;
  for (const auto& answer : predict(scenario, shipped, formulas).strategies) {
    const auto& next = answer.measure_next;
    const bool by_all_reduce = !answer.library.empty() && parameter_field(next.parameter).seen_by.all_reduce;
    INFO(to_text(answer.strategy) << ": " << next.parameter);
    CHECK((next.protocol.empty() || by_all_reduce));
    if (!by_all_reduce) continue;
    ++named;
    CHECK(next.protocol == answer.points.front().protocol);
    CHECK(next.algorithm == answer.points.front().algorithm);
    CHECK(next.all_reduce_bytes == answer.points.front().largest_collective_bytes);
  }
  CHECK(named > 0);
}

TEST_CASE("servers that a scenario leaves open are the preset's, and reported", "[predict]") {
  auto scenario = iris();
  scenario.preset = "tf-ps";
  scenario.gpus = {8};
  scenario.strategies.resize(1);
  scenario.strategies[0] = {};
  scenario.strategies[0].name = StrategyName::ps;
  const auto prediction = predict(scenario, shipped, formulas);
  CHECK(prediction.strategies[0].left_open == std::vector<std::string>{"servers", "placement", "sharding"});
  CHECK(to_text(prediction.strategies[0].taken) == "ps(1 a node colocated, bytes)");
  const auto json = nlohmann::json::parse(to_json_text(prediction));
  CHECK(json["strategies"][0]["taken"]["placement"] == "colocated");
}

TEST_CASE("a series or a software that no record of the cluster has is refused", "[predict]") {
  auto scenario = iris();
  scenario.gpus = {1};
  scenario.cluster = "dlperf-v100";
  scenario.series = "dlperf-pytorch-resnet50_v1.5-fp32-b128-line46";
  CHECK_THROWS_WITH(predict(scenario, shipped, formulas),
                    Catch::Contains("did you mean dlperf-pytorch-resnet50_v1.5-fp32-b128-"));
  scenario.series.clear();
  scenario.software = "Fortran";
  CHECK_THROWS_WITH(predict(scenario, shipped, formulas),
                    Catch::Contains("no record of dlperf-v100 names the software"));
  scenario.software = "PyTorch 1.6";
  CHECK_NOTHROW(predict(scenario, shipped, formulas));
}

TEST_CASE("labels are honest: nothing was measured here, so that GPU and network are others' at best", "[predict]") {
  const auto prediction = predict(iris(), shipped, formulas);
  CHECK(prediction.one_gpu.evidence == EvidenceLabel::transferred);
  for (const auto& answer : prediction.strategies) {
    CHECK(answer.points.front().evidence == EvidenceLabel::transferred);
    CHECK(answer.points.front().extrapolated == false);
    CHECK(answer.points.back().evidence != EvidenceLabel::calibrated);
    CHECK(answer.points.back().evidence != EvidenceLabel::extrapolated); // of no measurement here
  }
}

TEST_CASE("same scenario and seed, same bytes, and another seed moves only intervals", "[predict]") {
  const auto once = to_json_text(predict(iris(), shipped, formulas));
  CHECK(once == to_json_text(predict(iris(), shipped, formulas)));
  auto other = iris();
  other.seed = 2;
  const auto a = predict(iris(), shipped, formulas);
  const auto b = predict(other, shipped, formulas);
  CHECK(a.strategies[0].points[2].iteration_s == b.strategies[0].points[2].iteration_s);
  CHECK(a.strategies[0].points[2].iteration_s_high != b.strategies[0].points[2].iteration_s_high);
}

TEST_CASE("full and formula agree on the shipped ring", "[predict]") {
  auto scenario = iris();
  scenario.strategies.resize(1);
  const auto full = predict(scenario, shipped, {Fidelity::full, {}});
  const auto closed = predict(scenario, shipped, formulas);
  for (std::size_t i = 0; i < scenario.gpus.size(); ++i)
    CHECK(full.strategies[0].points[i].iteration_s == Approx(closed.strategies[0].points[i].iteration_s).epsilon(1e-6));
}

TEST_CASE("every all-reduce by name is answered on the shipped cluster, full and closed form", "[predict]") {
  auto scenario = iris();
  scenario.strategies.clear();
  for (const StrategyName name :
       {StrategyName::hierarchical_ring, StrategyName::tree, StrategyName::halving_doubling}) {
    scenario.strategies.emplace_back();
    scenario.strategies.back().name = name;
  }
  const auto full = predict(scenario, shipped, {Fidelity::full, {}});
  const auto closed = predict(scenario, shipped, formulas);
  for (std::size_t s = 0; s < scenario.strategies.size(); ++s) {
    for (std::size_t i = 0; i < scenario.gpus.size(); ++i) {
      const auto& point = full.strategies[s].points[i];
      INFO(to_text(scenario.strategies[s].name) << " on " << point.gpus);
      CHECK(point.error.empty());
      CHECK(point.iteration_s == Approx(closed.strategies[s].points[i].iteration_s)
                                     .epsilon(scenario.strategies[s].name == StrategyName::tree ? 0.02 : 1e-6));
    }
  }
}

TEST_CASE("that a NIC's rate is assumed is reported where traffic leaves the node and nothing measured it",
          "[predict]") {
  auto scenario = iris();
  CHECK(predict(scenario, shipped, formulas).warnings.empty());
  scenario.cluster = "v100-2x1-10g";
  scenario.transport = "nccl-ib";
  scenario.strategies.resize(2); // told once
  scenario.gpus = {1, 2};
  const auto warnings = predict(scenario, shipped, formulas).warnings;
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front(), Catch::Contains("no source states the rate of NIC \"10g\" of v100-2x1-10g: 1.25 GB/s"));
  scenario.gpus = {1};
  CHECK(predict(scenario, shipped, formulas).warnings.empty());
}

TEST_CASE("too many GPUs are a row with its error while the rest goes on", "[predict]") {
  auto scenario = iris();
  scenario.gpus = {4, 1'000'000};
  scenario.strategies = {scenario.strategies[0]};
  const auto prediction = predict(scenario, shipped, formulas);
  CHECK(prediction.strategies[0].points[0].error.empty());
  CHECK_FALSE(prediction.strategies[0].points[1].error.empty());
  CHECK_NOTHROW(to_json_text(prediction));
  CHECK_NOTHROW(to_terminal_text(prediction));
}

TEST_CASE("asynchronous servers are predicted with their staleness, the same bytes twice", "[predict]") {
  auto scenario = iris();
  scenario.gpus = {2};
  Strategy async;
  async.name = StrategyName::ps_async;
  async.servers = {ServerCount::Rule::count, 2};
  async.placement = Placement::dedicated;
  async.preset = "tf-mirrored"; // all is pushed at the end of backward: few messages
  async.on_node_reduce = false;
  scenario.strategies = {scenario.strategies[0], async};
  const PredictOptions by_default{Fidelity::by_default, {}};
  const auto prediction = predict(scenario, shipped, by_default);
  const auto& point = prediction.strategies[1].points[0];
  CHECK(point.error.empty());
  CHECK(point.fidelity == "classes");
  CHECK(point.simgrid_messages > 0);
  CHECK(point.mean_staleness > 0);
  CHECK(prediction.strategies[0].points[0].mean_staleness == 0);
  const auto json = to_json_text(prediction);
  CHECK(json == to_json_text(predict(scenario, shipped, by_default)));
  const auto first = json.find("mean_staleness");
  CHECK(first > json.find("ps-async")); // not in the ring's rows
  CHECK(to_terminal_text(prediction).find("Updates by others") != std::string::npos);
}

TEST_CASE("unknown names are clear errors", "[predict]") {
  auto scenario = iris();
  scenario.model = "resnet50_v15";
  CHECK_THROWS_WITH(predict(scenario, shipped, formulas), Catch::Contains("resnet50_v1.5"));
  scenario = iris();
  scenario.transport = "nccl-tcpip";
  CHECK_THROWS_AS(predict(scenario, shipped, formulas), UserError);
}

} // namespace ddlsim
