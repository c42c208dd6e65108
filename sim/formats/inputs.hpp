#pragma once
// Where samples lie, how they are packed, and what decodes them, by name: scenarios/inputs.json.

#include "sim/formats/scenario.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// A rate or a time that is known roughly: 5 % lie below `low`, 5 % above `high`.
struct RoughValue {
  double median = 0; ///< 0: not stated
  double low = 0;
  double high = 0;
  bool operator==(const RoughValue&) const = default;
};

/// What it is over its median, at a z-score of a standard normal: ln of it is normal to each side of the median, with
/// the width of that side.
double factor_at(const RoughValue& value, double z_score);

/// What every entry of the file has.
struct NamedInput {
  std::string name;
  std::string title;
  std::string source;
  std::string judgement;                ///< what of it no measurement says; "" where all is measured
  std::vector<std::string> shaped_by{}; ///< clusters whose runs the figures come from
};

struct NamedDataset : NamedInput {
  double bytes_per_sample = 0; ///< as a file
  double decode_work = 1;      ///< of a sample, in units of an ImageNet JPEG's
};

struct NamedStorage : NamedInput {
  RoughValue read_Bps;           ///< one node, pieces of 1 MB and more; not stated: shared_read_Bps alone limits
  RoughValue shared_read_Bps;    ///< all nodes together; not stated: each node has its own
  RoughValue open_s;             ///< one reader opens one file
  double shared_opens_per_s = 0; ///< files that all nodes together open, at the median of open_s; 0: not stated
  double small_read_share = 1;   ///< of read_Bps, where samples are files of about 100 KB
  bool in_memory = false;        ///< a read is a copy, which the loaders' rates have in them
};

struct NamedFormat : NamedInput {
  bool one_file_a_sample = false; ///< small reads in random order; else large ones in sequence
  double bytes_share = 1;         ///< of a sample as a file
  RoughValue core_share;          ///< of the loader's rate, left after unpacking; not stated: all of it
};

/// What a loader's worker reads itself before it decodes it.
struct WorkersRead {
  bool files = false;    ///< a sample's file
  bool sequence = false; ///< packed samples
  bool operator==(const WorkersRead&) const = default;
};

/// Rates are those of the usual ImageNet training pipeline: decode, crop at random, resize to 224, flip, normalise.
struct NamedLoader : NamedInput {
  RoughValue core_samples_per_s; ///< one core
  RoughValue gpu_samples_per_s;  ///< one GPU, where GPUs decode
  WorkersRead workers_read;      ///< neither: reading is a stage of its own, which runs ahead
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

/// How uncertain rates are that were named and not typed: each is not stated where the scenario has its own figure.
struct InputUncertainty {
  RoughValue read;
  RoughValue shared_read;
  RoughValue open;
  RoughValue core;
  RoughValue core_share;
  RoughValue gpu;
  bool operator==(const InputUncertainty&) const = default;
};

/// A scenario's input with every name looked up, at the medians.
struct ResolvedInput {
  InputPipeline pipeline;
  InputUncertainty uncertainty;
};

/// What is typed beats what a name says.
///   cores   samples/s of a core = the loader's x what the format leaves / the data set's work
///   read    the storage's, times its small_read_share where samples are files
///   open    where samples are files, by `readers_per_node`, else by as many readers as there are cores
///   serial  `readers_per_node` workers, where the loader's read what they decode, and not from memory
/// Throws UserError with every unknown name, at /input/... of `where`.
ResolvedInput resolve_input(const Scenario& scenario, const InputCatalogue& known);

/// A name that the catalogue does not have.
struct UnknownInput {
  std::string key; ///< of "input": dataset, storage, format, loader
  std::string what;
};
std::vector<UnknownInput> unknown_inputs(const InputNames& names, const InputCatalogue& known);

} // namespace ddlsim
