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

constexpr const char* slurm =
    "NodeName=gpu01 Arch=x86_64 CoresPerSocket=56\n   CPUAlloc=0 CPUTot=112 CPULoad=0.01\n   Gres=gpu:h100:8(S:0-1)\n  "
    " "
    "State=IDLE\n\nNodeName=gpu02 Arch=x86_64\n   Gres=gpu:h100:8\n\nNodeName=cpu01 Arch=x86_64\n   Gres=(null)\n";

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
  const auto facts = machine_facts({eight_gpus, topology, cpu, slurm}, sys.path(), catalogue_of_machines());
  CHECK(facts.gpus == 8);
  CHECK(facts.gpu == "H100-SXM5-80GB");
  CHECK(facts.links == "NV18");
  CHECK(facts.cpu == "2x Intel(R) Xeon(R) Platinum 8480C");
  CHECK(facts.nodes == 2);
  CHECK(networks_of(facts) == std::vector<std::string>{"1x400 Gbps ib", "1x100 Gbps roce", "1x25 Gbps ethernet"});
  REQUIRE(facts.unseen.size() == 2);
  CHECK_THAT(facts.unseen[0], Catch::Contains("nodes of 2 kinds"));
  CHECK_THAT(facts.unseen[1], Catch::Contains("the speed of eth2"));
}

TEST_CASE("what cannot be seen is said") {
  const ddlsim_test::TemporaryFolder sys;
  const auto facts = machine_facts({}, sys.path() / "none", catalogue_of_machines());
  CHECK(facts.gpus == 0);
  CHECK(facts.ports.empty());
  CHECK(facts.unseen.size() == 4);
}

TEST_CASE("a login node learns its cluster's GPUs from the batch system") {
  MachineFacts facts;
  read_slurm_nodes(slurm, catalogue_of_machines(), facts);
  CHECK(facts.nodes == 2);
  CHECK(facts.gpus == 8);
  CHECK(facts.gpu == "H100-SXM5-80GB");
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
  CHECK_NOTHROW(machine_facts({hostile, hostile, hostile, hostile}, sys.path(), catalogue_of_machines()));
  for (const auto& text : {eight_gpus, std::string(topology), std::string(cpu), std::string(slurm)})
    for (std::size_t length = 0; length < text.size(); ++length) {
      const auto cut = text.substr(0, length);
      CHECK_NOTHROW(machine_facts({cut, cut, cut, cut}, sys.path(), catalogue_of_machines()));
    }
}
