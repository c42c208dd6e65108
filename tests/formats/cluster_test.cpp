#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

using ddlsim::read_cluster;

TEST_CASE("a cluster is read") {
  const ddlsim_test::TemporaryFolder folder;
  const auto cluster = read_cluster(folder.write("cluster.json", ddlsim_test::sample_cluster().dump()));
  CHECK(cluster.name == "iris");
  CHECK(cluster.gpu == "V100-SXM2-16GB");
  CHECK(cluster.gpus_per_node == 4);
  CHECK(cluster.cores_per_node == 28);
  CHECK(cluster.host_memory_bandwidth_Bps == 200e9);
  CHECK(cluster.host_memory_bytes == 384e9);
  CHECK(cluster.host_link.bandwidth_Bps == 12e9);
  CHECK(cluster.host_link.gpus == 2);
  CHECK(cluster.intra.kind == ddlsim::IntraKind::nvlink_mesh);
  CHECK(cluster.intra.bandwidth_Bps == 50e9);
  CHECK(cluster.intra.latency_s == Approx(5e-6));
  CHECK(cluster.fabric.kind == ddlsim::FabricKind::fat_tree);
  CHECK(cluster.fabric.nodes_per_leaf == 24);
  CHECK(cluster.fabric.blocking == 1.5);
  CHECK(cluster.fabric.hop_latency_s == Approx(1e-7));
  CHECK(cluster.storage.read_bandwidth_Bps == 2e9);
  CHECK(cluster.available_nodes == 24);
  CHECK(cluster.growth_max_nodes == 4096);
  CHECK(cluster.node_power_w == 2500);
  CHECK(cluster.borrows.at(0).kinds == std::vector{ddlsim::RecordKind::step});
  CHECK(cluster.sources.at("/fabric") == "site");
  CHECK(find_transport(cluster, "nccl-ib").nic == "ib-edr");
  CHECK(find_transport(cluster, "shm").nic.empty());
  CHECK(find_nic(cluster, "ib-edr").bandwidth_Bps == 12.5e9);
  CHECK(find_nic(cluster, "ib-edr").count == 2);
  CHECK_FALSE(find_nic(cluster, "ib-edr").bandwidth_assumed);
  CHECK_THROWS_WITH(find_transport(cluster, "nccl-tcp"),
                    "no transport of cluster iris is called \"nccl-tcp\"; there are: nccl-ib, shm");
  CHECK_THROWS_WITH(find_nic(cluster, "10gbe"), "no NIC of cluster iris is called \"10gbe\"; there are: ib-edr");
}

TEST_CASE("a cluster may borrow tables of layers by their old name") {
  const ddlsim_test::TemporaryFolder folder;
  auto cluster = ddlsim_test::sample_cluster();
  cluster["borrows"][0]["kinds"] = {"layer", "layers"};
  const auto read = read_cluster(folder.write("cluster.json", cluster.dump(1)));
  CHECK(read.borrows.at(0).kinds == std::vector{ddlsim::RecordKind::layers, ddlsim::RecordKind::layers});
}

TEST_CASE("a path of Amazon's instances is read, counts for nothing, and is reported") {
  const ddlsim_test::TemporaryFolder folder;
  auto sample = ddlsim_test::sample_cluster();
  for (const char* path : {"ec2", "ec2-placement-group", "ec2-unstated"}) {
    sample["node"]["nics"][0]["path"] = path;
    const auto read = read_cluster(folder.write("cluster.json", sample.dump()));
    CHECK_FALSE(read.nics.at(0).path);
    CHECK(read.notes == std::vector<std::string>{std::string("/node/nics/0/path \"") + path +
                                                 "\" counts for nothing any more; leave it out, the next version "
                                                 "refuses it"});
  }
  sample["node"]["nics"][0]["path"] = "efa";
  CHECK(read_cluster(folder.write("cluster.json", sample.dump())).notes.empty());
}

