#pragma once
// What a framework does with gradients, as data: scenarios/presets.json.

#include "sim/formats/names.hpp"

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
  double first_bucket_bytes = 0; ///< buckets
  double bucket_bytes = 0;       ///< buckets and fusion: the cap
  double cycle_s = 0;            ///< fusion: how often ready tensors are collected
  bool overlapped = true;        ///< synchronisation runs beside backward
  Library library = Library::nccl;
  std::vector<LikelyChoice> all_reduce; ///< what `auto` and `all-reduce` mean, the likeliest first: ring, tree, ...
  std::vector<LikelyChoice> shardings;  ///< how tensors are placed on servers, the likeliest first (placement.hpp)
  /// Sharding split: tensors this large are cut over all servers; pieces: the largest piece, 0 for BytePS's 4,096,000.
  /// hash does not read it.
  double split_bytes = 0;
  std::vector<std::string> transports; ///< in order of preference; the first the cluster has is taken
  std::string source;                  ///< code and version the rules were read in
};

/// The choice of a sample whose draw, 0 to 1, falls into it by cumulative weights.
const std::string& choice_at(const std::vector<LikelyChoice>& choices, double draw);

/// Throws UserError with every mistake of the file.
std::vector<Preset> read_presets(const std::filesystem::path& file);
const Preset& find_preset(const std::vector<Preset>& presets, const std::string& name);

} // namespace ddlsim
