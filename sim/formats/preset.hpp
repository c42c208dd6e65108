#pragma once
// What a framework does with gradients, as data: scenarios/presets.json.

#include "sim/formats/cluster.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/strategy.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// One of several things a library may do, and its probability; the weights of a list sum to 1.
struct LikelyChoice {
  std::string name;
  double weight = 1;
};

struct Preset {
  std::string name; ///< pytorch-ddp, pytorch-mpi, horovod, tf-ps, mxnet-kvstore, ...
  std::string title;
  Grouping grouping = Grouping::buckets;
  double first_bucket_bytes = 0;        ///< buckets
  double bucket_bytes = 0;              ///< buckets and fusion: the cap
  double cycle_s = 0;                   ///< fusion: how often ready tensors are collected
  bool overlapped = true;               ///< synchronisation runs beside backward
  Library library = Library::nccl;      ///< for a person: what it does is in the other fields
  std::vector<LikelyChoice> all_reduce; ///< what `auto` and `all-reduce` mean, the likeliest first: ring, tree, ...
  std::vector<LikelyChoice> shardings;  ///< how tensors are placed on servers, the likeliest first (placement.hpp)
  /// How many servers there are, and where, unless the strategy says.
  ServerCount servers{ServerCount::Rule::per_node, 1};
  Placement placement = Placement::colocated;
  NodeReduce node_reduce = NodeReduce::reduce_scatter; ///< before gradients leave for servers
  /// false: with a single machine no server is started, and its GPUs reduce among themselves.
  bool serves_one_machine = true;
  /// Sharding split: tensors this large are cut over all servers; pieces: the largest piece, 0 for BytePS's 4,096,000.
  /// hash does not read it.
  double split_bytes = 0;
  std::vector<std::string> transports; ///< in order of preference; the first the cluster has is taken
  std::string source;                  ///< code and version the rules were read in
};

/// The choice of a sample whose draw, 0 to 1, falls into it by cumulative weights.
const std::string& choice_at(const std::vector<LikelyChoice>& choices, double draw);

/// The strategy with the preset's count and placement of servers where it leaves them open. Sharding stays open: a
/// preset may hold several rules, of which each sample has one.
Strategy completed(Strategy strategy, const Preset& preset);

/// The transport that the preset's framework takes on a cluster: the one of the name `stated` where the cluster has it;
/// else shared memory on a cluster of one machine, whether its file lists it or not, if the preset can use it; else the
/// first of the preset's that the cluster has; null where it has none of them.
const Transport* transport_for(const Cluster& cluster, const Preset& preset, const std::string& stated = "");

/// Throws UserError with every mistake of the file.
std::vector<Preset> read_presets(const std::filesystem::path& file);

/// The preset of that name; null where there is none.
const Preset* preset_named(const std::vector<Preset>& presets, const std::string& name);
/// Throws UserError offering the nearest name.
const Preset& find_preset(const std::vector<Preset>& presets, const std::string& name);

} // namespace ddlsim