TEST_CASE("what a node costs is read") {
  using ddlsim::PriceKind;
  const ddlsim_test::TemporaryFolder folder;
  auto sample = ddlsim_test::sample_cluster();
  const auto prices = read_cluster(folder.write("priced.json", sample.dump())).prices;
  REQUIRE(prices.size() == 3);
  CHECK(prices[0].kind == PriceKind::on_demand);
  CHECK(prices[0].usd == 12.24);
  CHECK(prices[0].term_s == 0);
  CHECK(prices[0].date == "2024-03");
  CHECK(prices[1].kind == PriceKind::reserved);
  CHECK(prices[1].usd == 8);
  CHECK(prices[1].term_s == 8760.0 * 3600);
  CHECK(prices[2].kind == PriceKind::purchase);
  CHECK(prices[2].usd == 60000);
  CHECK(prices[2].term_s == 0);
  sample.erase("prices");
  sample["node"].erase("power");
  sample["sources"].erase("/prices");
  const auto unpriced = read_cluster(folder.write("unpriced.json", sample.dump()));
  CHECK(unpriced.prices.empty());
  CHECK(unpriced.node_power_w == 0);
}

TEST_CASE("what is wrong with a price or the power of a node is reported") {
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_cluster(),
      {{"/prices/0/kind", "\"on_demnad\"",
        "/prices/0/kind: \"on_demnad\" found, one of on-demand, reserved, purchase expected; did you mean "
        "\"on-demand\"?"},
       {"/prices/0/kind", "", "/prices/0/kind: missing; give one of on-demand, reserved, purchase"},
       {"/prices/0/usd_per_node_hour", "0",
        "/prices/0/usd_per_node_hour: 0 found; give a number above 0, without quotes or unit"},
       {"/prices/0/usd_per_node_hour", "", "/prices/0/usd_per_node_hour: missing; give a number above 0"},
       {"/prices/0/usd_per_node", "1",
        "/prices/0/usd_per_node: has no meaning with \"kind\": \"on-demand\"; leave it out, or give \"kind\": "
        "\"purchase\""},
       {"/prices/0/term", "\"8760 h\"",
        "/prices/0/term: has no meaning with \"kind\": \"on-demand\"; leave it out, or give \"kind\": \"reserved\""},
       {"/prices/1/term", "", "/prices/1/term: missing; give a quantity with its unit, like \"1.5 us\""},
       {"/prices/1/term", "\"1 moon\"",
        "/prices/1/term: \"1 moon\" has an unknown unit; known here: ns, us, ms, s, min, h, d, weeks, years"},
       {"/prices/2/usd_per_node_hour", "1",
        "/prices/2/usd_per_node_hour: has no meaning with \"kind\": \"purchase\"; leave it out, or give \"kind\": "
        "\"on-demand\" or \"reserved\""},
       {"/prices/2/date", "\"2018-13\"", "/prices/2/date: \"2018-13\" is not a date; give 2024, 2024-05 or 2024-05-17"},
       {"/prices/2/date", "", "/prices/2/date: missing; give a date: 2024, 2024-05 or 2024-05-17"},
       {"/prices/3", R"({"kind": "purchase", "usd_per_node": 1, "date": "2018"})",
        "/prices/3: the purchase price of 2018 is there twice; keep one"},
       {"/node/power", "\"2.5\"", "/node/power: \"2.5\" has no unit; write one of W, kW, MW, like \"300 W\""},
       {"/node/power", "\"0 W\"", "/node/power: \"0 W\" found; give more than 0"}},
      [](const auto& file) { read_cluster(file); });
}

TEST_CASE("what computes in a node is reported also where no GPU is named") {
  ddlsim::Cluster cluster;
  CHECK(devices_text(cluster) == "no GPU");
  cluster.gpus_per_node = 2;
  CHECK(devices_text(cluster) == "2 x (no GPU named)");
  cluster.cpu = "2x Xeon Gold 6132";
  CHECK(devices_text(cluster) == "2 x (no GPU named; 2x Xeon Gold 6132)");
  cluster.gpu = "K80";
  CHECK(devices_text(cluster) == "2 x K80");
}

