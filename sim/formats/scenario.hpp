#pragma once
// The question for a prediction: scenarios/NAME.json.

#include "sim/base/json.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/neighbour.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/formats/trained_part.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// One node that is slower than the others. A job on two nodes or more always includes it.
struct SlowNode {
  double compute_factor = 1; ///< factor on its GPUs' compute time, 1 or more
  double network_factor = 1; ///< rate of its NIC over the others' rate, at most 1

  bool operator==(const SlowNode&) const = default;
};

/// The source of the samples. Without it data are synthetic and cost nothing. A figure of 0 is not known and sets no
/// limit.
struct InputPipeline {
  double bytes_per_sample = 0;     ///< size of a stored sample
  double loader_samples_per_s = 0; ///< rate at which a node decodes and augments, stated by the user
  double shared_read_Bps = 0;      ///< rate of all nodes together (NFS, Lustre, EFS); 0: only the node's own storage
  double read_Bps = 0;             ///< read rate of one node; 0: that of the cluster's storage
  double open_s = 0;               ///< time of a reader to open a sample's file
  double shared_opens_per_s = 0;   ///< files per second that all nodes together open
  double core_samples_per_s = 0;   ///< rate at which one core decodes and augments
  double gpu_samples_per_s = 0;    ///< rate at which one GPU decodes and augments
  int cores = 0;                   ///< cores of a node that decode
  int readers = 0;                 ///< readers of a node that open files at the same time
  int serial_workers = 0;          ///< workers of a node that each read a sample and then decode it; 0: not known

  bool operator==(const InputPipeline&) const = default;
};

/// Input by names of scenarios/inputs.json, whose rates are known roughly; "" and 0: not stated.
struct InputNames {
  std::string dataset;
  std::string storage;
  std::string format;
  std::string loader;
  int cores_per_node = 0;
  int readers_per_node = 0;
  bool operator==(const InputNames&) const = default;
};

/// The rate of one GPU without synchronisation, stated by the user.
struct StatedRate {
  double samples_per_s = 0;
  double low = 0; ///< lower end of the 90 % interval; 0: not stated
  double high = 0;
  double width() const; ///< returns the standard deviation of ln rate that the interval implies; 0 without an interval

  bool operator==(const StatedRate&) const = default;
};

struct Scenario {
  std::string name;
  std::string model;
  double batch_per_gpu = 0;       ///< 0: `global_batch` or `global_batch_tokens` decides it at each scale
  double global_batch = 0;        ///< samples of all GPUs together; 0: not stated
  double global_batch_tokens = 0; ///< tokens of all GPUs together; 0: not stated
  double micro_batch = 0;         ///< samples of a replica at the same time; 0: the strategies' micro-batches decide it
  int sequence = 0;               ///< tokens of a sample of a model that is a config.json; 0: not stated
  double document_tokens = 0;     ///< mean length of the documents packed in a sequence; 0: a sequence is one
  TrainedPart train{};
  std::optional<Optimizer> optimizer{}; ///< nothing: what the measured times have (usual_optimizer())
  Precision precision = Precision::fp32;
  std::optional<bool> matmul_tf32{}; ///< whether products in fp32 use TF32; nothing: as tf32_use() says
  std::optional<bool> conv_tf32{};   ///< whether convolutions in fp32 use TF32
  WirePrecision wire_precision = WirePrecision::fp32;
  std::optional<CrossEntropy> cross_entropy{}; ///< nothing: the preset's
  std::string cluster;
  std::string gpu;       ///< name in gpus.json if the nodes hold another GPU; "": the cluster's
  std::vector<int> gpus; ///< numbers of GPUs, ascending
  std::vector<Strategy> strategies;
  std::string preset;
  std::string transport; ///< name of a transport; "": the preset's first that the cluster has
  std::string rank_mapping = "fill-nodes";
  int gpus_per_node = 0;             ///< GPUs that ranks use on every node; 0: all
  std::optional<StatedRate> one_gpu; ///< takes precedence over all records
  std::string series;                ///< series of the cluster's records whose software and switches are meant; "": any
  std::string software; ///< part of the records' `software`, to choose between stacks that contradict each other
  SlowNode slow_node;
  InputPipeline input; ///< figures that the scenario states itself
  InputNames input_names;
  CoLocation co_location;
  double efficiency_bound = 0.8;
  std::uint64_t seed = 1;
  int samples = 800;                      ///< draws of the parameters behind an interval
  std::filesystem::path model_file{};     ///< the model's table; empty: the shipped one
  std::filesystem::path cluster_folder{}; ///< folder of its cluster.json; empty: the shipped one
  std::filesystem::path gpu_file{};       ///< file with the entry of `gpu`; empty: the catalogue
  std::vector<std::string> name_notes{};  ///< replacements of imprecise names, one sentence each
};

/// Whether the batch of a GPU, or the number of micro-batches, follows from the scale.
bool batch_follows_scale(const Scenario& scenario);

/// Returns the stated batch in words: "64 samples a GPU", "a global batch of 512 samples in micro-batches of 2".
std::string batch_text(const Scenario& scenario);

/// Returns the scenario with the preset and transport of one of its strategies in place of its own.
Scenario scenario_with_preset_of(Scenario scenario, const Strategy& strategy);

/// Throws UserError with every mistake of the file. Names of models, clusters and presets are looked up later in the
/// data folder, or by `look_up`, which may note more mistakes (read_known_scenario() passes one). `changes`, and then
/// `edit`, are applied before the checks.
Scenario read_scenario(const std::filesystem::path& file, const std::vector<JsonChange>& changes = {},
                       const std::function<void(const Scenario&, const JsonNode&)>& look_up = {},
                       const std::function<void(nlohmann::json&)>& edit = {});

/// Writes the scenario as a file that read_scenario() reads; keys with their default value are omitted.
std::string scenario_json(const Scenario& scenario);

} // namespace ddlsim
