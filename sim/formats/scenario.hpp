#pragma once
// One question: scenarios/NAME.json.

#include "sim/base/json.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/neighbour.hpp"
#include "sim/formats/strategy.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// One node that is not like the others; the job has it wherever it takes two nodes or more.
struct SlowNode {
  double compute_factor = 1; ///< how many times as long its GPUs take, 1 or more
  double network_factor = 1; ///< what its NIC reaches of the others' rate, at most 1

  bool operator==(const SlowNode&) const = default;
};

/// Where samples come from; without it: synthetic data, which costs nothing. A figure of 0 is not known and no limit.
struct InputPipeline {
  double bytes_per_sample = 0;     ///< as stored
  double loader_samples_per_s = 0; ///< what a node decodes and augments, as the asker knows it
  double shared_read_Bps = 0;      ///< what all nodes together read (NFS, Lustre, EFS); 0: only the node's own storage
  double read_Bps = 0;             ///< what one node reads; 0: as the cluster's storage
  double open_s = 0;               ///< a reader's time to open a sample's file
  double shared_opens_per_s = 0;   ///< files that all nodes together open
  double core_samples_per_s = 0;   ///< what one core decodes and augments
  double gpu_samples_per_s = 0;    ///< what one GPU decodes and augments
  int cores = 0;                   ///< of a node, that decode
  int readers = 0;                 ///< of a node, that open files at the same time
  int serial_workers = 0;          ///< of a node, each of which reads a sample and then decodes it; 0: not known

  bool operator==(const InputPipeline&) const = default;
};

/// The same by names of scenarios/inputs.json, with rates that are known roughly; "" and 0: not said.
struct InputNames {
  std::string dataset;
  std::string storage;
  std::string format;
  std::string loader;
  int cores_per_node = 0;
  int readers_per_node = 0;
  bool operator==(const InputNames&) const = default;
};

/// What the asker knows of one GPU without synchronisation.
struct StatedRate {
  double samples_per_s = 0;
  double low = 0; ///< 90 % interval; 0: not stated
  double high = 0;
  double width() const; ///< standard deviation of ln rate that the interval means; 0 without one

  bool operator==(const StatedRate&) const = default;
};

struct Scenario {
  std::string name;
  std::string model;
  double batch_per_gpu = 0;
  Precision precision = Precision::fp32;
  WirePrecision wire_precision = WirePrecision::fp32;
  std::string cluster;
  std::string gpu;       ///< name in gpus.json, of nodes that hold another card; "": the cluster's
  std::vector<int> gpus; ///< ascending
  std::vector<Strategy> strategies;
  std::string preset;
  std::string transport; ///< "": the preset's first that the cluster has
  std::string rank_mapping = "fill-nodes";
  int gpus_per_node = 0;             ///< that ranks take of every node; 0: all that the cluster has
  std::optional<StatedRate> one_gpu; ///< beats every record
  std::string series;                ///< of the cluster's records: whose software and switches are meant; "": any
  std::string software;              ///< part of the records' `software`, where several stacks contradict each other
  SlowNode slow_node;
  InputPipeline input; ///< what is typed
  InputNames input_names;
  CoLocation co_location;
  double efficiency_bound = 0.8;
  std::uint64_t seed = 1;
  int samples = 800;                      ///< draws of the parameters behind an interval
  std::filesystem::path model_file{};     ///< where the model's table is; empty: the shipped one of its name
  std::filesystem::path cluster_folder{}; ///< where its cluster.json is; empty: the shipped one of its name
  std::filesystem::path gpu_file{};       ///< where the entry of `gpu` is; empty: the catalogue
  std::vector<std::string> name_notes{};  ///< what was taken for names that say less; one sentence each
};

/// The scenario that one of its strategies is asked with: the strategy's own preset and transport in place of its.
Scenario scenario_with_preset_of(Scenario scenario, const Strategy& strategy);

/// Throws UserError with every mistake of the file. Names of models, clusters and presets are looked up later, in the
/// data folder, or by `look_up`, which may note more mistakes (read_known_scenario() has one).
/// `changes`, and then `edit`, are applied before it is checked.
Scenario read_scenario(const std::filesystem::path& file, const std::vector<JsonChange>& changes = {},
                       const std::function<void(const Scenario&, const JsonNode&)>& look_up = {},
                       const std::function<void(nlohmann::json&)>& edit = {});

/// The scenario as a file that read_scenario() reads; keys that say nothing beyond their default are left out.
std::string scenario_json(const Scenario& scenario);

} // namespace ddlsim