TEST_CASE("what is wrong with a cluster is reported") {
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_cluster(),
      {{"/node/gpus", "0", "/node/gpus: 0 found beside GPU \"V100-SXM2-16GB\"; give their number, or \"gpu\": \"\""},
       {"/node/gpus", "-4", "/node/gpus: -4 is out of range; give 0 to 1024"},
       {"/node/cores", "0", "/node/cores: 0 is out of range; give 1 to 100000"},
       {"/node/gpu", "",
        "/node/gpu: missing; give a name of gpus.json, or \"\" for a node without GPUs or of a GPU nobody names"},
       {"/node/intra/bandwidth", "\"50\"",
        "/node/intra/bandwidth: \"50\" has no unit; write one of B/s, KB/s, MB/s, GB/s, TB/s, bps, Kbps, Mbps, Gbps, "
        "Tbps, MiB/s, GiB/s, like \"100 Gbps\""},
       {"/node/intra/latency", "\"0 us\"", "/node/intra/latency: \"0 us\" found; give more than 0"},
       {"/node/intra", "{\"kind\": \"none\"}",
        "/node/intra: kind none, with 4 GPUs a node; say how they reach each other"},
       {"/node/nics/1", "{\"name\": \"ib-edr\", \"bandwidth\": \"1 Gbps\"}",
        "/node/nics/1/name: \"ib-edr\" is there twice; give ports of one kind as \"count\""},
       {"/node/nics/0/bandwidth_assumed", "\"yes\"",
        "/node/nics/0/bandwidth_assumed: \"yes\" found; give true or false, without quotes"},
       {"/fabric/kind", "\"hypercube\"",
        "/fabric/kind: \"hypercube\" found; give one of star, fat-tree, rails, torus, dragonfly"},
       {"/fabric/blocking", "0.5", "/fabric/blocking: 0.5 is out of range; give 1 to 1000"},
       {"/fabric/hop_latency", "\"-1 us\"", "/fabric/hop_latency: \"-1 us\" is negative; give 0 or more"},
       {"/transports/0/nic", "\"ib-fdr\"",
        "/transports/0/nic: no NIC of the node is called \"ib-fdr\"; did you mean ib-edr? there are: ib-edr"},
       {"/transports/0/name", "\"nccl-1b\"",
        "/transports/0/name: \"nccl-1b\" found, one of nccl-ib, nccl-tcp, mpi-ib, mpi-tcp, gloo-tcp, grpc, shm "
        "expected; did you "
        "mean \"nccl-ib\"?"},
       {"/transports/1/nic", "\"ib-edr\"", "/transports/1/nic: shm stays inside a node; leave \"nic\" out"},
       {"/transports/2", "{\"name\": \"shm\"}", "/transports/2/name: \"shm\" is there twice; keep one"},
       {"/available/nodes", "5000",
        "/growth/max_nodes: 4096 found, fewer than the 5000 nodes available; give as many or "
        "more"},
       {"/growth/rule", "\"\"",
        "/growth/rule: the text is empty; say what it is, or \"unknown\" where that is allowed"},
       {"/borrows/0/kinds/0", "\"steps\"",
        "/borrows/0/kinds/0: \"steps\" found, one of step, collective, point_to_point, layers, server, input, loss, "
        "speed_up expected; did you mean \"step\"?"},
       {"/borrows/0/kinds", "[]",
        "/borrows/0/kinds: none found; give one or more of step, collective, point_to_point, layers, server, input, "
        "loss, speed_up"}},
      [](const auto& file) { read_cluster(file); });
}

TEST_CASE("a star has no leaves, and a node with one GPU no paths") {
  auto cluster = ddlsim_test::sample_cluster();
  cluster["node"]["gpus"] = 1;
  cluster["node"]["intra"] = {{"kind", "none"}};
  cluster["fabric"] = {{"kind", "star"}, {"hop_latency", "0 us"}};
  ddlsim_test::check_spoilt(cluster,
                            {{"/fabric/blocking", "2",
                              "/fabric/blocking: has no meaning with \"kind\": \"star\"; leave it out, or give "
                              "\"kind\": \"fat-tree\" or \"rails\""},
                             {"/node/intra/latency", "\"1 us\"",
                              "/node/intra/latency: has no meaning with \"kind\": \"none\"; leave it out, or give "
                              "\"kind\": \"pcie-tree\" or \"nvlink-mesh\" or \"nvswitch\" or \"host-staging\""}},
                            [](const auto& file) { read_cluster(file); });
}

