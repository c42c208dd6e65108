// The texts are typed by hand in the form that the tools print; no machine was asked.
#include "own/machine.hpp"
#include "sim/formats/data_folder.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

namespace {

using ddlsim::MachineFacts;

const std::string eight_gpus = [] {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += "GPU " + std::to_string(i) + ": NVIDIA H100 80GB HBM3 (UUID: GPU-0000000" + std::to_string(i) + ")\n";
  return text;
}();

constexpr const char* topology = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\n"
                                 "GPU0\t X \tNV18\tPIX\t0-55\t0\n"
                                 "GPU1\tNV18\t X \tSYS\t0-55\t0\n"
                                 "NIC0\tPIX\tSYS\t X \n\nLegend:\n\n  X    = Self\n";

constexpr const char* cpu =
    "Architecture:        x86_64\nCPU(s):              112\nModel name:          Intel(R) Xeon(R) "
    "Platinum 8480C\nSocket(s):           2\n";

constexpr const char* nvlink = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0)\n\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 "
                               "GB/s\nGPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n\t Link 0: 26.562 GB/s\n\t Link 1: "
                               "<inactive>\n";

constexpr const char* ibstat = "CA 'mlx5_0'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: Active\n"
                               "\t\tPhysical state: LinkUp\n\t\tRate: 400\n\t\tLink layer: InfiniBand\n"
                               "CA 'mlx5_1'\n\tPort 1:\n\t\tState: Active\n\t\tRate: 100\n\t\tLink layer: Ethernet\n"
                               "CA 'mlx5_2'\n\tPort 1:\n\t\tState: Down\n\t\tRate: 400\n\t\tLink layer: InfiniBand\n";

constexpr const char* lstopo = "Machine (504GB total)\n  Package L#0\n    HostBridge\n      PCIBridge\n"
                               "        PCI 17:00.0 (3D)\n      PCIBridge\n        PCI 18:00.0 (InfiniBand)\n"
                               "          Net \"ib0\"\n          OpenFabrics \"mlx5_0\"\n          OpenFabrics "
                               "\"mlx5_2\"\n  Package L#1\n    HostBridge\n      PCIBridge\n        PCI 27:00.0 (3D)\n";

const std::vector<ddlsim::Gpu>& catalogue_of_machines() {
  static const auto gpus = load_gpus(ddlsim::DataFolder{DDLSIM_SOURCE_DIR});
  return gpus;
}

