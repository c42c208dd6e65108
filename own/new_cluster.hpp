#pragma once
// Makes a cluster file from a few words of its owner: `ddlsim new cluster`.

#include "sim/formats/data_folder.hpp"

#include <string>
#include <vector>

namespace ddlsim {

struct ClusterRequest {
  std::string name;
  std::string gpu; ///< any name that match_gpu() takes, or the path of a GPU's file; "" for processors
  int gpus_per_node = 0;
  int nodes = 0;
  std::vector<std::string> networks; ///< in the form of network_in(); empty: a single machine
  std::string links;                 ///< between GPUs of a node: "nvswitch 370 GB/s 0.6 us"; "": of a shipped cluster
  int most_nodes = 0;                ///< how far it may grow; 0: eight times `nodes`
  std::string cpu;                   ///< words; may be empty
  std::string stated_by = "stated by the user"; ///< the source of what the request says
  std::string links_word;                       ///< in the words of nvidia-smi topo -m: "NV18", "SYS"; "": not found
  std::string links_seen; ///< like `links`, from NVLink's own rate; used if no shipped cluster is similar
  int cores = 0;          ///< of a node, as its operating system counts them; 0: not known
  std::string gpu_path{}; ///< of the GPU's own file, relative to the cluster's folder; replaces its name
};

struct NewCluster {
  std::string text;               ///< of cluster.json; check_file() takes it in a folder of that name
  std::vector<std::string> notes; ///< what was assumed; one sentence each
};

/// Makes the file. Figures that the request lacks are those of a shipped cluster with the same GPU, with their source.
/// Throws UserError that lists every mistake with the option it came from.
NewCluster new_cluster(const ClusterRequest& request, const DataFolder& data);

} // namespace ddlsim