TEST_CASE("what is wrong with a fabric is reported") {
  auto tree = ddlsim_test::sample_cluster();
  tree["fabric"]["upper_levels"] = {{{"nodes", 96}, {"blocking", 2}}};
  tree["node"]["intra"]["domain_nodes"] = 12;
  tree["growth"]["max_nodes"] = 96;
  const auto read = [](const auto& file) { read_cluster(file); };
  ddlsim_test::check_spoilt(
      tree,
      {{"/fabric/upper_levels/0/nodes", "36",
        "/fabric/upper_levels/0/nodes: 36 nodes are not a whole number, two or more, of the groups below, of 24 nodes "
        "each; give 48, or another multiple"},
       {"/fabric/upper_levels/0/blocking", "0.5",
        "/fabric/upper_levels/0/blocking: 0.5 is out of range; give 1 to 1000"},
       {"/node/intra/domain_nodes", "18",
        "/node/intra/domain_nodes: 18 found; the fabric is a star, or a fat-tree or rails whose leaves hold whole "
        "domains"}},
      read);
  ddlsim_test::check_spoilt(
      tree,
      {{"/growth/max_nodes", "100",
        "/node/intra/domain_nodes: 12 found, and the 100 nodes that the cluster may have are no whole domains; give a "
        "number that divides them, or another \"max_nodes\""}},
      read);
  auto other = ddlsim_test::sample_cluster();
  other["growth"]["max_nodes"] = 100;
  other["fabric"] = {{"kind", "torus"}, {"hop_latency", "1 us"}, {"dimensions", {8, 16}}, {"link_bandwidth", "5 GB/s"}};
  ddlsim_test::check_spoilt(
      other,
      {{"/growth/max_nodes", "200", "/growth/max_nodes: 200 found, and the torus has 128 nodes; give that or fewer"},
       {"/fabric/dimensions", "[]", "/fabric/dimensions: none found; give 1 to 16"},
       {"/fabric/dimensions", nlohmann::json(std::vector<int>(17, 1)).dump(),
        "/fabric/dimensions: 17 found; give 1 to 16"},
       {"/fabric/dimensions/0", "0", "/fabric/dimensions/0: 0 is out of range; give 1 to 10000000"},
       {"/fabric/link_bandwidth", "",
        "/fabric/link_bandwidth: missing; give a quantity with its unit, like \"100 Gbps\""}},
      read);
  other["fabric"] = {
      {"kind", "rails"}, {"hop_latency", "1 us"}, {"nodes_per_leaf", 24}, {"blocking", 1.5}, {"routing", "static"}};
  ddlsim_test::check_spoilt(
      other,
      {{"/node/nics/0/count", "1",
        "/fabric/kind: rails found, and no NIC has a count of 2 or more; give that, or fat-tree"},
       {"/fabric/routing", "\"random\"", "/fabric/routing: \"random\" found; give one of adaptive, static"},
       {"/fabric/blocking", "7",
        "/fabric/routing: static found, which takes one cable for each message, and 24 nodes would send 3.42857143 "
        "cables "
        "up, 3.42857143 a switch; give blockings that leave whole numbers"},
       {"/node/intra", R"({"kind": "nvswitch", "bandwidth": "50 GB/s", "latency": "5 us", "domain_nodes": 2})",
        "/fabric/routing: static found, and an NVLink domain of 2 nodes sends over the cables of all of them; give "
        "adaptive"}},
      read);
  other["fabric"] = {{"kind", "dragonfly"},     {"hop_latency", "1 us"}, {"groups", 4},
                     {"switches_per_group", 4}, {"nodes_per_switch", 8}, {"link_bandwidth", "5 GB/s"}};
  ddlsim_test::check_spoilt(
      other,
      {{"/fabric/groups", "5",
        "/fabric/groups: 5 groups need a switch each in every group to link them, and a group has "
        "4; give 4 groups or fewer"}},
      read);
}

TEST_CASE("every figure of a cluster needs a source, and every source a figure") {
  const std::string then = "; say where the figure stands, or \"not stated; assumed: ... because ...\"";
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_cluster(),
      {{"/sources/~1storage", "", "/sources: no source for /storage/read_bandwidth" + then},
       {"/sources/~1available~1nodes", "", "/sources: no source for /available/nodes" + then},
       {"/sources/~1growth", "", "/sources: no source for /growth/max_nodes" + then},
       {"/sources/~1fabrics", "\"x\"", "/sources/~1fabrics: points at nothing in this file; did you mean \"/fabric\"?"},
       {"/sources/node", "\"x\"", "/sources/node: points at nothing in this file; did you mean \"/node\"?"},
       {"/sources/~1", "\"x\"",
        "/sources/~1: points at nothing in this file; write a JSON pointer like \"/node/intra/bandwidth\""},
       {"/sources/~1fabric", "\"\"",
        "/sources/~1fabric: the text is empty; say what it is, or \"unknown\" where that is allowed"}},
      [](const auto& file) { read_cluster(file); });
}

