// What `new cluster` and `new gpu` are told, and read from this machine and from files, as rows of the readers' table.
#include "own/machine.hpp"
#include "own/network_words.hpp"
#include "own/new_cluster.hpp"
#include "own/new_gpu.hpp"
#include "own/new_scenario.hpp"
#include "own/slurm_nodes.hpp"
#include "own/topology.hpp"
#include "sim/base/escape.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/gpu_names.hpp"
#include "tests/fuzz/sample_folder.hpp"
#include "tests/fuzz/target.hpp"

#include <cmath>
#include <sstream>

namespace ddlsim_fuzz {
namespace {

using namespace ddlsim;

const std::vector<Gpu>& shipped_catalogue() {
  static const auto gpus = load_gpus(DataFolder{DDLSIM_SOURCE_DIR});
  return gpus;
}

void demand_sound(const MachineFacts& facts) {
  demand(facts.gpus >= 0 && facts.gpus <= most_gpus_of_machine && facts.controllers >= 0,
         "fewer than no GPUs or controllers, or too many");
  demand(std::isfinite(facts.nvlink_GBps) && facts.nvlink_GBps >= 0, "a rate of NVLink that is none");
  for (const auto& found : facts.ports) demand(std::isfinite(found.rate_Gbps), "a rate of a port that is none");
  links_of(facts);
  networks_of(facts);
}

/// Every tool says the same, and so do the files of a port.
bool take_machine(const std::string& text) {
  constexpr const char* port = "sys/class/infiniband/mlx5_0/ports/1/";
  for (const char* file : {"rate", "state", "link_layer"}) folder().write(std::string(port) + file, text);
  demand_sound(machine_facts({text, text, text, text, text, text}, folder().path() / "sys", shipped_catalogue()));
  return true;
}

bool take_topology(const std::string& text) {
  Topology topology;
  if (!accepted([&] { topology = read_topology(text, shipped_catalogue()); })) return false;
  demand(topology.facts.gpus > 0 && topology.near.size() <= topology.adapters.size(),
         "no GPU, or NICs near that are none");
  demand_sound(topology.facts);
  return true;
}

bool take_slurm(const std::string& text) {
  std::vector<SlurmNodes> kinds;
  if (!accepted([&] { kinds = read_slurm_nodes(text, shipped_catalogue()); })) return false;
  for (const auto& kind : kinds) demand(kind.nodes > 0 && kind.gpus >= 0 && kind.cpus >= 0, "a kind of no nodes");
  accepted([&] { demand(chosen_nodes(kinds, {}).gpus > 0, "a node without GPUs was chosen"); });
  return true;
}

/// The first line is about links inside a node, each other a network.
bool take_new_cluster(const std::string& text) {
  ClusterRequest request;
  request.name = "mine";
  request.gpu = "V100-SXM2-16GB";
  request.gpus_per_node = 4;
  request.nodes = 8;
  std::istringstream lines(text);
  std::getline(lines, request.links);
  for (std::string line; std::getline(lines, line);) request.networks.push_back(line);
  NewCluster made;
  if (!accepted([&] { made = new_cluster(request, sample_data()); })) return false;
  const auto file = put("mine/cluster.json", made.text);
  demand(accepted([&] { check_file(file, sample_data()); }), "a new cluster that `check` refuses");
  return true;
}

/// A line for each option.
bool take_new_gpu(const std::string& text) {
  GpuRequest request;
  std::istringstream lines(text);
  for (auto* option : {&request.name, &request.like, &request.peaks["bf16"], &request.memory, &request.bandwidth,
                       &request.power, &request.price})
    std::getline(lines, *option);
  NewGpu made;
  if (!accepted([&] { made = new_gpu(request, sample_data()); })) return false;
  const auto file = put("gpu.json", made.text);
  demand(accepted([&] { check_file(file, sample_data()); }), "a new GPU that `check` refuses");
  return true;
}

bool take_gpu_name(const std::string& text) {
  const auto match = match_gpu(text, shipped_catalogue());
  const auto choice = choice_of_gpu(text, shipped_catalogue());
  demand(choice.empty() || match.gpu != nullptr, "a choice of a GPU that is none");
  demand(choice == for_terminal(choice), "a control character in what is said of a GPU");
  return match.gpu != nullptr;
}

} // namespace

std::vector<Target> own_reader_targets() {
  return {{"machine", {seed_file("machine.txt")}, take_machine},
          {"topology",
           {seed_file("topology-nccl.xml"), seed_file("topology-lstopo.xml"), seed_file("machine.txt")},
           take_topology},
          {"slurm",
           {seed_file("machine.txt"), "NodeName=DEFAULT CPUs=8\nNodeName=g[1-4],h1 Gres=gpu:h100:8 Feature=ib\n",
            "NODELIST GRES CPUS PARTITION\ng[1-2] gpu:a100:4(S:0-1) 96 gpu*\n"},
           take_slurm},
          {"new-cluster", {seed_file("new-cluster.txt"), "\n8xNDR\n2x25GbE\n200G RoCE\n8x400"}, take_new_cluster},
          {"new-gpu", {"mine\nV100\n400 TFLOPS\n64 GB\n3 TB/s\n500 W\n$30k\n"}, take_new_gpu},
          {"gpu-name",
           {"NVIDIA H100 80GB HBM3", "nvidia_a100_80gb_pcie", "GH100 [H100 SXM5 80GB] [10de:2330]"},
           take_gpu_name}};
}

} // namespace ddlsim_fuzz
