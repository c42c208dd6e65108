#pragma once
// How frameworks synchronise gradients, as data: scenarios/presets.json.

#include "sim/formats/cluster.hpp"
#include "sim/formats/library_version.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/strategy.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// One of several choices of a library, and its probability; the weights of a list sum to 1.
struct LikelyChoice {
  std::string name;
  double weight = 1;
  bool operator==(const LikelyChoice&) const = default;
};

/// A library that may run the all-reduces, and its probability among the preset's libraries over the same carrier.
struct LikelyLibrary {
  LibraryVersion version;
  double weight = 1;
  bool operator==(const LikelyLibrary&) const = default;
};

struct Preset {
  std::string name; ///< name of the preset: pytorch-ddp, pytorch-mpi, horovod, tf-ps, mxnet-kvstore, ...
  std::string title;
  Grouping grouping = Grouping::buckets;
  double first_bucket_bytes = 0;   ///< size of the first bucket, for grouping in buckets
  double bucket_bytes = 0;         ///< largest size of a group, for buckets and fusion
  double cycle_s = 0;              ///< period in which ready tensors are collected, for fusion
  bool overlapped = true;          ///< synchronisation runs in parallel with backward
  Library library = Library::nccl; ///< information for the reader; the other fields determine the simulation
  /// libraries of the all-reduces, with versions, the likeliest first; may be empty
  std::vector<LikelyLibrary> libraries;
  std::vector<LikelyChoice> shardings; ///< rules that place tensors on servers, the likeliest first (placement.hpp)
  std::vector<Sharding> sharding_choices{}; ///< rules that a user may choose; empty: the user cannot choose
  /// Number and place of the servers, unless the strategy states them.
  ServerCount servers{ServerCount::Rule::per_node, 1};
  Placement placement = Placement::colocated;
  NodeReduce node_reduce = NodeReduce::reduce_scatter; ///< applied before gradients are sent to servers
  /// Whether a single machine starts servers; if not, its GPUs run an all-reduce.
  bool serves_one_machine = true;
  /// Smallest size of a tensor that sharding split cuts over all servers, or the largest piece of sharding pieces (0
  /// for BytePS's 4,096,000). hash does not use it.
  double split_bytes = 0;
  /// fsdp: how often each gathered or scattered byte passes through the GPU's memory, at its full bandwidth, beside the
  /// transfer itself: casts, and copies into and out of the buffers of collectives.
  double copy_passes = 0;
  CrossEntropy cross_entropy = CrossEntropy::eager;
  bool fused_activation = false;       ///< the activation of a gated block and the product behind it are one kernel
  std::vector<std::string> transports; ///< transports in order of preference; the first that the cluster has is used
  std::string one_gpu_as{};            ///< preset whose records give the one-GPU times; "": this one
  std::string servers_as{};            ///< preset whose servers and connections are the same; "": this one
  std::string source;                  ///< code and version from which the rules were read
};

/// Returns the preset whose records give the one-GPU times of this one; a single GPU runs no synchronisation.
inline const std::string& one_gpu_preset(const Preset& preset) {
  return preset.one_gpu_as.empty() ? preset.name : preset.one_gpu_as;
}

/// Returns the preset whose servers a stack has, or `stack` itself when its preset names none. Measurements of servers
/// apply to every stack with the same servers.
inline const std::string& servers_preset(const Preset& preset, const std::string& stack) {
  return preset.servers_as.empty() ? stack : preset.servers_as;
}

/// Returns the libraries that run all-reduces over a transport, the likeliest first, with weights that sum to 1. They
/// are the preset's libraries over that carrier, else the usual one. Over shared memory the carrier is the one that the
/// preset names first.
std::vector<LikelyChoice> libraries_over(const Preset& preset, const std::string& transport);

/// Returns the likeliest library of libraries_over().
LibraryVersion likeliest_library(const Preset& preset, const std::string& transport);

/// Returns the choice in whose interval of cumulative weights `draw` (0 to 1) lies.
const std::string& choice_at(const std::vector<LikelyChoice>& choices, double draw);

/// Returns the strategy with the preset's count and placement of servers where it leaves them open. Sharding stays
/// open, because a preset may have several rules and each sample has one of them.
Strategy completed(Strategy strategy, const Preset& preset);

/// Returns the transport that the preset's framework uses on a cluster. It is `stated` if the cluster has it; else
/// shared memory on a cluster of one machine if the preset can use it, even if the file does not list it; else the
/// first of the preset's that the cluster has; null if it has none.
const Transport* transport_for(const Cluster& cluster, const Preset& preset, const std::string& stated = "");

/// Version of presets.json. 2: it has `libraries` in place of the algorithms that they use.
inline constexpr int presets_version = 2;

/// The file scenarios/presets.json.
struct PresetCatalogue {
  std::vector<Preset> presets;
};

/// Throws UserError with every mistake of the file.
std::vector<Preset> read_presets(const std::filesystem::path& file);

/// Returns the preset of that name; null where there is none.
const Preset* preset_named(const std::vector<Preset>& presets, const std::string& name);
/// Throws UserError offering the nearest name.
const Preset& find_preset(const std::vector<Preset>& presets, const std::string& name);

// The bucket rule of PyTorch's DistributedDataParallel, which both the simulator and the trainer apply.

/// Returns the end of each bucket: the index after its last tensor. Tensors, in the order in which their gradients
/// become ready, fill a bucket until it holds first_bucket_bytes, and later buckets until bucket_bytes. The tensor that
/// reaches the limit closes its bucket, so a bucket may be larger (torch/csrc/distributed/c10d/reducer.cpp,
/// compute_bucket_assignment_by_size).
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
