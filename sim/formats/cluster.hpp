#pragma once
// A machine that the user has or might buy: platforms/NAME/cluster.json.

#include "sim/formats/fabric.hpp"
#include "sim/formats/names.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// One price of a whole node, from "prices".
struct NodePrice {
  PriceKind kind = PriceKind::on_demand;
  double usd = 0;     ///< dollars: for a node and hour; for a purchase, for a node
  double term_s = 0;  ///< reservation period of a reserved node; 0 for other kinds
  std::string date{}; ///< date at which the price was valid: "2024", "2024-05" or "2024-05-17"

  bool operator==(const NodePrice&) const = default;
};

/// The links between GPUs of one node.
struct IntraNode {
  IntraKind kind = IntraKind::none;
  double bandwidth_Bps = 0; ///< rate of one GPU in one direction, on the path that a ring uses; 0 only for kind none
  double latency_s = 0;
  int domain_nodes = 1; ///< nodes whose GPUs are linked like those of one node, by NVLink switches between nodes
};

/// The link for copies between GPUs and host memory: PCIe, or NVLink-C2C.
struct HostLink {
  double bandwidth_Bps = 0; ///< rate that copies reach in one direction; 0: not known
  int gpus = 1;             ///< GPUs that share it: those behind one PCIe switch

  bool operator==(const HostLink&) const = default;
};

struct Nic {
  std::string name;               ///< "ib-edr", "10gbe"; transports refer to it
  double bandwidth_Bps = 0;       ///< line rate of one port in one direction
  int count = 1;                  ///< ports of a node that carry training traffic
  std::optional<NicPath> path{};  ///< path between the GPU and the wire; nothing: traffic goes straight to the wire
  bool bandwidth_assumed = false; ///< no source states the rate; `sources` says why this one was chosen
};

/// The software that moves bytes, and the NIC it uses. Efficiency and step cost come from priors or calibration.
struct Transport {
  std::string name; ///< nccl-ib, nccl-tcp, mpi-ib, mpi-tcp, gloo-tcp, grpc, shm
  std::string nic;  ///< name of a Nic; "" for shm
};

struct Storage {
  std::string kind;              ///< "", local-ssd, nvme, nfs, lustre, gpfs, efs, persistent-disk
  double read_bandwidth_Bps = 0; ///< read rate of a node; 0: not known

  bool operator==(const Storage&) const = default;
};

/// Evidence borrowed from another cluster: the kinds of records, and the label that numbers based on them get.
struct Borrow {
  std::string cluster;
  std::vector<RecordKind> kinds;
  std::string label; ///< "transferred"

  bool operator==(const Borrow&) const = default;
};

inline constexpr int most_cores_of_node = 100'000; ///< the largest number that a file may state

struct Cluster {
  std::string name;
  std::string title;
  std::string site; ///< operators and fabric: clusters of one site are not independent evidence for each other
  std::string gpu;  ///< name in gpus.json; "" without GPUs, or when it is not stated
  int gpus_per_node = 0;
  std::string cpu;        ///< words: "2x Xeon Gold 6132"; "" when not stated
  int cores_per_node = 0; ///< number of cores as the operating system counts them: hardware threads, vCPU; 0: not known
  double host_memory_bandwidth_Bps = 0; ///< memory bandwidth that all cores of a node reach together; 0: not known
  double host_memory_bytes = 0;         ///< memory size of a node; 0: not known
  HostLink host_link;
  double node_power_w = 0; ///< power of a whole node under load; 0: not known
  IntraNode intra;
  std::vector<Nic> nics;
  Fabric fabric;
  std::vector<Transport> transports;
  Storage storage;
  int available_nodes = 0;       ///< nodes that exist today
  int growth_max_nodes = 0;      ///< most nodes that the cluster may grow to; a larger scale is a row with an error
  std::string growth_rule;       ///< words: for example "same leaf and blocking, one more level when ports run out"
  std::vector<NodePrice> prices; ///< prices in the order of the file; empty: not known
  std::vector<Borrow> borrows;
  std::map<std::string, std::string> sources; ///< JSON pointer of a figure or of its parent -> source of the figure
  std::vector<std::string> notes;             ///< settings of the file that no longer have an effect, one sentence each
};

/// Throws UserError with every mistake of the file. A figure without a pointer in `sources` is a mistake.
Cluster read_cluster(const std::filesystem::path& file);

/// Describes what computes in a node: "4 x V100-SXM2-16GB", "2 x (no GPU named; 2x Xeon Gold 6132)", "no GPU".
std::string devices_text(const Cluster& cluster);

/// Returns whether the cluster has one node and may not grow.
bool is_one_machine(const Cluster& cluster);

/// Returns the transport of that name; null where the cluster has none.
const Transport* transport_named(const Cluster& cluster, const std::string& name);

/// Returns the named transport of the cluster; throws UserError listing those it has.
const Transport& find_transport(const Cluster& cluster, const std::string& name);
const Nic& find_nic(const Cluster& cluster, const std::string& name);

} // namespace ddlsim
