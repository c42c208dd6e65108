// The texts are typed by hand in the form that Slurm prints; no batch system was asked.
#include "own/host_list.hpp"
#include "own/slurm_nodes.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/data_folder.hpp"

#include <catch2/catch.hpp>

using ddlsim::host_names;
using ddlsim::SlurmNodes;

namespace {

const std::vector<ddlsim::Gpu>& gpus_of_slurm() {
  static const auto gpus = load_gpus(ddlsim::DataFolder{DDLSIM_SOURCE_DIR});
  return gpus;
}

std::vector<SlurmNodes> kinds_in(const std::string& text) {
  return read_slurm_nodes(text, gpus_of_slurm());
}

std::string refused_nodes(const std::string& text, const ddlsim::SlurmWish& wish) {
  try {
    chosen_nodes(kinds_in(text), wish);
  } catch (const ddlsim::UserError& error) {
    return error.what();
  }
  return "";
}

const std::string blocks =
    "NodeName=cn01 Arch=x86_64 CoresPerSocket=64\n   CPUAlloc=0 CPUTot=256 CPULoad=0.01\n   Gres=(null)\n"
    "   OS=Linux 5.14.0-427.el9.x86_64 #1 SMP PREEMPT_DYNAMIC\n   Partitions=batch\n   CfgTRES=cpu=256,mem=1M\n\n"
    "NodeName=cn02 Arch=x86_64\n   CPUTot=256\n   Gres=(null)\n   Partitions=batch\n\n"
    "NodeName=gn01 Arch=x86_64\n   CPUTot=96\n   Gres=gpu:a100:4(S:0-1)\n   Partitions=gpu\n"
    "   CfgTRES=cpu=96,gres/gpu=4,gres/gpu:a100=4\n\n"
    "NodeName=gn02 Arch=x86_64\n   CPUTot=96\n   Gres=gpu:a100:4(S:0,1)\n   Partitions=gpu\n";

const std::string two_kinds = blocks + "\nNodeName=hn01 Gres=gpu:nvidia_h100_80gb_hbm3:8 CPUTot=224 Partitions=big\n";

} // namespace

TEST_CASE("nodes with GPUs are the cluster, however many others there are") {
  const auto nodes = chosen_nodes(kinds_in(blocks), {});
  CHECK(nodes.nodes == 2);
  CHECK(nodes.gpus == 4);
  CHECK(nodes.gpu == "A100-SXM4-40GB");
  CHECK(nodes.cpus == 96);
  CHECK(nodes.partitions == std::vector<std::string>{"gpu"});
  ddlsim::SlurmWish processors;
  processors.processors = true;
  CHECK(chosen_nodes(kinds_in(blocks), processors).cpus == 256);
}

TEST_CASE("one line a node says the same, behind a kernel's version too") {
  const auto nodes = chosen_nodes(
      kinds_in("NodeName=a Gres=(null) CPUTot=64 OS=Linux 5.14 #1 SMP Partitions=batch CfgTRES=cpu=64\n"
               "NodeName=b Gres=(null) CPUTot=48 OS=Linux 5.14 #1 SMP Partitions=g CfgTRES=cpu=48,gres/gpu=8,"
               "gres/gpu:h200=8\nNodeName=c Gres=gpu:8 CPUTot=48 OS=Linux #2 SMP CfgTRES=cpu=48,gres/gpu:h200=8\n"),
      {});
  CHECK(nodes.nodes == 2);
  CHECK(nodes.gpus == 8);
  CHECK(nodes.gpu == "H200-SXM-141GB");
  CHECK(nodes.cpus == 48);
}

TEST_CASE("several kinds of nodes are asked which") {
  CHECK_THAT(refused_nodes(two_kinds, {}), Catch::Contains("2 of 4 x \"a100\" in gpu") &&
                                               Catch::Contains("1 of 8 x \"nvidia_h100_80gb_hbm3\" in big") &&
                                               Catch::Contains("--slurm-gpu TYPE, --partition NAME"));
  ddlsim::SlurmWish wish;
  wish.gpu_type = "A100";
  CHECK(chosen_nodes(kinds_in(two_kinds), wish).gpus == 4);
  wish.gpu_type = "h100";
  CHECK(chosen_nodes(kinds_in(two_kinds), wish).gpus == 8);
  wish = {};
  wish.partition = "big";
  CHECK(chosen_nodes(kinds_in(two_kinds), wish).gpu == "H100-SXM5-80GB");
  wish = {};
  wish.gpus = 8;
  CHECK(chosen_nodes(kinds_in(two_kinds), wish).gpus == 8);
  wish = {};
  wish.gpu = "A100-SXM4-80GB"; // which "a100" could be
  CHECK(chosen_nodes(kinds_in(two_kinds), wish).gpus == 4);
  wish.gpu_type = "v100";
  CHECK_THAT(refused_nodes(two_kinds, wish), Catch::Contains("none is left of these"));
  CHECK_THAT(refused_nodes("NodeName=a Gres=(null) CPUTot=4\n", {}), Catch::Contains("no node with GPUs"));
}

