#pragma once
// Makes a cluster file from a few words of the cluster's owner, for `ddlsim new cluster`.

#include "sim/formats/data_folder.hpp"

#include <string>
#include <vector>

namespace ddlsim {

struct ClusterRequest {
  std::string name;
  std::string gpu; ///< a name that match_gpu() takes, or the path of a GPU's file; "" for processors
  int gpus_per_node = 0;
  int nodes = 0;
  std::vector<std::string> networks; ///< texts in the form of network_in(); empty: a single machine
  /// links between the GPUs of a node, as in "nvswitch 370 GB/s 0.6 us"; "": those of a shipped cluster
  std::string links;
  int most_nodes = 0;                           ///< number of nodes to which it may grow; 0: eight times `nodes`
  std::string cpu;                              ///< name of the processor; may be empty
  std::string stated_by = "stated by the user"; ///< the source of what the request says
  std::string links_word; ///< links in the words of nvidia-smi topo -m, such as "NV18" or "SYS"; "": not found
  std::string links_seen; ///< like `links`, from the rate of NVLink itself; used if no shipped cluster is similar
  int cores = 0;          ///< cores of a node, as its operating system counts them; 0: not known
  std::string gpu_path{}; ///< path of the GPU's own file, relative to the cluster's folder; it replaces the name
};

struct NewCluster {
  std::string text;               ///< text of cluster.json, which check_file() takes in a folder of that name
  std::vector<std::string> notes; ///< sentences on what was assumed
};

/// Makes the file. Figures that the request lacks are those of a shipped cluster with the same GPU, with their source.
/// Throws UserError that lists every mistake with the option that it came from.
NewCluster new_cluster(const ClusterRequest& request, const DataFolder& data);

} // namespace ddlsim
