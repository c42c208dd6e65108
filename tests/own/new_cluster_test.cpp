#include "own/new_cluster.hpp"
#include "own/new_scenario.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/cluster.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace {

using ddlsim::ClusterRequest;
using ddlsim::ScenarioRequest;
const ddlsim::DataFolder shipped_for_own{DDLSIM_SOURCE_DIR};

ClusterRequest sixteen_nodes() {
  return {"my-cluster", "H100-SXM5-80GB", 8, 16, {"8x400 Gbps ib"}, "", 0, "", "stated by the user", "", ""};
}

ddlsim::Cluster read_new(const ClusterRequest& request) {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("my-cluster/cluster.json", new_cluster(request, shipped_for_own).text);
  check_file(file, shipped_for_own);
  return ddlsim::read_cluster(file);
}

std::string refused(const ClusterRequest& request) {
  try {
    new_cluster(request, shipped_for_own);
  } catch (const ddlsim::UserError& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("a cluster of a few words passes check and says who stated what") {
  const auto cluster = read_new(sixteen_nodes());
  CHECK(cluster.gpu == "H100-SXM5-80GB");
  CHECK(cluster.gpus_per_node == 8);
  CHECK(cluster.available_nodes == 16);
  CHECK(cluster.growth_max_nodes == 128);
  REQUIRE(cluster.nics.size() == 1);
  CHECK(cluster.nics[0].count == 8);
  CHECK(cluster.nics[0].bandwidth_Bps == 50e9);
  CHECK(transport_named(cluster, "nccl-ib")->nic == "ib");
  CHECK_FALSE(cluster.nics[0].path);
  CHECK(cluster.sources.at("/node/gpus") == "stated by the user");
  CHECK(cluster.sources.at("/node/nics") == "stated by the user");
}

TEST_CASE("where the owner is silent a shipped cluster with the same GPU speaks") {
  const auto cluster = read_new(sixteen_nodes());
  const auto like = load_cluster(shipped_for_own, "azure-nd-h100-v5");
  CHECK(cluster.intra.kind == like.intra.kind);
  CHECK(cluster.intra.bandwidth_Bps == Approx(like.intra.bandwidth_Bps));
  CHECK_THAT(cluster.sources.at("/node/intra"), Catch::Contains("not stated; assumed: as azure-nd-h100-v5"));
  auto typed = sixteen_nodes();
  typed.links = "nvswitch 300 GB/s 0.5 us";
  CHECK(read_new(typed).intra.bandwidth_Bps == 300e9);
  CHECK(read_new(typed).sources.at("/node/intra") == "stated by the user");
}

TEST_CASE("what the machine says of its links decides which shipped cluster is alike, or stands for itself") {
  auto seen = sixteen_nodes();
  seen.links_word = "NV18";
  seen.links_seen = "nvswitch 360 GB/s 1 us";
  CHECK(read_new(seen).intra.bandwidth_Bps == read_new(sixteen_nodes()).intra.bandwidth_Bps); // as shipped: measured
  seen.links_word = "SYS";
  seen.links_seen = "";
  CHECK(read_new(seen).intra.kind == ddlsim::IntraKind::pcie_tree);
  seen.gpu = "GTX-1080-Ti"; // whose shipped nodes have PCIe
  seen.links_word = "NV4";
  seen.links_seen = "nvlink-mesh 80 GB/s 1 us";
  const auto cluster = read_new(seen);
  CHECK(cluster.intra.kind == ddlsim::IntraKind::nvlink_mesh);
  CHECK(cluster.intra.bandwidth_Bps == 80e9);
  CHECK_THAT(cluster.sources.at("/node/intra"), Catch::Contains("0.8 of it is reached"));
}

TEST_CASE("an alias is a GPU's name, and sockets alone make no -ib transports") {
  auto request = sixteen_nodes();
  request.gpu = "H100";
  request.networks = {"25 Gbps ethernet"};
  const auto cluster = read_new(request);
  CHECK(cluster.gpu == "H100-SXM5-80GB");
  CHECK(transport_named(cluster, "nccl-ib") == nullptr);
  CHECK(transport_named(cluster, "gloo-tcp")->nic == "ethernet");
}

TEST_CASE("two networks carry what each can") {
  auto request = sixteen_nodes();
  request.networks = {"8x400 Gbps ib", "2x25 Gbps ethernet", "1x1 Gbps ethernet"};
  const auto cluster = read_new(request);
  REQUIRE(cluster.nics.size() == 3);
  CHECK(cluster.nics[2].name == "ethernet-2");
  CHECK(transport_named(cluster, "nccl-ib")->nic == "ib");
  CHECK(transport_named(cluster, "grpc")->nic == "ethernet");
}

TEST_CASE("Amazon's adapter is a path of its own") {
  auto request = sixteen_nodes();
  request.networks = {"32x100 Gbps efa"};
  const auto cluster = read_new(request);
  CHECK(cluster.nics[0].path == ddlsim::NicPath::efa);
  CHECK(transport_named(cluster, "nccl-ib")->nic == "efa");
}

TEST_CASE("a machine alone needs no network, and processors no GPU") {
  ClusterRequest request{"my-cluster",         "", 2, 1, {}, "host-staging 5 GB/s 1 us", 1, "2x Xeon",
                         "stated by the user", "", ""};
  request.cores = 4;
  const auto cluster = read_new(request);
  CHECK(cluster.gpu.empty());
  CHECK(cluster.cpu == "2x Xeon");
  CHECK(cluster.cores_per_node == 4);
  CHECK(cluster.transports.size() == 1);
}

TEST_CASE("what makes no cluster is refused at its option, all at once") {
  auto request = sixteen_nodes();
  request.gpu = "H10O-SXM5-80GB";
  request.networks = {"8x400 Gbp ib", "eightx400 Gbps ib", "400 Gbps carrier pigeon", "", "-1x400 Gbps ib"};
  request.nodes = 0;
  const auto said = refused(request);
  CHECK_THAT(said, Catch::Contains("--gpu: ") && Catch::Contains("H100-SXM5-80GB"));
  CHECK_THAT(said, Catch::Contains("--nodes: 0 found"));
  CHECK_THAT(said, Catch::Contains("\"eightx400 Gbps\"") && Catch::Contains("no kind of network is called \"pigeon\""));
  CHECK_THAT(said, Catch::Contains("\"-1x400 Gbps ib\" found; give PORTSxRATE KIND"));
  request = sixteen_nodes();
  request.networks.clear();
  CHECK_THAT(refused(request), Catch::Contains("--network: missing"));
  request = sixteen_nodes();
  request.links = "nvswich 300 GB/s 0.5 us";
  CHECK_THAT(refused(request), Catch::Contains("--links"));
  request = sixteen_nodes();
  request.most_nodes = 8;
  CHECK_THAT(refused(request), Catch::Contains("--most-nodes: 8 found"));
}

TEST_CASE("hostile names make no folder") {
  for (const char* name : {"", ".", "..", "a b", "a/b", "\x1b[31m", "a\nb", "\xff"}) {
    auto request = sixteen_nodes();
    request.name = name;
    INFO(name);
    CHECK_THAT(refused(request), Catch::StartsWith("new cluster: /name: ") && !Catch::Contains("\x1b"));
  }
}

TEST_CASE("a scenario of a few words asks from one GPU to what the cluster may grow to") {
  const ddlsim_test::TemporaryFolder folder;
  const ScenarioRequest request{folder.path() / "mine.json", "resnet50_v1.5", "", 0, "iris", 64, "", "", {}, {}};
  const auto made = new_scenario(request, shipped_for_own);
  const auto file = folder.write("mine.json", made.text);
  check_file(file, shipped_for_own);
  const auto scenario = ddlsim::read_scenario(file);
  const auto iris = load_cluster(shipped_for_own, "iris");
  CHECK(scenario.gpus.front() == 1);
  CHECK(scenario.gpus.back() == iris.growth_max_nodes * iris.gpus_per_node);
  CHECK(std::count(scenario.gpus.begin(), scenario.gpus.end(), iris.available_nodes * iris.gpus_per_node) == 1);
  CHECK(made.notes.size() == 3);
}

TEST_CASE("a scenario of a model that no GPU holds asks for what shards it") {
  const ddlsim_test::TemporaryFolder folder;
  ScenarioRequest request{folder.path() / "mine.json", "llama_2_13b_seq4096", "", 0, "p5", 4, "bf16", "", {8, 64}, {}};
  const auto asked = [&] {
    const auto file = folder.write("mine.json", new_scenario(request, shipped_for_own).text);
    check_file(file, shipped_for_own);
    return ddlsim::read_scenario(file);
  };
  const auto sharded = asked();
  CHECK(sharded.preset == "pytorch-fsdp2");
  REQUIRE(sharded.strategies.size() == 2);
  CHECK(sharded.strategies[0].name == ddlsim::StrategyName::fsdp);
  CHECK(sharded.strategies[1].name == ddlsim::StrategyName::model_parallel);
  CHECK(sharded.strategies[1].preset == "megatron-lm");
  CHECK(sharded.strategies[1].parallel.best_layout);
  request.preset = "megatron-lm";
  CHECK(asked().strategies.size() == 1);
  request.preset = "";
  request.strategies = {"auto", "model-parallel"};
  CHECK(asked().preset == "pytorch-ddp");
  request.strategies = {};
  request.model = "bert_large_seq128";
  CHECK(asked().strategies.front().name == ddlsim::StrategyName::automatic);
}

TEST_CASE("a scenario about what is not there is refused with the nearest name") {
  const ddlsim_test::TemporaryFolder folder;
  ScenarioRequest request{folder.path() / "mine.json", "resnet50_v1.6", "", 0, "iris", 64, "bf17", "", {}, {}};
  CHECK_THROWS_WITH(new_scenario(request, shipped_for_own),
                    Catch::Contains("resnet50_v1.5") && Catch::Contains("/precision"));
  request.cluster = "iriss";
  CHECK_THROWS_WITH(new_scenario(request, shipped_for_own), Catch::Contains("did you mean iris?"));
  request.cluster = "./nowhere";
  CHECK_THROWS_WITH(new_scenario(request, shipped_for_own), Catch::Contains("nowhere"));
}

TEST_CASE("where no shipped cluster has the GPU its own data sheet speaks") {
  auto request = sixteen_nodes();
  request.gpu = "GB200";
  request.gpus_per_node = 4;
  const auto domain = read_new(request);
  CHECK(domain.intra.kind == ddlsim::IntraKind::nvswitch);
  CHECK(domain.intra.domain_nodes == 18);
  request.gpu = "NVIDIA H100 PCIe";
  request.gpus_per_node = 2;
  const auto pair = read_new(request);
  CHECK(pair.intra.kind == ddlsim::IntraKind::nvlink_mesh);
  CHECK(pair.intra.bandwidth_Bps == Approx(0.8 * 300e9));
  CHECK_THAT(pair.sources.at("/node/intra"), Catch::StartsWith("not stated; assumed: 0.8 of the links"));
  request.gpus_per_node = 8; // a bridge joins two: a ring of eight passes PCIe
  const auto eight = read_new(request);
  CHECK(eight.intra.kind == ddlsim::IntraKind::pcie_tree);
  CHECK(eight.intra.bandwidth_Bps == Approx(0.75 * 64e9));
  request.links_word = "SYS"; // seen without NVLink
  request.gpus_per_node = 2;
  CHECK(read_new(request).intra.kind == ddlsim::IntraKind::pcie_tree);
}
