#pragma once
// The input of every importer besides its file, and its result: `ddlsim import KIND FILE`.

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
  std::string software; ///< names and versions in words
  std::string date;     ///< 2018, 2018-05 or 2018-05-07
  std::string who;
  std::string title; ///< of the source
  /// Values that hold for the whole file, by name. CSV: any optional column; nccl-tests: operation, ranks, nodes,
  /// transport, algorithm.
  std::map<std::string, std::string> given;
  /// CSV: the file's name for each of our columns (`--map batch_per_gpu=bs`).
  std::map<std::string, std::string> columns;
  /// kineto: the name of the model to make a layer table of, with a record of its layers' times. "": no table.
  std::string table;
  int cluster_gpus_per_node = 0; ///< 0: not known
  /// Finds the shipped cluster of a name, nothing if there is none; may be empty. Called once the file has been read.
  std::function<std::optional<Cluster>(const std::string& name)> find_cluster;
  std::vector<Gpu> catalogue;              ///< empty: GPU names are taken from the file unchanged
  std::vector<std::string> known_models;   ///< empty: model names are not looked up
  std::vector<std::string> known_clusters; ///< to suggest the nearest name
};

/// Records ready to be written, with notes for the user.
struct Imported {
  MeasurementFile measurements;
  std::vector<std::string> notes; ///< what was excluded or assumed, and why; one sentence each
  std::optional<Model> model;     ///< the layer table that ImportContext::table asked for
};

/// The whole file as JSON Lines: the context, then every record. It ends with a line break.
std::string to_json_lines(const MeasurementFile& measurements);

/// Notes on the GPU: which of several `--gpu` was taken for, or that the catalogue lacks it.
std::vector<std::string> notes_on_gpu(const ImportContext& stated, const Imported& read);

// Functions that importers share.

/// Fills in GPU, machine and GPUs per node from the context's shipped cluster unless they are stated.
void fill_from_cluster(ImportContext& context);

/// Determines the GPU of a log: the one that the command line names, else the one that the log names (`device`, as the
/// driver spells it; "": none), else the cluster's. Adds notes if the cluster has another GPU or if the command line
/// contradicts the log.
void take_logged_gpu(const std::string& device, ImportContext& context, std::vector<std::string>& notes);

/// The context record of FILE; facts that are not stated are "unknown". Adds mistakes: no cluster, a date of another
/// form. A GPU that the catalogue lacks keeps its name.
Context context_record(const ImportContext& stated, const std::filesystem::path& file, std::vector<Mistake>& mistakes);

/// Throws UserError with the first max_reported_mistakes by line and the number of the others. Does nothing without
/// mistakes.
void throw_mistakes(std::vector<Mistake> mistakes);

/// A place in a file: "FILE:LINE".
std::string at_line(const std::filesystem::path& file, int line);

/// The catalogue's name, by match_gpu(), for a device name such as "NVIDIA A100-SXM4-40GB". If the catalogue lacks it,
/// the device name without the vendor's words.
std::string catalogue_gpu_name(const std::string& device_name, const std::vector<Gpu>& catalogue);

/// Whether the name is in the catalogue. With an empty catalogue every name is.
bool in_catalogue(const std::string& gpu, const std::vector<Gpu>& catalogue);

} // namespace ddlsim