/// A node of sysfs with an InfiniBand port, its own Ethernet side, a port of 25 Gbit/s, one that is down, a bridge.
void write_sysfs(const ddlsim_test::TemporaryFolder& sys) {
  sys.write("class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
  sys.write("class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  sys.write("class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand\n");
  sys.write("class/infiniband/mlx5_0/device/net/ib0/x", "");
  sys.write("class/infiniband/mlx5_1/ports/1/rate", "100 Gb/sec (4X EDR)\n");
  sys.write("class/infiniband/mlx5_1/ports/1/state", "4: ACTIVE\n");
  sys.write("class/infiniband/mlx5_1/ports/1/link_layer", "Ethernet\n");
  sys.write("class/infiniband/mlx5_2/ports/1/rate", "400 Gb/sec (4X NDR)\n");
  sys.write("class/infiniband/mlx5_2/ports/1/state", "1: DOWN\n");
  for (const auto& [name, speed, state] : {std::tuple{"eth0", "25000", "up"}, std::tuple{"ib0", "400000", "up"},
                                           std::tuple{"eth1", "10000", "down"}, std::tuple{"eth2", "-1", "up"}}) {
    const std::string folder = std::string("class/net/") + name;
    sys.write(folder + "/device/x", "");
    sys.write(folder + "/speed", speed);
    sys.write(folder + "/operstate", state);
  }
  sys.write("class/net/docker0/speed", "10000");
  sys.write("class/net/docker0/operstate", "up");
}

} // namespace

TEST_CASE("a node's tools say what it is") {
  const ddlsim_test::TemporaryFolder sys;
  write_sysfs(sys);
  const auto facts = machine_facts({eight_gpus, topology, "", cpu, "", ""}, sys.path(), catalogue_of_machines());
  CHECK(facts.gpus == 8);
  CHECK(facts.gpu == "H100-SXM5-80GB");
  CHECK(facts.links == "NV18");
  CHECK(facts.cpu == "2x Intel(R) Xeon(R) Platinum 8480C");
  CHECK(facts.cores == 112);
  CHECK(networks_of(facts) == std::vector<std::string>{"1x400 Gbps ib", "1x100 Gbps roce", "1x25 Gbps ethernet"});
  REQUIRE(facts.unseen.size() == 1);
  CHECK_THAT(facts.unseen[0], Catch::Contains("the speed of eth2"));
}

TEST_CASE("NVLink's rate is that of the GPU with the fewest links, and the kind is that of the pairs") {
  MachineFacts facts;
  facts.gpus = 4;
  read_nvlink_rates(nvlink, facts);
  CHECK(facts.nvlink_GBps == Approx(26.562));
  CHECK(links_of(facts).empty()); // no pair was seen
  read_gpu_topology(
      "\tGPU0\tGPU1\tGPU2\tNIC0\nGPU0\t X \tNV2\tNV1\tSYS\nGPU1\tNV2\t X \tNV2\tSYS\nGPU2\tNV1\tNV2\t X \tSYS\n"
      "NIC0\tSYS\tSYS\tSYS\t X \n",
      facts);
  CHECK(facts.links == "NV2");
  CHECK(facts.pairs == 6);
  CHECK(facts.other_kinds_of_links);
  CHECK(links_of(facts) == "nvlink-mesh 21.25 GB/s 0.6 us");
  MachineFacts pcie;
  read_gpu_topology("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tSYS\t0-27\nGPU1\tSYS\t X \t28-55\n", pcie);
  CHECK(pcie.links == "SYS");
  CHECK(links_of(pcie).empty());
}

TEST_CASE("ibstat says what /sys does not, and lstopo what has no driver") {
  const ddlsim_test::TemporaryFolder sys;
  const auto facts = machine_facts({"", "", "", "", ibstat, lstopo}, sys.path(), catalogue_of_machines());
  CHECK(networks_of(facts) == std::vector<std::string>{"1x400 Gbps ib", "1x100 Gbps roce"});
  REQUIRE(facts.unseen.size() == 3);
  CHECK_THAT(facts.unseen[0], Catch::Contains("lstopo shows 2 3D controllers, but nvidia-smi lists none"));
  CHECK_THAT(facts.unseen[2], Catch::Contains("the rate of \"mlx5_2\""));
  const ddlsim_test::TemporaryFolder both;
  write_sysfs(both);
  MachineFacts twice;
  read_ports(both.path(), twice);
  const auto before = twice.ports.size();
  read_ibstat(ibstat, twice);
  CHECK(twice.ports.size() == before); // the same ports again
}

TEST_CASE("Amazon's adapters are efa") {
  const ddlsim_test::TemporaryFolder sys;
  sys.write("class/infiniband/rdmap0s6/ports/1/rate", "100 Gb/sec (4X EDR)\n");
  sys.write("class/infiniband/rdmap0s6/ports/1/state", "4: ACTIVE\n");
  sys.write("class/infiniband/rdmap0s6/ports/1/link_layer", "Unspecified\n");
  MachineFacts facts;
  read_ports(sys.path(), facts);
  CHECK(networks_of(facts) == std::vector<std::string>{"1x100 Gbps efa"});
}

TEST_CASE("what cannot be seen is said") {
  const ddlsim_test::TemporaryFolder sys;
  const auto facts = machine_facts({}, sys.path() / "none", catalogue_of_machines());
  CHECK(facts.gpus == 0);
  CHECK(facts.ports.empty());
  CHECK(facts.unseen.size() == 3);
}

TEST_CASE("the names that drivers give are the catalogue's") {
  for (const auto& [driver, name] :
       {std::pair{"NVIDIA H100 80GB HBM3", "H100-SXM5-80GB"}, std::pair{"NVIDIA A100-SXM4-40GB", "A100-SXM4-40GB"},
        std::pair{"NVIDIA A100 80GB PCIe", "A100-PCIe-80GB"}, std::pair{"Tesla V100-SXM2-16GB", "V100-SXM2-16GB"},
        std::pair{"NVIDIA H200", "H200-SXM-141GB"}, std::pair{"NVIDIA B200", "B200-SXM-180GB"}}) {
    MachineFacts facts;
    read_gpu_list(std::string("GPU 0: ") + driver + " (UUID: GPU-1)\n", catalogue_of_machines(), facts);
    CHECK(facts.gpu == name);
  }
}

TEST_CASE("no text of a tool does more than be passed over") {
  const ddlsim_test::TemporaryFolder sys;
  sys.write("class/infiniband/mlx5_0/ports/1/rate", std::string(1 << 20, '9'));
  sys.write("class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  const std::string hostile = "GPU 0:\nGPU 1: \nGPU 2: \x1b[31m\xff (UUID\nGPU0\nNodeName= Gres=gpu:\nNodeName=a "
                              "Gres=gpu:999999999999999999\nNodeName=b Gres=gpu::::(\n:\nModel name:\nSocket(s): -1\n";
  CHECK_NOTHROW(
      machine_facts({hostile, hostile, hostile, hostile, hostile, hostile}, sys.path(), catalogue_of_machines()));
  for (const auto& text : {eight_gpus, std::string(topology), std::string(cpu), std::string(nvlink),
                           std::string(ibstat), std::string(lstopo)})
    for (std::size_t length = 0; length < text.size(); length += 5) { // the fuzzers see every place: tests/fuzz
      auto changed = text.substr(0, length);
      CHECK_NOTHROW(
          machine_facts({changed, changed, changed, changed, changed, changed}, sys.path(), catalogue_of_machines()));
      changed = text;
      changed[length] = length % 2 == 0 ? '\'' : '9';
      CHECK_NOTHROW(
          machine_facts({changed, changed, changed, changed, changed, changed}, sys.path(), catalogue_of_machines()));
    }
}
