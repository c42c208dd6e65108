#pragma once
// What every importer gets besides its file, and what it returns, for `ddlsim import KIND FILE`.

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

/// What the command line states about a file of measurements. An empty member is not stated.
struct ImportContext {
  std::string cluster;  ///< name of the folder under platforms/; the command line or the file must state it
  std::string gpu;      ///< name in gpus.json
  std::string machine;  ///< description of the machine
  std::string software; ///< names and versions of the software
  std::string date;     ///< a date such as 2018, 2018-05 or 2018-05-07
  std::string who;
  std::string title; ///< title of the source
  /// Values that hold for the whole file, by name. For csv these are any optional columns; for nccl-tests operation,
  /// ranks, nodes, transport and algorithm.
  std::map<std::string, std::string> given;
  /// For csv: the file's name for each of our columns (`--map batch_per_gpu=bs`).
  std::map<std::string, std::string> columns;
  /// For kineto: the name of the model of which to make a layer table, with a record of its layers' times. "": no
  /// table.
  std::string table;
  int cluster_gpus_per_node = 0; ///< number of GPUs of each node; 0: not known
  /// Returns the shipped cluster of a name; nothing if there is none. It is called once the file has been read, and may
  /// be empty.
  std::function<std::optional<Cluster>(const std::string& name)> find_cluster;
  std::vector<Gpu> catalogue; ///< GPUs of the catalogue; empty: names of GPUs are taken unchanged from the file
  std::vector<std::string> known_models;   ///< names of the models; empty: names of models are not looked up
  std::vector<std::string> known_clusters; ///< names of the clusters, of which the nearest is suggested
};

/// Records ready to be written, with notes for the user.
struct Imported {
  MeasurementFile measurements;
  std::vector<std::string> notes; ///< sentences on what was excluded or assumed, and why
  std::optional<Model> model;     ///< the layer table that ImportContext::table asked for
};

/// Returns the whole file as JSON Lines: the context, then every record. It ends with a line break.
std::string to_json_lines(const MeasurementFile& measurements);

/// Returns notes on the GPU: which of several `--gpu` was taken for, or that the catalogue lacks it.
std::vector<std::string> notes_on_gpu(const ImportContext& stated, const Imported& read);

// Functions that importers share.

/// Fills in GPU, machine and GPUs per node from the context's shipped cluster unless they are stated.
void fill_from_cluster(ImportContext& context);

/// Determines the GPU of a log: the one that the command line names, else the one that the log names (`device`, as the
/// driver spells it; "": none), else the cluster's. Adds notes if the cluster has another GPU, or if the command line
/// contradicts the log.
void take_logged_gpu(const std::string& device, ImportContext& context, std::vector<std::string>& notes);

/// Returns the context record of FILE, where facts that are not stated are "unknown". Adds mistakes: no cluster, a date
/// of another form. A GPU that the catalogue lacks keeps its name.
Context context_record(const ImportContext& stated, const std::filesystem::path& file, std::vector<Mistake>& mistakes);

/// Throws UserError with the first max_reported_mistakes mistakes by line, and the number of the others. Does nothing
/// without mistakes.
void throw_mistakes(std::vector<Mistake> mistakes);

/// Returns a place in a file: "FILE:LINE".
std::string at_line(const std::filesystem::path& file, int line);

/// Returns the catalogue's name, by match_gpu(), for the name of a device such as "NVIDIA A100-SXM4-40GB". If the
/// catalogue lacks the device, returns its name without the vendor's words.
std::string catalogue_gpu_name(const std::string& device_name, const std::vector<Gpu>& catalogue);

/// Whether the name is in the catalogue. If the catalogue is empty, every name is.
bool in_catalogue(const std::string& gpu, const std::vector<Gpu>& catalogue);

} // namespace ddlsim
