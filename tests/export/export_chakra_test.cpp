#include "sim/base/error.hpp"
#include "sim/export/export.hpp"
#include "tests/export/shipped_points.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace ddlsim {
namespace {

// A reader of Chakra execution traces, written from the schema and not from our writer.

/// A message's fields by number: numbers, and texts or messages as bytes.
struct DecodedMessage {
  std::map<int, std::vector<std::uint64_t>> numbers;
  std::map<int, std::vector<std::string>> texts;
};

class WireReader {
public:
  explicit WireReader(const std::string& bytes) : bytes_(bytes) {}
  bool at_end() const { return next_ == bytes_.size(); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.at(next_++));
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
  }

  std::string block() {
    const std::size_t length = varint();
    if (length > bytes_.size() - next_) throw std::runtime_error("a length beyond the end");
    next_ += length;
    return bytes_.substr(next_ - length, length);
  }

  DecodedMessage message() {
    DecodedMessage decoded;
    while (!at_end()) {
      const std::uint64_t tag = varint();
      const int field = static_cast<int>(tag >> 3U);
      const auto type = tag & 7U;
      if (type == 0) decoded.numbers[field].push_back(varint());
      if (type == 2) decoded.texts[field].push_back(block());
      if (type != 0 && type != 2) throw std::runtime_error("a wire type that is not written");
    }
    return decoded;
  }

private:
  const std::string& bytes_;
  std::size_t next_ = 0;
};

struct DecodedNode {
  std::uint64_t id = 0;
  std::string name;
  std::uint64_t type = 0;
  std::vector<std::uint64_t> data_deps;
  std::uint64_t duration_us = 0;
  std::map<std::string, std::uint64_t> attributes; ///< those that are numbers
};

DecodedNode decode_node(const std::string& bytes) {
  auto fields = WireReader(bytes).message();
  DecodedNode node{fields.numbers[1].at(0), fields.texts[2].at(0), fields.numbers[3].at(0), {}, 0, {}};
  for (const auto& packed : fields.texts[5])
    for (WireReader reader(packed); !reader.at_end();) node.data_deps.push_back(reader.varint());
  if (!fields.numbers[7].empty()) node.duration_us = fields.numbers[7].front();
  for (const auto& text : fields.texts[10]) {
    auto attribute = WireReader(text).message();
    for (const int kind : {7, 9, 27}) // int32, int64, bool
      if (!attribute.numbers[kind].empty()) node.attributes[attribute.texts[1].at(0)] = attribute.numbers[kind].front();
  }
  return node;
}

/// The nodes of a file, behind its metadata, whose version must be the schema's.
std::vector<DecodedNode> decode_chakra(const std::string& file) {
  WireReader reader(file);
  const std::string head = reader.block();
  if (WireReader(head).message().texts[1].at(0) != "0.0.4") throw std::runtime_error("another version of the schema");
  std::vector<DecodedNode> nodes;
  while (!reader.at_end()) nodes.push_back(decode_node(reader.block()));
  return nodes;
}

constexpr std::uint64_t compute_node = 4;
constexpr std::uint64_t send_node = 5;
constexpr std::uint64_t receive_node = 6;
constexpr std::uint64_t collective_node = 7;

std::vector<DecodedNode> of_type(const std::vector<DecodedNode>& nodes, std::uint64_t type) {
  std::vector<DecodedNode> found;
  for (const auto& node : nodes)
    if (node.type == type) found.push_back(node);
  return found;
}

double bytes_of(const std::vector<DecodedNode>& nodes) {
  double bytes = 0;
  for (const auto& node : nodes) bytes += static_cast<double>(node.attributes.at("comm_size"));
  return bytes;
}

double compute_us(const std::vector<DecodedNode>& nodes) {
  double sum_us = 0;
  for (const auto& node : of_type(nodes, compute_node)) sum_us += static_cast<double>(node.duration_us);
  return sum_us;
}

/// Every number once, and nothing waits for what stands behind it.
void check_order(const std::vector<DecodedNode>& nodes) {
  std::set<std::uint64_t> before;
  for (const auto& node : nodes) {
    for (const std::uint64_t dep : node.data_deps) CHECK(before.count(dep) == 1);
    CHECK(before.insert(node.id).second);
  }
}