TEST_CASE("a source covers what is below it, not what merely begins alike") {
  const ddlsim_test::TemporaryFolder folder;
  auto cluster = ddlsim_test::sample_cluster();
  cluster["sources"].erase("/node");
  cluster["sources"].erase("/prices");
  cluster["sources"]["/node/gpus"] = "site"; // does not cover /node/gpu..., host memory, intra, nics
  const auto file = folder.write("cluster.json", cluster.dump());
  const auto reported = ddlsim_test::mistakes_of(file, [&] { read_cluster(file); });
  std::vector<std::string> missing;
  for (const auto& line : reported) missing.push_back(line.substr(0, line.find(';')));
  CHECK(missing == std::vector<std::string>{
                       "/sources: no source for /node/cores", "/sources: no source for /node/host_link/bandwidth",
                       "/sources: no source for /node/host_link/gpus", "/sources: no source for /node/host_memory",
                       "/sources: no source for /node/host_memory_bandwidth",
                       "/sources: no source for /node/intra/bandwidth", "/sources: no source for /node/intra/latency",
                       "/sources: no source for /node/nics/0/bandwidth", "/sources: no source for /node/nics/0/count",
                       "/sources: no source for /node/power", "/sources: no source for /prices/0/usd_per_node_hour",
                       "/sources: no source for /prices/1/term", "/sources: no source for /prices/1/usd_per_node_hour",
                       "/sources: no source for /prices/2/usd_per_node"});
}

using ddlsim::find_gpu;
using ddlsim::read_gpus;

TEST_CASE("the catalogue is read, and found in by name and alias") {
  const ddlsim_test::TemporaryFolder folder;
  const auto gpus = read_gpus(folder.write("gpus.json", ddlsim_test::sample_gpus().dump()));
  REQUIRE(gpus.size() == 2);
  const auto& gpu = find_gpu(gpus, "V100");
  CHECK(&gpu == &find_gpu(gpus, "V100-SXM2-16GB"));
  CHECK(gpu.year == 2017);
  CHECK(gpu.peak_flop_per_s.at(ddlsim::ArithmeticUnit::fp32) == 15.7e12);
  CHECK(gpu.memory_bandwidth_Bps == 900e9);
  CHECK(gpu.memory_bytes == 16e9);
  CHECK(gpu.power_w == 300);
  CHECK(gpu.price_usd == 0);
  CHECK(gpu.sources.at("power") == "ibid.");
  CHECK_THROWS_WITH(find_gpu(gpus, "V10"),
                    "no GPU is called \"V10\"; did you mean V100? there are: V100-SXM2-16GB, K80");
}

TEST_CASE("what is wrong with the catalogue is reported") {
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_gpus(),
      {{"/gpus/1/sources/memory", "", "/gpus/1/sources/memory: missing; say where the figure of \"memory\" stands"},
       {"/gpus/0/power", "",
        "/gpus/0/sources/power: a source for a figure that is not there; remove it, or give the figure"},
       {"/gpus/1/name", "\"V100\"", "/gpus/1: the name \"V100\" is taken; every name and alias stands once"},
       {"/gpus/1/peak/fp32", "", "/gpus/1/peak/fp32: missing; give a quantity with its unit, like \"15.7 TFLOP/s\""},
       {"/gpus/1/peak/fp23", "\"1 TFLOP/s\"", "/gpus/1/peak/fp23: unknown key; did you mean \"fp32\"?"},
       {"/gpus/1/memory_bandwidth", "\"240 GBps\"",
        "/gpus/1/memory_bandwidth: \"240 GBps\" has an unknown unit; known here: B/s, KB/s, MB/s, GB/s, TB/s, bps, "
        "Kbps, "
        "Mbps, Gbps, Tbps, MiB/s, GiB/s; write GB/s (bytes) or Gb/s (bits)"},
       {"/gpus/1/memory", "12",
        "/gpus/1/memory: 12 found, a quantity with its unit expected; write a text like \"16 GiB\""},
       {"/gpus/1/year", "1999", "/gpus/1/year: 1999 is out of range; give 2006 to 2100"},
       {"/gpus/1/sources", "",
        "/gpus/1/sources: missing; give an object with any of peak, memory_bandwidth, memory, power, price, links, "
        "pcie, year, compute_capability"}},
      [](const auto& file) { read_gpus(file); });
}