TEST_CASE("slurm.conf and gres.conf name their nodes in lists") {
  const auto conf = kinds_in("# our cluster\nClusterName=x\nNodeName=DEFAULT Sockets=2 CoresPerSocket=32 "
                             "ThreadsPerCore=2\nNodeName=cpu[001-100]\nNodeName=gpu[01-16] \\\n  Gres=gpu:h100:8 "
                             "Feature=ib # fast\nnodename=old1 gres=gpu:2 CPUs=20 Feature=broadwell,v100\n"
                             "PartitionName=train Nodes=gpu[01-16] Default=YES\n");
  REQUIRE(conf.size() == 3);
  CHECK(conf[0].nodes == 100);
  CHECK(conf[1].nodes == 16);
  CHECK(conf[1].gpus == 8);
  CHECK(conf[1].cpus == 128);
  CHECK(conf[1].partitions == std::vector<std::string>{"train"});
  CHECK(conf[2].gpu == "V100-SXM2-16GB"); // by its feature
  CHECK(conf[2].cpus == 20);
  const auto gres = kinds_in("AutoDetect=off\nNodeName=g[1-4] Name=gpu Type=a100 File=/dev/nvidia[0-3] Cores=0-31\n"
                             "NodeName=g[1-4] Name=gpu Type=a100 File=/dev/nvidia[4-7]\nNodeName=g5 Name=gpu Count=2\n"
                             "NodeName=g6 Name=mps Count=100\n");
  REQUIRE(gres.size() == 2);
  CHECK(gres[0].nodes == 4);
  CHECK(gres[0].gpus == 8);
  CHECK(gres[1].gpus == 2);
}

TEST_CASE("sinfo's tables are read by their titles, a node of two partitions once") {
  const auto kinds = kinds_in("NODELIST             GRES            CPUS PARTITION\n"
                              "gn01                 gpu:h100:8(S:0-1) 224 gpu*\ngn01 gpu:h100:8(S:0-1) 224 debug\n"
                              "gn02                 gpu:h100:8(S:0-1) 224 gpu*\ncn[001-500] (null) 128 batch\n");
  const auto nodes = chosen_nodes(kinds, {});
  CHECK(nodes.nodes == 2);
  CHECK(nodes.gpus == 8);
  CHECK(nodes.cpus == 224);
  CHECK(nodes.partitions == std::vector<std::string>{"gpu", "debug"});
  CHECK(kinds.front().nodes == 500);
  CHECK(chosen_nodes(kinds_in("NODELIST|NODES|GRES\ngn[1-3]|3|gpu:mi300x:8\n"), {}).nodes == 3);
}

TEST_CASE("GPUs dealt out in parts are no GPU of the catalogue") {
  const auto kinds = kinds_in("NodeName=a Gres=gpu:a100:4,gpu:1g.5gb:7 CPUTot=64\nNodeName=b Gres=gpu:h100 CPUTot=8\n"
                              "NodeName=c Gres=gpu:h100:0,nvme:1\n");
  REQUIRE(kinds.size() == 3);
  for (const auto& kind : kinds) CHECK((kind.gpus == 11 ? kind.gpu.empty() : kind.gpus <= 1));
}

TEST_CASE("lists of hosts name each, and no more than a machine can hold") {
  CHECK(host_names("gpu[01-03,11],login1") == std::vector<std::string>{"gpu01", "gpu02", "gpu03", "gpu11", "login1"});
  CHECK(host_names("r[1-2]n[1-2]") == std::vector<std::string>{"r1n1", "r1n2", "r2n1", "r2n2"});
  CHECK(host_names("/dev/nvidia[0-7]").size() == 8);
  CHECK(host_names("").empty());
  CHECK(host_names("a[1-").size() == 1);
  CHECK(host_names("a[5-1]").empty());
  CHECK(host_names("a[0-999999999]").size() == 100'000);
  CHECK(host_names("a[0-999][0-999][0-999]").size() == 100'000);
}

TEST_CASE("texts that are none of Slurm's are one message, and no text does harm") {
  for (const char* text : {"", "hello\n", "NODELIST STATE\na idle\n", "\x1b[31m\xff"})
    CHECK_THROWS_WITH(kinds_in(text),
                      Catch::Contains("no node of Slurm found; give what `scontrol show node` printed"));
  for (const char* text : {"NodeName= Gres=gpu:", "NodeName=a Gres=gpu:999999999999999999", "NodeName=b Gres=gpu::::(",
                           "NodeName=a\x1b[31m Gres=gpu:\xff:2", "PartitionName=x Nodes=y\nNodeName=DEFAULT"}) {
    try {
      for (const auto& kind : kinds_in(text)) CHECK(kind.gpus >= 0);
    } catch (const ddlsim::UserError&) {
    }
  }
  std::string endless;
  for (int i = 0; i < 100; ++i) endless += "NodeName=a[0-99999] Gres=gpu:8\n";
  CHECK_THROWS_WITH(kinds_in(endless), Catch::Contains("more than 1000000 nodes"));
  ddlsim::SlurmWish wish;
  CHECK_THAT(refused_nodes("NodeName=a Gres=gpu:\x1b[31m:2\nNodeName=b Gres=gpu:8\n", wish), !Catch::Contains("\x1b"));
}
