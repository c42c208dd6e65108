#pragma once
// A cluster file from the few words that its owner can say: `ddlsim new cluster`.

#include "sim/formats/data_folder.hpp"

#include <string>
#include <vector>

namespace ddlsim {

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

} // namespace ddlsim
