#include "sim/predict/best_servers.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/report.hpp"
#include "tests/calibrate/shipped_data.hpp"
#include "tests/predict/random_scenario.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace ddlsim {
namespace {

constexpr ServerCount sought{ServerCount::Rule::best, 0};

Strategy servers_at(const SmallCluster& small, const StepSetup& setup, int gpus) {
  return BestServers(setup, small.sample, 1).at(gpus);
}

/// "4 colocated bytes".
std::string in_short(const Strategy& strategy) {
  return std::to_string(strategy.servers.value) + " " + to_text(strategy.placement) + " " + to_text(strategy.sharding);
}

StepSetup seeking(const SmallCluster& small, Placement placement = Placement::unknown,
                  Sharding sharding = Sharding::bytes) {
  auto setup = small.setup(StrategyName::ps, 1);
  setup.strategy.servers = sought;
  setup.strategy.placement = placement;
  setup.strategy.sharding = sharding;
  return setup;
}

SmallCluster with_tensors(int count, double size_bytes) {
  SmallCluster small;
  small.model.layers = {{"fc", "linear", 1e9, 0, {}}};
  for (int i = 0; i < count; ++i) small.model.layers[0].tensors.push_back({"fc." + std::to_string(i), {}, size_bytes});
  return small;
}

} // namespace

TEST_CASE("counts that a person would try are tried, and each once", "[best-servers]") {
  const SmallCluster small;
  auto setup = seeking(small);
  setup.gpus = 24;
  setup.gpus_per_node = 4; // 6 nodes
  std::vector<std::string> tried;
  for (const auto& one : server_candidates(setup)) tried.push_back(in_short(one));
  CHECK(tried == std::vector<std::string>{"1 colocated bytes", "2 colocated bytes", "4 colocated bytes",
                                          "6 colocated bytes", "12 colocated bytes", "24 colocated bytes",
                                          "1 dedicated bytes", "2 dedicated bytes", "4 dedicated bytes",
                                          "6 dedicated bytes", "12 dedicated bytes", "24 dedicated bytes"});
  setup.strategy.placement = Placement::dedicated;
  CHECK(server_candidates(setup).size() == 6);
}

TEST_CASE("what the strategy leaves open is tried by the rules that the preset lets its user choose",
          "[best-servers]") {
  SmallCluster small;
  auto setup = seeking(small, Placement::colocated, Sharding::unknown);
  for (const auto& one : server_candidates(setup)) CHECK(one.sharding == Sharding::unknown); // each sample has its own
  small.preset.sharding_choices = {Sharding::round_robin, Sharding::pieces};
  std::set<Sharding> tried;
  for (const auto& one : server_candidates(setup)) tried.insert(one.sharding);
  CHECK(tried == std::set<Sharding>{Sharding::round_robin, Sharding::pieces});
  setup.strategy.sharding = Sharding::split;
  for (const auto& one : server_candidates(setup)) CHECK(one.sharding == Sharding::split);
}

TEST_CASE("thousands of tensors are not cut over thousands of servers", "[best-servers]") {
  const auto small = with_tensors(1000, 1e6);
  auto setup = seeking(small, Placement::colocated, Sharding::split);
  setup.gpus = 4096;
  int most = 0;
  for (const auto& one : server_candidates(setup)) most = std::max(most, one.servers.value);
  CHECK(most == 256); // half a million shards are 500
}

TEST_CASE("equal tensors have a server each", "[best-servers]") {
  for (const int nodes : {2, 4, 8}) {
    const auto small = with_tensors(nodes, 5e7);
    CHECK(in_short(servers_at(small, seeking(small), nodes)) == std::to_string(nodes) + " colocated bytes");
  }
}

TEST_CASE("a single tensor that is not cut has one server: more do not help", "[best-servers]") {
  const auto small = with_tensors(1, 4e8);
  for (const int nodes : {2, 5, 16}) {
    CHECK(in_short(servers_at(small, seeking(small), nodes)) == "1 colocated bytes");
    CHECK(in_short(servers_at(small, seeking(small, Placement::dedicated), nodes)) == "1 dedicated bytes");
  }
}

