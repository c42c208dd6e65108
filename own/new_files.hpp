#pragma once
// Files of one's own from a few words: `ddlsim new`.

#include "sim/formats/data_folder.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

// A cluster file from the few words that its owner can say: `ddlsim new cluster`.

struct ClusterRequest {
  std::string name;
  std::string gpu; ///< any name that match_gpu() takes, or the path of a GPU's file; "" for processors
  int gpus_per_node = 0;
  int nodes = 0;
  std::vector<std::string> networks; ///< as network_in() takes them; none: one machine alone
  std::string links;                 ///< between the GPUs of a node: "nvswitch 370 GB/s 0.6 us"; "": as a shipped one's
  int most_nodes = 0;                ///< how far it may grow; 0: eight times `nodes`
  std::string cpu;                   ///< words; may be empty
  std::string stated_by = "stated by the user"; ///< the source of what the request says
  std::string links_word;                       ///< as nvidia-smi topo -m calls them: "NV18", "SYS"; "": not seen
  std::string links_seen; ///< like `links`, from NVLink's own rate: taken where no shipped cluster is alike
  int cores = 0;          ///< of a node, as its operating system counts them; 0: not known
  std::string gpu_path{}; ///< of the GPU's own file, from the cluster's folder: written in place of its name
};

struct NewCluster {
  std::string text;               ///< of cluster.json; check_file() takes it in a folder of that name
  std::vector<std::string> notes; ///< what was assumed; one sentence each
};

/// Where the request is silent the figures of a shipped cluster with the same GPU stand, with their source. Throws
/// UserError, with every mistake at the option that it came from.
NewCluster new_cluster(const ClusterRequest& request, const DataFolder& data);

// A GPU that the catalogue lacks, from its data sheet: `ddlsim new gpu`.

struct GpuRequest {
  std::string name;
  std::string like;                         ///< GPU of the catalogue, for what is not stated; "": all is stated
  std::map<std::string, std::string> peaks; ///< by precision (fp32, tf32, fp16, bf16, fp8): "800 TFLOP/s", dense
  std::string memory;                       ///< "94 GB"
  std::string bandwidth;                    ///< of the memory
  std::string power;
  std::string price;
  int year = 0; ///< of its launch; 0: that of `like`
};

struct NewGpu {
  std::string text; ///< a file as gpus.json with one entry
  std::vector<std::string> notes;
};

/// Where the request is silent the figures of `like` stand, with their source; its tensor cores' peaks in proportion
/// to the stated one. Throws UserError, with every mistake at the option that it came from.
NewGpu new_gpu(const GpuRequest& request, const DataFolder& data);

// A scenario from a model and a cluster: `ddlsim new scenario`.

struct ScenarioRequest {
  std::filesystem::path file; ///< to be written; its stem is the scenario's name
  std::string model;          ///< shipped name, or a path
  std::string cluster;        ///< shipped name, or the path of a folder
  double batch_per_gpu = 0;
  std::string precision;               ///< "": fp32
  std::string preset;                  ///< "": pytorch-ddp, or pytorch-gloo where the cluster has nothing faster
  std::vector<int> gpus;               ///< empty: doubled from one to what the cluster may grow to
  std::vector<std::string> strategies; ///< empty: auto
};

struct NewScenario {
  std::string text;
  std::vector<std::string> notes; ///< what was chosen; one sentence each
};

/// Throws UserError with every mistake: names that nobody knows, files that are not there.
NewScenario new_scenario(const ScenarioRequest& request, const DataFolder& data);

} // namespace ddlsim