/// What a role's compute takes undisturbed, microseconds.
double undisturbed_us(const Graph& graph, std::size_t role) {
  double sum_s = 0;
  for (const Operation& operation : graph.operations)
    if (operation.kind == OperationKind::compute && graph.streams[operation.stream].role == role)
      sum_s += operation.duration_s;
  return 1e6 * sum_s;
}

} // namespace

TEST_CASE("a role's file has its compute, and every byte of its gradients", "[export]") {
  for (const char* name : {"iris-resnet50", "k80-inception-ps", "pascal-servers-or-horovod"}) {
    for_each_point(shipped_scenario(name, {{"/gpus", "[4,8]"}}), Fidelity::by_default,
                   [](const std::string& what, const PointRun& run) {
                     INFO(what);
                     const auto traces = chakra_traces(run.setup, run.run);
                     REQUIRE(!traces.empty());
                     CHECK(traces[0].role == "worker");
                     const auto nodes = decode_chakra(traces[0].bytes);
                     check_order(nodes);
                     CHECK(compute_us(nodes) == Approx(undisturbed_us(run.run.graph, 0)).margin(1));
                     const auto all_reduces = of_type(nodes, collective_node);
                     const auto sent = of_type(nodes, send_node);
                     const double model_bytes = run.setup.model.size_bytes();
                     if (!is_parameter_server(run.setup.strategy.name))
                       CHECK(bytes_of(all_reduces) ==
                             Approx(model_bytes).margin(static_cast<double>(all_reduces.size())));
                     if (!sent.empty())
                       CHECK(bytes_of(sent) == Approx(model_bytes).margin(static_cast<double>(sent.size())));
                     CHECK(bytes_of(sent) == bytes_of(of_type(nodes, receive_node)));
                   });
  }
}

TEST_CASE("an all-reduce waits for the gradients that it sums, and for the all-reduce before it", "[export]") {
  const SmallCluster small;
  auto setup = small.setup(StrategyName::ring, 2);
  const auto run = run_step(setup, small.sample, Fidelity::by_default);
  const auto nodes = decode_chakra(chakra_traces(setup, run).at(0).bytes);
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0].name == "forward");
  CHECK(nodes[0].duration_us == 100'000);
  CHECK(nodes[0].attributes.at("is_cpu_op") == 0);
  CHECK(nodes[1].name == "backward fc.weight");
  CHECK(nodes[1].data_deps == std::vector<std::uint64_t>{1});
  CHECK(nodes[2].type == collective_node);
  CHECK(nodes[2].data_deps == std::vector<std::uint64_t>{2});
  CHECK(nodes[2].attributes.at("comm_type") == 0); // ALL_REDUCE
  CHECK(nodes[2].attributes.at("comm_size") == 100'000'000);
}

TEST_CASE("a sharded unit is gathered, computed and scattered", "[export]") {
  SmallCluster small;
  small.model.layers = {{"block0.fc", "linear", 1e9, 0, {{"fc.weight", {}, 1e8}}}};
  auto setup = small.setup(StrategyName::fsdp, 2);
  setup.strategy.sharded.reshard_after_forward = false;
  const auto run = run_step(setup, small.sample, Fidelity::by_default);
  const auto nodes = decode_chakra(chakra_traces(setup, run).at(0).bytes);
  REQUIRE(nodes.size() == 4);
  CHECK(nodes[0].name == "all-gather block0");
  CHECK(nodes[0].attributes.at("comm_type") == 2);          // ALL_GATHER
  CHECK(nodes[0].attributes.at("comm_size") == 50'000'000); // what each of two ranks has
  CHECK(nodes[1].name == "forward block0");
  CHECK(nodes[1].data_deps == std::vector<std::uint64_t>{1});
  CHECK(nodes[2].name == "backward block0");
  CHECK(nodes[3].name == "reduce-scatter block0");
  CHECK(nodes[3].attributes.at("comm_type") == 7); // REDUCE_SCATTER
  CHECK(nodes[3].attributes.at("comm_size") == 100'000'000);
  CHECK(nodes[3].data_deps == std::vector<std::uint64_t>{3, 1}); // backward, and the collective before it
}

TEST_CASE("offload is no Chakra trace", "[export][offload]") {
  SmallCluster small;
  small.cluster.host_memory_bandwidth_Bps = 1e11;
  small.cluster.host_link.bandwidth_Bps = 1e10;
  auto setup = small.setup(StrategyName::zero_2, 2);
  setup.strategy.sharded.offload = Offload::optimizer;
  const auto run = run_step(setup, small.sample, Fidelity::by_default);
  CHECK_THROWS_WITH(chakra_traces(setup, run), Catch::Contains("leave \"offload\" out"));
}