TEST_CASE("pieces help it", "[best-servers]") {
  auto small = with_tensors(1, 4e8);
  small.preset.sharding_choices = {Sharding::bytes, Sharding::pieces};
  const auto best = servers_at(small, seeking(small, Placement::unknown, Sharding::unknown), 8);
  CHECK(best.sharding == Sharding::pieces);
  CHECK(best.servers.value >= 8);
  CHECK(best.placement == Placement::colocated);
}

// 100 MB after a compute of c seconds, cut over P dedicated servers: N workers and P hosts are bought for
// c + 2 (1 ms + max(N / P, 1) x 0.1 s) an iteration.
TEST_CASE("hosts are bought as long as they pay", "[best-servers]") {
  const SmallCluster small;
  std::set<int> found;
  for (const double compute_s : {0.01, 0.3, 3.0, 30.0}) {
    for (const int nodes : {2, 4, 8, 32}) {
      auto setup = seeking(small, Placement::dedicated, Sharding::split);
      setup.one_gpu_s = compute_s;
      int best = 1;
      double lowest = 0;
      for (int count = 1; count <= 2 * nodes; count *= 2) {
        const double cost =
            (nodes + count) * (compute_s + 2 * (1e-3 + std::max(1.0, static_cast<double>(nodes) / count) * 0.1));
        if (lowest > 0 && cost >= lowest) continue;
        lowest = cost;
        best = count;
      }
      INFO(compute_s << " s on " << nodes << " nodes");
      CHECK(servers_at(small, setup, nodes).servers.value == best);
      found.insert(best);
    }
  }
  CHECK(found.size() > 3); // one host, all that there are worth, and some between
}

TEST_CASE("equal choices go to fewer servers, and nothing is searched where nothing travels", "[best-servers]") {
  auto small = with_tensors(2, 1e-6); // so small that no bytes count
  small.sample.net_latency_s = 0;
  CHECK(in_short(servers_at(small, seeking(small), 16)) == "1 colocated bytes");
  CHECK(in_short(servers_at(small, seeking(small), 1)) == "1 colocated bytes");
}

TEST_CASE("the best is never worse, per node bought, than any servers stated by hand", "[best-servers]") {
  int dedicated = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomScenario random(seed);
    random.preset.sharding_choices = {Sharding::bytes, Sharding::round_robin, Sharding::split, Sharding::pieces};
    random.preset.shardings = {{"bytes", 1}};
    random.strategy = {};
    random.strategy.name = seed % 4 == 0 ? StrategyName::ps_async : StrategyName::ps;
    random.strategy.servers = sought;
    if (seed % 3 == 0) random.strategy.placement = Placement::dedicated;
    dedicated += seed % 3 == 0;
    Curve curve{random.setup(),
                random.sample,
                {{random.sample}, {std::vector<double>(parameter_fields().size())}},
                random.cluster.gpus_per_node,
                1 << 20,
                EvidenceLabel::calibrated};
    auto seeks = curve;
    seeks.best_servers = std::make_shared<const BestServers>(curve.setup, curve.median, curve.gpus_per_full_node);
    const int gpus = 2 * random.gpus;
    const auto rate = [&](const Curve& of) {
      return predict_point(of, gpus, Fidelity::formula).point.samples_per_s_per_node_bought;
    };
    const double best = rate(seeks);
    const auto setup = at_scale(curve, gpus);
    const int nodes = (setup.gpus + setup.gpus_per_node - 1) / setup.gpus_per_node; // a short last one too
    for (const int count : {1, 2, nodes, 2 * nodes, gpus})
      for (const Placement placement : {Placement::colocated, Placement::dedicated})
        for (const Sharding sharding : random.preset.sharding_choices) {
          if (seed % 3 == 0 && placement == Placement::colocated) continue; // which the strategy does not let
          curve.setup.strategy.servers = {ServerCount::Rule::count, count};
          curve.setup.strategy.placement = placement;
          curve.setup.strategy.sharding = sharding;
          INFO("seed " << seed << ", " << to_text(curve.setup.strategy) << " on " << gpus << " GPUs");
          CHECK(rate(curve) <= best * (1 + 1e-8));
        }
  }
  CHECK(dedicated > 10);
}

