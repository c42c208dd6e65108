#pragma once
// What a framework does with gradients, as data: scenarios/presets.json.

#include "sim/formats/cluster.hpp"
#include "sim/formats/library_version.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/strategy.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// One of several things a library may do, and its probability; the weights of a list sum to 1.
struct LikelyChoice {
  std::string name;
  double weight = 1;
  bool operator==(const LikelyChoice&) const = default;
};

/// A library that may sum gradients, and how likely it is against the preset's others over the same carrier.
struct LikelyLibrary {
  LibraryVersion version;
  double weight = 1;
  bool operator==(const LikelyLibrary&) const = default;
};

struct Preset {
  std::string name; ///< pytorch-ddp, pytorch-mpi, horovod, tf-ps, mxnet-kvstore, ...
  std::string title;
  Grouping grouping = Grouping::buckets;
  double first_bucket_bytes = 0;            ///< buckets
  double bucket_bytes = 0;                  ///< buckets and fusion: the cap
  double cycle_s = 0;                       ///< fusion: how often ready tensors are collected
  bool overlapped = true;                   ///< synchronisation runs beside backward
  Library library = Library::nccl;          ///< for a person: what it does is in the other fields
  std::vector<LikelyLibrary> libraries;     ///< that sum, with their versions, the likeliest first; may be empty
  std::vector<LikelyChoice> shardings;      ///< how tensors are placed on servers, the likeliest first (placement.hpp)
  std::vector<Sharding> sharding_choices{}; ///< rules that its user may choose among; none: `shardings` is no choice
  /// How many servers there are, and where, unless the strategy says.
  ServerCount servers{ServerCount::Rule::per_node, 1};
  Placement placement = Placement::colocated;
  NodeReduce node_reduce = NodeReduce::reduce_scatter; ///< before gradients leave for servers
  /// false: with a single machine no server is started, and its GPUs reduce among themselves.
  bool serves_one_machine = true;
  /// Sharding split: tensors this large are cut over all servers; pieces: the largest piece, 0 for BytePS's 4,096,000.
  /// hash does not read it.
  double split_bytes = 0;
  /// fsdp: how often each byte that is gathered or scattered passes the GPU's memory, at its full bandwidth, beside the
  /// transfer: casts, copies into and out of the buffers of collectives.
  double copy_passes = 0;
  std::vector<std::string> transports; ///< in order of preference; the first the cluster has is taken
  std::string one_gpu_as{};            ///< preset whose records say what one GPU does; "": its own
  std::string servers_as{};            ///< preset whose servers and connections these are; "": its own
  std::string source;                  ///< code and version the rules were read in
};

/// The preset whose records say what one GPU of this one does: alone it runs no synchronisation.
inline const std::string& one_gpu_preset(const Preset& preset) {
  return preset.one_gpu_as.empty() ? preset.name : preset.one_gpu_as;
}

/// The preset whose servers a stack has, `stack` itself where its preset names none: what one run teaches of servers
/// holds for every stack that has these.
inline const std::string& servers_preset(const Preset& preset, const std::string& stack) {
  return preset.servers_as.empty() ? stack : preset.servers_as;
}

/// The libraries that sum over a transport, the likeliest first, weights summing to 1: the preset's over that carrier,
/// else the usual one. Over shared memory they are those of the carrier that the preset names first.
std::vector<LikelyChoice> libraries_over(const Preset& preset, const std::string& transport);

/// The likeliest of them.
LibraryVersion likeliest_library(const Preset& preset, const std::string& transport);

/// The choice of a sample whose draw, 0 to 1, falls into it by cumulative weights.
const std::string& choice_at(const std::vector<LikelyChoice>& choices, double draw);

/// The strategy with the preset's count and placement of servers where it leaves them open. Sharding stays open: a
/// preset may hold several rules, of which each sample has one.
Strategy completed(Strategy strategy, const Preset& preset);

/// The transport that the preset's framework takes on a cluster: the one of the name `stated` where the cluster has it;
/// else shared memory on a cluster of one machine, whether its file lists it or not, if the preset can use it; else the
/// first of the preset's that the cluster has; null where it has none of them.
const Transport* transport_for(const Cluster& cluster, const Preset& preset, const std::string& stated = "");

/// Of presets.json. 2: `libraries` instead of the algorithms they take.
inline constexpr int presets_version = 2;

/// The file scenarios/presets.json.
struct PresetCatalogue {
  std::vector<Preset> presets;
};

/// Throws UserError with every mistake of the file.
std::vector<Preset> read_presets(const std::filesystem::path& file);

/// The preset of that name; null where there is none.
const Preset* preset_named(const std::vector<Preset>& presets, const std::string& name);
/// Throws UserError offering the nearest name.
const Preset& find_preset(const std::vector<Preset>& presets, const std::string& name);

// The bucket rule of PyTorch's DistributedDataParallel, as the simulator and the trainer both apply it.

/// Where each bucket ends, one past its last tensor. Tensors in the order their gradients are ready fill a bucket until
/// it holds first_bucket_bytes, later ones bucket_bytes: the tensor that reaches the limit closes its bucket, so a
/// bucket may be larger (torch/csrc/distributed/c10d/reducer.cpp, compute_bucket_assignment_by_size).
inline std::vector<std::size_t> bucket_ends(const std::vector<double>& tensor_bytes, double first_bucket_bytes,
                                            double bucket_bytes) {
  std::vector<std::size_t> ends;
  double open_bytes = 0;
  for (std::size_t tensor = 0; tensor < tensor_bytes.size(); ++tensor) {
    open_bytes += tensor_bytes[tensor];
    const bool full = open_bytes >= (ends.empty() ? first_bucket_bytes : bucket_bytes);
    if (!full && tensor + 1 < tensor_bytes.size()) continue;
    ends.push_back(tensor + 1);
    open_bytes = 0;
  }
  return ends;
}

} // namespace ddlsim
