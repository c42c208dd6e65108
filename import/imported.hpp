#pragma once
// What every importer takes besides its file, and what it returns: `ddlsim import KIND FILE`.

#include "sim/base/error.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/record.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// What the command line states about a file of measurements. Empty: not stated.
struct ImportContext {
  std::string cluster;  ///< folder name under platforms/; required, here or in the file
  std::string gpu;      ///< name in gpus.json
  std::string machine;  ///< in words
  std::string software; ///< names and versions
  std::string date;     ///< 2018, 2018-05 or 2018-05-07
  std::string who;
  std::string title; ///< of the source
  /// Values that hold for the whole file, by name. CSV: any optional column; nccl-tests: operation, ranks, nodes,
  /// transport, algorithm.
  std::map<std::string, std::string> given;
  /// CSV: what the file calls a column, by our name of the column (`--map batch_per_gpu=bs`).
  std::map<std::string, std::string> columns;
  /// kineto: make a layer table, too, and a record of its layers' times; the model is called so. "": no table.
  std::string table;
  int cluster_gpus_per_node = 0; ///< 0: not known
  /// The shipped cluster of a name, nothing when there is none; may be empty. Called once the file has been read.
  std::function<std::optional<Cluster>(const std::string& name)> find_cluster;
  std::vector<Gpu> catalogue;              ///< empty: GPU names are taken as the file has them
  std::vector<std::string> known_models;   ///< empty: model names are not looked up
  std::vector<std::string> known_clusters; ///< to offer the nearest name of
};

/// Records ready to be written, and what a person should know about them.
struct Imported {
  MeasurementFile measurements;
  std::vector<std::string> notes; ///< what was excluded or assumed, and why; one sentence each
  std::optional<Model> model;     ///< the layer table that ImportContext::table asked for
};

/// The whole file as JSON Lines: the context, then every record; ends with a line break.
std::string to_json_lines(const MeasurementFile& measurements);

/// Notes on the GPU: which of several was taken for `--gpu`, or that the catalogue does not have it.
std::vector<std::string> notes_on_gpu(const ImportContext& stated, const Imported& read);

// For the importers.

/// Fills in GPU, machine and GPUs a node from the shipped cluster of the context, where nobody stated them.
void fill_from_cluster(ImportContext& context);

/// The GPU that ran is the one that a log names (`device`, as the driver calls it; "": none), unless the command line
/// says another; only where neither does it is the cluster's. Notes say when the cluster has another GPU, and when the
/// command line contradicts the log.
void take_logged_gpu(const std::string& device, ImportContext& context, std::vector<std::string>& notes);

/// The context record of FILE; what nobody stated is "unknown". Adds mistakes: no cluster, a date of another form. A
/// GPU that the catalogue does not have keeps its name.
Context context_record(const ImportContext& stated, const std::filesystem::path& file, std::vector<Mistake>& mistakes);

/// Throws UserError with the first max_reported_mistakes by line, and how many more there are; does nothing without
/// mistakes.
void throw_mistakes(std::vector<Mistake> mistakes);

/// "FILE:LINE".
std::string at_line(const std::filesystem::path& file, int line);

/// The catalogue's name of a GPU that calls itself "NVIDIA A100-SXM4-40GB", by match_gpu(); what it calls itself,
/// without the vendor's words, when the catalogue has none.
std::string catalogue_gpu_name(const std::string& device_name, const std::vector<Gpu>& catalogue);

/// Whether it is one of the catalogue's names. With an empty catalogue every name is one.
bool in_catalogue(const std::string& gpu, const std::vector<Gpu>& catalogue);

} // namespace ddlsim