namespace {

const DataFolder of_best_servers = ddlsim_test::shipped_data();

Scenario seeking_on_iris() {
  Scenario scenario;
  scenario.name = "best";
  scenario.model = "vgg16";
  scenario.batch_per_gpu = 64;
  scenario.cluster = "iris";
  scenario.preset = "tf-ps";
  scenario.one_gpu = StatedRate{230};
  scenario.gpus = {1, 4, 8, 64};
  scenario.samples = 40;
  scenario.strategies.resize(1);
  scenario.strategies[0].name = StrategyName::ps;
  scenario.strategies[0].servers = sought;
  return scenario;
}

} // namespace

TEST_CASE("the answer names the servers at each scale, the same bytes twice", "[best-servers][predict]") {
  const auto scenario = seeking_on_iris();
  const auto prediction = predict(scenario, of_best_servers, {});
  const auto text = to_json_text(prediction);
  CHECK(text == to_json_text(predict(scenario, of_best_servers, {})));
  const auto json = nlohmann::json::parse(text);
  REQUIRE(json["points"].size() == 4);
  CHECK_FALSE(json["points"][0].contains("best_servers")); // one GPU alone
  for (std::size_t i = 1; i < 4; ++i) {
    const auto& point = json["points"][i];
    CHECK(point["strategy"]["servers"] == "best");
    CHECK(point["best_servers"]["servers"]["count"].get<int>() >= 1);
    CHECK(point["best_servers"]["placement"] == "colocated");
    CHECK(point["fidelity"] == "classes");
  }
  CHECK_THAT(to_terminal_text(prediction), Catch::Contains("Best servers, by samples/s per node bought: "));
  CHECK_THAT(to_terminal_text(prediction), Catch::StartsWith("best: vgg16") && Catch::Contains("ps(best servers)"));
}

TEST_CASE("a scale reports what its servers, stated by hand, report", "[best-servers][predict]") {
  auto scenario = seeking_on_iris();
  const auto best = predict(scenario, of_best_servers, {}).strategies[0].points;
  for (const auto& point : best) {
    if (!point.best_servers) continue;
    auto stated = scenario;
    stated.gpus = {point.gpus};
    stated.strategies[0] = *point.best_servers;
    const auto same = predict(stated, of_best_servers, {}).strategies[0].points[0];
    CHECK(same.iteration_s == point.iteration_s);
    CHECK(same.iteration_s_low == point.iteration_s_low);
    CHECK(same.iteration_s_high == point.iteration_s_high);
    CHECK(same.simgrid_messages == point.simgrid_messages);
  }
}

TEST_CASE("what predict answers is never better with servers stated by hand", "[best-servers][predict]") {
  auto scenario = seeking_on_iris();
  scenario.gpus = {8, 64};
  const PredictOptions formulas_only{Fidelity::formula, {}};
  const auto best = predict(scenario, of_best_servers, formulas_only).strategies[0].points;
  scenario.strategies.clear();
  for (const ServerCount& count :
       {ServerCount{ServerCount::Rule::count, 1}, ServerCount{ServerCount::Rule::per_node, 1},
        ServerCount{ServerCount::Rule::per_node, 2}, ServerCount{ServerCount::Rule::equal_workers, 0}})
    for (const Placement placement : {Placement::colocated, Placement::dedicated})
      for (const Sharding sharding : {Sharding::bytes, Sharding::round_robin, Sharding::pieces}) {
        scenario.strategies.emplace_back();
        scenario.strategies.back().name = StrategyName::ps;
        scenario.strategies.back().servers = count;
        scenario.strategies.back().placement = placement;
        scenario.strategies.back().sharding = sharding;
      }
  for (const auto& answer : predict(scenario, of_best_servers, formulas_only).strategies)
    for (std::size_t i = 0; i < best.size(); ++i) {
      INFO(to_text(answer.strategy) << " at " << best[i].gpus);
      CHECK(answer.points[i].samples_per_s_per_node_bought <= best[i].samples_per_s_per_node_bought * (1 + 1e-8));
    }
}