TEST_CASE("all-reduces that were fused are one node", "[export]") {
  const auto scenario = shipped_scenario("pascal-servers-or-horovod", {{"/gpus", "[16]"}});
  for_each_point(scenario, Fidelity::by_default, [](const std::string& what, const PointRun& run) {
    if (is_parameter_server(run.setup.strategy.name)) return;
    INFO(what);
    REQUIRE(run.run.graph.fusion);
    const auto all_reduces = of_type(decode_chakra(chakra_traces(run.setup, run.run).at(0).bytes), collective_node);
    CHECK(all_reduces.size() == run.run.execution.collectives.size());
    CHECK(all_reduces.size() < run.setup.model.layers.size());
  });
}

TEST_CASE("what a worker sends, its server takes, by rank and tag", "[export]") {
  const auto scenario = shipped_scenario("k80-inception-ps", {{"/gpus", "[4]"}});
  for_each_point(scenario, Fidelity::formula, [](const std::string& what, const PointRun& run) {
    if (!is_parameter_server(run.setup.strategy.name)) return;
    INFO(what);
    const auto traces = chakra_traces(run.setup, run.run);
    const int ranks = run.run.graph.machine.ranks;
    REQUIRE(traces.size() == 1 + at(run.run.graph.servers.machine.servers));
    const auto sent = of_type(decode_chakra(traces[0].bytes), send_node);
    for (std::size_t server = 0; server + 1 < traces.size(); ++server) {
      CHECK(traces[server + 1].role == "server-" + std::to_string(server));
      const auto nodes = decode_chakra(traces[server + 1].bytes);
      check_order(nodes);
      std::multiset<std::uint64_t> tags;
      for (const auto& node : sent)
        if (node.attributes.at("comm_dst") == at(ranks) + server) tags.insert(node.attributes.at("comm_tag"));
      std::multiset<std::uint64_t> of_rank_3;
      for (const auto& node : of_type(nodes, receive_node))
        if (node.attributes.at("comm_src") == 3) of_rank_3.insert(node.attributes.at("comm_tag"));
      CHECK(of_rank_3 == tags);
      for (const auto& node : of_type(nodes, send_node)) CHECK(node.data_deps.size() == at(ranks)); // the sum
    }
  });
}

TEST_CASE("every role's pushes wait for gradients of its own", "[export]") {
  const char* const strategies = R"([{"name": "ps", "servers": {"count": 2}, "placement": "dedicated"},
                                     {"name": "ps-async", "servers": {"count": 2}, "placement": "dedicated"}])";
  const auto scenario = shipped_scenario(
      "iris-resnet50", {{"/gpus", "[8]"}, {"/strategies", strategies}, {"/slow_node", R"({"compute_factor": 1.5})"}});
  for_each_point(scenario, Fidelity::formula, [](const std::string& what, const PointRun& run) {
    INFO(what);
    const auto traces = chakra_traces(run.setup, run.run);
    REQUIRE(traces.size() == 4); // two roles, two servers
    CHECK(traces[1].role == "slow-worker");
    for (const std::size_t role : {0, 1}) {
      const auto nodes = decode_chakra(traces[role].bytes);
      check_order(nodes);
      for (const auto& node : of_type(nodes, send_node)) CHECK(!node.data_deps.empty());
    }
    const double slower = compute_us(decode_chakra(traces[1].bytes)) / compute_us(decode_chakra(traces[0].bytes));
    CHECK(slower == Approx(1.5).epsilon(0.1)); // an asynchronous worker's own synchronisation is no slower
  });
}

TEST_CASE("servers' files that would hold millions of messages are refused", "[export]") {
  const auto scenario = shipped_scenario(
      "iris-resnet50", {{"/gpus", "[16384]"},
                        {"/strategies", R"([{"name": "ps", "servers": {"count": 1}, "placement": "dedicated"}])"}});
  for_each_point(scenario, Fidelity::formula, [](const std::string&, const PointRun& run) {
    CHECK_THROWS_WITH(chakra_traces(run.setup, run.run), Catch::Contains("ask for fewer GPUs"));
  });
}

} // namespace ddlsim
