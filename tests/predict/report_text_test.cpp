#include "sim/predict/report.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

namespace ddlsim {
namespace {

PredictedPoint point_of(int gpus, const std::string& note = "") {
  PredictedPoint point;
  point.gpus = gpus;
  point.nodes = gpus / 4;
  point.iteration_s = 0.4;
  point.iteration_s_low = 0.36;
  point.iteration_s_high = 0.44;
  point.samples_per_s = 100 * gpus;
  point.samples_per_s_low = 90 * gpus;
  point.samples_per_s_high = 110 * gpus;
  point.efficiency = 0.9;
  point.efficiency_low = 0.81;
  point.efficiency_high = 0.99;
  point.parts.exposed_communication_s = 0.02;
  point.bottleneck = "communication";
  point.evidence = EvidenceLabel::assumed;
  point.fidelity = note.empty() ? "full" : "formula";
  point.fidelity_note = note;
  return point;
}

Prediction tree_of(const std::vector<PredictedPoint>& points) {
  Prediction prediction;
  prediction.scenario.name = "plain";
  for (const auto& point : points) prediction.scenario.gpus.push_back(point.gpus);
  StrategyAnswer answer;
  answer.strategy.name = StrategyName::tree;
  answer.transport = "nccl-ib";
  answer.points = points;
  prediction.strategies.push_back(answer);
  return prediction;
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("every promised figure stands in the table with its interval", "[report]") {
  const auto text = to_terminal_text(tree_of({point_of(4), point_of(128)}));
  CHECK(has(text, "tree over nccl-ib\n"
                  "GPUs  nodes  iteration (90 %)     samples/s (90 %)     efficiency (90 %)  evidence\n"
                  "   4      1  400.0 ms (360..440)   400.0 (360..440)    90.0 % (81..99)    assumed\n"
                  " 128     32  400.0 ms (360..440)  12.80k (11.5..14.1)  90.0 % (81..99)    assumed\n"));
  CHECK_FALSE(has(text, "message by message"));
  CHECK_FALSE(has(text, "per GPU bought"));
}

TEST_CASE("a second table says where the time goes", "[report]") {
  auto measured = point_of(4);
  measured.parts.compute_s = 0.35;
  measured.parts.synchronisation_s = 0.04;
  measured.parts.unexplained_s = -0.01;
  CHECK(has(to_terminal_text(tree_of({measured})),
            "GPUs  compute  + exposed  + synchronisation  + straggling  + input  + unexplained  dominates\n"
            "   4   350 ms    20.0 ms            40.0 ms           0 s      0 s       -10.0 ms  communication\n"));
}

TEST_CASE("GPUs of nodes bought for servers are counted where there are such nodes", "[report]") {
  auto served = point_of(8);
  served.server_nodes = 1;
  served.efficiency_per_gpu_bought = 0.6;
  served.efficiency_per_gpu_bought_low = 0.54;
  served.efficiency_per_gpu_bought_high = 0.66;
  served.samples_per_s_per_node_bought = 800.0 / 3;
  served.samples_per_s_per_node_bought_low = 720.0 / 3;
  served.samples_per_s_per_node_bought_high = 880.0 / 3;
  CHECK(has(to_terminal_text(tree_of({point_of(4), served})),
            "Efficiency per GPU bought, those of server nodes too: 60.0 % (54..66) at 8 GPUs.\n"
            "Samples/s per node bought, server nodes too: 266.7 (240..293) at 8 GPUs.\n"));
  CHECK_FALSE(has(to_terminal_text(tree_of({point_of(4), point_of(8)})), "bought"));
}

namespace {

PredictedPoint point_with(int gpus, int servers, Sharding sharding) {
  auto point = point_of(gpus);
  Strategy found;
  found.name = StrategyName::ps;
  found.servers = {ServerCount::Rule::count, servers};
  found.placement = Placement::colocated;
  found.sharding = sharding;
  point.best_servers = found;
  return point;
}

} // namespace

TEST_CASE("servers that were searched are reported scale by scale, what they have in common once", "[report]") {
  auto prediction = tree_of({point_of(1), point_with(8, 1, Sharding::bytes), point_with(16, 16, Sharding::pieces),
                             point_with(32, 32, Sharding::pieces)});
  prediction.strategies[0].strategy.name = StrategyName::ps;
  prediction.strategies[0].strategy.servers = {ServerCount::Rule::best, 0};
  CHECK(has(to_terminal_text(prediction),
            "\nBest servers, by samples/s per node bought: 1 at 8 GPUs (colocated, bytes); "
            "16 at 16, 32 at 32 GPUs (colocated, pieces).\n"));
  CHECK(has(to_csv_text(prediction), ",\"16 colocated, pieces\","));
  CHECK(has(sweep_rows(prediction), "\tps(best servers): 32 colocated, pieces\t"));
  CHECK(has(to_json_text(prediction), "\"servers\": \"best\""));
}

TEST_CASE("what the asker says of a strategy is reported above its tables", "[report]") {
  auto prediction = tree_of({point_of(4)});
  prediction.strategies[0].strategy.note = "A poor one, for comparison.";
  CHECK(has(to_terminal_text(prediction), "tree over nccl-ib\nA poor one, for comparison.\nGPUs "));
  CHECK(has(to_json_text(prediction), "\"note\": \"A poor one, for comparison.\""));
}

TEST_CASE("a tensor that decides is reported once with all its scales", "[report]") {
  auto held_up = point_of(8);
  held_up.unsplit_tensor = UnsplitTensor{"fc6.weight", 411041792, 0.97};
  auto also = point_of(16);
  also.unsplit_tensor = held_up.unsplit_tensor;
  const auto prediction = tree_of({point_of(4), held_up, also});
  CHECK(has(to_terminal_text(prediction), "\nAt 8, 16 GPUs one tensor, fc6.weight of 411 MB, is on one server, which "
                                          "bounds the step; split it or take pieces.\n"));
  CHECK(has(to_csv_text(prediction), ",\"fc6.weight\","));
  CHECK(has(to_json_text(prediction), "\"share_of_busiest_server\": 0.97"));
}

TEST_CASE("a number that is transferred and extrapolated says both", "[report]") {
  auto point = point_of(64);
  point.extrapolated = true;
  CHECK(evidence_text(point) == "assumed, extrapolated");
  point.evidence = EvidenceLabel::extrapolated;
  CHECK(evidence_text(point) == "extrapolated");
  point.evidence = EvidenceLabel::transferred;
  CHECK(has(to_terminal_text(tree_of({point})), "transferred, extrapolated\n"));
}

TEST_CASE("what a scenario leaves open is reported with what is taken", "[report]") {
  auto prediction = tree_of({point_of(4)});
  auto& answer = prediction.strategies[0];
  answer.preset = "tf-ps";
  answer.strategy.name = answer.taken.name = StrategyName::ps;
  answer.taken.servers = {ServerCount::Rule::per_node, 1};
  answer.taken.placement = Placement::colocated;
  answer.taken.sharding = Sharding::bytes;
  answer.left_open = {"servers", "placement", "sharding"};
  const auto text = to_terminal_text(prediction);
  CHECK(has(text,
            "ps(1 a node colocated, bytes) over nccl-ib\nThe scenario leaves servers, placement, sharding of this "
            "strategy open: what tf-ps does is taken.\n"));
  CHECK_FALSE(has(text, "unknown"));
  CHECK_FALSE(has(sweep_rows(prediction) + to_csv_text(prediction), "unknown"));
}

TEST_CASE("each reason for an approximation is reported once, with its scales", "[report]") {
  const auto text = to_terminal_text(tree_of({point_of(4), point_of(64, "chunks share NICs"),
                                              point_of(128, "ranks run ahead"), point_of(256, "chunks share NICs")}));
  CHECK(has(text, "Communication at 64, 256 GPUs is simplified, or by formula: chunks share NICs.\n"
                  "Communication at 128 GPUs is simplified, or by formula: ranks run ahead.\n"));
}

TEST_CASE("a point that cannot be has a row without figures and its reason below", "[report]") {
  auto impossible = point_of(8);
  impossible.error = "there are only 4";
  const auto text = to_terminal_text(tree_of({point_of(4), impossible}));
  CHECK(has(text, "\n   8      2  -\n8 GPUs cannot be: there are only 4\n"));
}

TEST_CASE("the widest figures fit a terminal of 120 columns", "[report]") {
  auto wide = point_of(65536, "40000 connections between workers and servers differ");
  wide.server_nodes = 1;
  wide.iteration_s = 1962.6;
  wide.iteration_s_low = 738;
  wide.iteration_s_high = 6720;
  wide.samples_per_s = 4275;
  wide.samples_per_s_low = 1250;
  wide.samples_per_s_high = 11343;
  wide.parts.exposed_communication_s = 1962;
  wide.bottleneck = "server-software";
  auto known = point_of(64);
  known.evidence = EvidenceLabel::transferred;
  known.extrapolated = true;
  wide.server_nodes = 16384;
  wide.parts.synchronisation_s = 12.3456;
  wide.parts.unexplained_s = -1234.5;
  auto prediction = tree_of({known, wide});
  auto& answer = prediction.strategies[0];
  answer.measure_next = {"server_process_rate", std::string(200, 'x').replace(90, 1, " "), 65536, 1.1, 0.2};
  const auto text = to_terminal_text(prediction);
  CHECK(longest_line(text) <= 120);
  CHECK(has(text, "32.71 min (12.3..112)"));
}

TEST_CASE("what to measure next names the algorithm and the protocol that decide at the scale asked for", "[report]") {
  auto prediction = tree_of({point_of(64)});
  auto& next = prediction.strategies[0].measure_next;
  next = {"net_latency", "small all-reduces", 64, 0.3, 0.1};
  CHECK_FALSE(has(to_terminal_text(prediction), "NCCL_PROTO"));
  next.algorithm = "tree";
  next.protocol = "LL128";
  next.all_reduce_bytes = 26.2e6;
  const auto text = to_terminal_text(prediction);
  CHECK(has(text, "all-reduces of 26.2 MB by tree with LL128"));
  CHECK(has(text, "NCCL_ALGO=Tree"));
  CHECK(has(text, "NCCL_PROTO=LL128"));
}

TEST_CASE("a sweep's table has the intervals too, and counts rows that are simplified", "[report]") {
  const auto rows = sweep_rows(tree_of({point_of(64, "chunks share NICs")})) +
                    sweep_rows(tree_of({point_of(8192, "chunks share NICs")})) + sweep_rows(tree_of({point_of(4)})) +
                    sweep_error_row("other", "no such cluster");
  CHECK(sweep_table(rows, true) ==
        "scenario  strategy  GPUs  iteration (90 %)     samples/s (90 %)     efficiency (90 %)  knee  dominates      "
        "evidence\n"
        "plain     tree        64  400.0 ms (360..440)    6400 (5760..7040)  90.0 % (81..99)       0  communication  "
        "assumed\n"
        "plain     tree      8192  400.0 ms (360..440)  819.2k (737..901)    90.0 % (81..99)       0  communication  "
        "assumed\n"
        "plain     tree         4  400.0 ms (360..440)   400.0 (360..440)    90.0 % (81..99)       0  communication  "
        "assumed\n"
        "other     -            -\n"
        "other, - cannot be: no such cluster\n"
        "Communication in 2 rows is simplified, or by formula: chunks share NICs.\n");
}

TEST_CASE("a sweep's screen has a column for each swept field", "[report]") {
  auto prediction = tree_of({point_of(64)});
  const auto rows_of = [&](const std::string& cluster) {
    std::string rows;
    for (const char* batch : {"64", "128"}) {
      prediction.scenario.name = std::string("iris-resnet50 /batch_per_gpu=") + batch + " /cluster=" + cluster;
      rows += sweep_rows(prediction);
    }
    return rows;
  };
  const auto table =
      sweep_table(rows_of("dgx1") + sweep_error_row("iris-resnet50 /batch_per_gpu=64 /cluster=irsi", "none"), false);
  CHECK_THAT(table, Catch::StartsWith("iris-resnet50\nbatch_per_gpu  cluster  strategy  GPUs "));
  CHECK(has(table, "\n64             dgx1 "));
  CHECK(has(table, "\n128            dgx1 "));
  CHECK(has(table, "\n64             irsi "));
  CHECK(longest_line(sweep_table(rows_of(std::string(60, 'c')), false)) <= 80);
  CHECK(has(sweep_table(sweep_error_row("one", "no") + sweep_error_row("two", "no"), false), "scenario  strategy"));
}

} // namespace ddlsim