TEST_CASE("the largest efficient scale is one of the best servers' curve", "[best-servers][predict]") {
  auto scenario = seeking_on_iris();
  scenario.gpus = {8};
  const int largest = predict(scenario, of_best_servers, {}).strategies[0].largest_scale.gpus;
  scenario.gpus = {largest, largest + 4};
  const auto points = predict(scenario, of_best_servers, {}).strategies[0].points;
  CHECK(points[0].efficiency >= scenario.efficiency_bound);
  CHECK(points[1].efficiency < scenario.efficiency_bound);
}

TEST_CASE("a tensor that decides is reported with the servers that wait for it", "[best-servers][predict]") {
  auto scenario = seeking_on_iris();
  scenario.gpus = {64};
  auto& strategy = scenario.strategies[0];
  strategy.servers = {ServerCount::Rule::per_node, 1};
  strategy.placement = Placement::colocated;
  strategy.sharding = Sharding::bytes;
  const auto prediction = predict(scenario, of_best_servers, {});
  const auto point = nlohmann::json::parse(to_json_text(prediction))["points"][0];
  CHECK(point["unsplit_tensor"]["size_bytes"] == 25088.0 * 4096 * 4);
  CHECK_THAT(to_terminal_text(prediction), Catch::Contains("of 411 MB, is on one server, which bounds the step"));
  strategy.sharding = Sharding::pieces;
  CHECK_FALSE(predict(scenario, of_best_servers, {}).strategies[0].points[0].unsplit_tensor);
}

TEST_CASE("BytePS over RDMA computes as PyTorch, and its servers carry more than over TCP", "[best-servers][predict]") {
  auto scenario = seeking_on_iris();
  scenario.model = "resnet50_v1.5";
  scenario.batch_per_gpu = 128;
  scenario.one_gpu.reset();
  scenario.gpus = {256};
  scenario.strategies.resize(3);
  scenario.strategies[0] = {};
  scenario.strategies[0].name = StrategyName::ring;
  scenario.strategies[0].preset = "pytorch-ddp";
  for (const std::size_t i : {1, 2}) {
    scenario.strategies[i] = scenario.strategies[0];
    scenario.strategies[i].name = StrategyName::ps;
    scenario.strategies[i].servers = sought;
    scenario.strategies[i].preset = i == 1 ? "byteps-rdma" : "byteps";
  }
  const auto answers = predict(scenario, of_best_servers, {Fidelity::formula, {}}).strategies;
  CHECK(answers[1].transport == "nccl-ib");
  CHECK(answers[2].transport == "nccl-tcp");
  CHECK(answers[1].one_gpu.samples_per_s == answers[0].one_gpu.samples_per_s);
  CHECK(answers[1].points[0].efficiency > answers[2].points[0].efficiency);
}

TEST_CASE("where a preset starts no server on one machine, none is named", "[best-servers][predict]") {
  auto scenario = seeking_on_iris();
  scenario.preset = "byteps";
  scenario.gpus = {4, 8};
  const auto answer = predict(scenario, of_best_servers, {Fidelity::formula, {}}).strategies[0];
  CHECK_FALSE(answer.points[0].best_servers);
  CHECK(answer.points[1].best_servers);
  CHECK(answer.left_open == std::vector<std::string>{"sharding"}); // even pieces or a hash: no choice of the user's
}

} // namespace ddlsim
