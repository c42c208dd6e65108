#pragma once
// Named data sets, storages, file formats and loaders: scenarios/inputs.json.

#include "sim/formats/scenario.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// A rate or time that is known roughly: 5 % of its distribution lie below `low`, 5 % above `high`.
struct RoughValue {
  double median = 0; ///< median of the rate or time; 0: not stated
  double low = 0;
  double high = 0;
  bool operator==(const RoughValue&) const = default;
};

/// Returns the value over its median at a z-score of a standard normal. ln of the value is normal on each side of the
/// median, with a width for each side.
double factor_at(const RoughValue& value, double z_score);

/// Fields of every entry of the file.
struct NamedInput {
  std::string name;
  std::string title;
  std::string source;
  std::string judgement;                ///< the part that no measurement supports; "" when all is measured
  std::vector<std::string> shaped_by{}; ///< clusters from whose runs the figures come
};

struct NamedDataset : NamedInput {
  double bytes_per_sample = 0; ///< size of a sample that is stored as a single file
  double decode_work = 1;      ///< decoding work for a sample, in units of an ImageNet JPEG's
};

struct NamedStorage : NamedInput {
  RoughValue read_Bps; ///< rate of one node that reads pieces of 1 MB and more; not stated: only shared_read_Bps limits
  RoughValue shared_read_Bps; ///< rate of all nodes together; not stated: each node has its own storage
  RoughValue open_s;          ///< time of one reader to open one file
  /// files per second that all nodes together open, at the median of open_s; 0: not stated
  double shared_opens_per_s = 0;
  double small_read_share = 1; ///< share of read_Bps that is reached when samples are files of about 100 KB
  bool in_memory = false;      ///< a read is a copy in memory, which the loaders' rates include
};

struct NamedFormat : NamedInput {
  bool one_file_a_sample = false; ///< true: small reads in random order; false: large reads in sequence
  double bytes_share = 1;         ///< size relative to the sample as a file
  RoughValue core_share;          ///< share of the loader's rate that is left after unpacking; not stated: all of it
};

/// What a loader's worker reads itself before it decodes.
struct WorkersRead {
  bool files = false;    ///< workers read the file of a sample
  bool sequence = false; ///< workers read packed samples
  bool operator==(const WorkersRead&) const = default;
};

/// Rates for the usual ImageNet training pipeline: decode, random crop, resize to 224, flip, normalise.
struct NamedLoader : NamedInput {
  RoughValue core_samples_per_s; ///< rate of one core
  RoughValue gpu_samples_per_s;  ///< rate of one GPU, where GPUs decode
  WorkersRead workers_read;      ///< with neither, reading is a separate stage that runs ahead
};

struct InputCatalogue {
  std::vector<NamedDataset> datasets;
  std::vector<NamedStorage> storages;
  std::vector<NamedFormat> formats;
  std::vector<NamedLoader> loaders;
};

inline constexpr int inputs_version = 1;

/// Throws UserError with every mistake of the file.
InputCatalogue read_inputs(const std::filesystem::path& file);

/// Uncertainty of the rates that come from names. A rate is not stated here if the scenario gives a figure for it.
struct InputUncertainty {
  RoughValue read;
  RoughValue shared_read;
  RoughValue open;
  RoughValue core;
  RoughValue core_share;
  RoughValue gpu;
  bool operator==(const InputUncertainty&) const = default;
};

/// A scenario's input with every name replaced by its figures, at the medians.
struct ResolvedInput {
  InputPipeline pipeline;
  InputUncertainty uncertainty;
};

/// Combines typed figures with those of the names; a typed figure takes precedence.
///   cores   samples/s of a core = the loader's x the share that the format leaves / the data set's decoding work
///   read    the storage's rate, times its small_read_share if samples are files
///   open    only if samples are files; by `readers_per_node`, else by as many readers as there are cores
///   serial  `readers_per_node` workers, if the loader's workers read what they decode, and not from memory
/// Throws UserError with every unknown name, at /input/... of `where`.
ResolvedInput resolve_input(const Scenario& scenario, const InputCatalogue& known);

/// A name that is not in the catalogue.
struct UnknownInput {
  std::string key; ///< key of "input": dataset, storage, format, loader
  std::string what;
};
std::vector<UnknownInput> unknown_inputs(const InputNames& names, const InputCatalogue& known);

} // namespace ddlsim
