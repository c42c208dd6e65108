#pragma once
// Measured records, JSON Lines: platforms/CLUSTER/measurements/*.jsonl. A context line, then records; a line "common"
// says once what the next records have alike.
// One format for what ddltrain writes, for imported logs and for published tables.

#include "sim/formats/names.hpp"
#include "sim/formats/strategy.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ddlsim {

/// Names and what they say, for a reader: {"OMP_NUM_THREADS": "1", ...}.
using Facts = std::map<std::string, std::string>;

/// What ddltrain calls the GPU of its tests, which is none. Such records are refused wherever records are read.
inline constexpr const char* kFakeGpu = "fake GPU";

/// A transport, library, algorithm or statistic that nobody states; a line leaves the field out.
inline constexpr const char* kUnknown = "unknown";

/// First line of a file, and any line that the records after it need anew: which machine, which software, when, who, and where the figures stand.
struct Context {
  std::string cluster;  ///< folder name under platforms/
  std::string gpu;      ///< name in gpus.json; "" when records name it or there is none
  std::string machine;  ///< in words
  std::string software; ///< names and versions
  std::string date;     ///< "2018", "2018-05", "2018-05-07"
  std::string who;
  std::string source_title;
  std::string source_repository; ///< may be empty: a user's own runs
  std::string source_path;
  std::string source_commit;
  std::string source_file;  ///< file the converter read; records' `from` points into it
  bool emulated = false;    ///< timed waits stand for a GPU
  Facts settings;           ///< variables that steer MPI, NCCL, UCX and OpenMP, cores of a rank, the processor
  std::vector<Facts> nodes; ///< what tells one node from another: host, GPUs, clocks, place in the batch system
};

/// A spread of more than 10,000 % of the value is no measurement, and is refused wherever it is read.
inline constexpr double most_relative_spread = 100;

/// What every record has.
struct RecordHead {
  std::string file; ///< file it was read from
  int line = 0;
  std::string series;         ///< records of one experiment that differ in scale or size only
  std::string from;           ///< JSON pointer into the source file; "" for own runs
  std::string origin;         ///< table, text, plot, run
  std::string gpu;            ///< the record's own, else the context's
  std::string device;         ///< what computed: cpu, cuda; "": not stated
  std::string host;           ///< the first rank's; "": not stated
  std::string transport;      ///< nccl-ib, ..., unknown
  std::string library;        ///< nccl, intel-mpi, open-mpi, gloo, grpc, ps-lite, byteps, ...; unknown
  std::string software;       ///< framework, version, switches ("TensorFlow 1.15; with xla"); "": the context's alone
  std::string statistic;      ///< median, mean, best_of, unknown
  int repeats = 0;            ///< 0: not stated
  double relative_spread = 0; ///< standard deviation over value, at most most_relative_spread; 0: not stated
  bool suspect = false;       ///< the source itself, or its importer, doubts it
  std::string note;
  std::vector<double> samples_s; ///< how long each repetition took, in the order measured; empty: not kept
};

/// Time of one training iteration (value converted from whatever unit the file has).
struct StepRecord {
  RecordHead head;
  std::string model; ///< a variant
  Precision precision = Precision::fp32;
  WirePrecision wire_precision = WirePrecision::unknown;
  double batch_per_gpu = 0;
  std::string preset; ///< pytorch-ddp, horovod, tf-ps, ...; a stack not in the presets keeps its own name
  Strategy strategy;
  std::string algorithm; ///< of the collective; "unknown"
  int gpus = 0;
  int nodes = 0;
  int gpus_per_node = 0;
  bool synchronised = true; ///< one GPU under the framework's synchronisation is not one GPU without
  /// The GPU waited for the host, which launches its kernels: a larger batch may take no longer.
  bool host_paced = false;
  /// Whether the step ends with the optimizer's update. On several GPUs that share the optimizer each has a part of it.
  bool optimizer = true;
  std::string data; ///< synthetic, real
  RunMode mode = RunMode::train;
  double iteration_s = 0; ///< batch_per_gpu x gpus / rate, or the time itself
  /// How many times as long kernels took while communication ran as the same kernels alone: 1 + interference, as a
  /// trace shows it. 0: not stated.
  double overlap_slowdown = 0;
  int overlap_kernels = 0; ///< that ran both ways and say so; 0: not stated
  /// Of a time that was read back from several GPUs (sim/predict/read_back.hpp), the doubt that this adds: a standard
  /// deviation of ln. 0: measured. In no file.
  double read_back_uncertainty = 0;
  std::string read_back_site{}; ///< of such a time, where the run was: Cluster::site. In no file.
};

struct CollectiveRecord {
  RecordHead head;
  std::string operation; ///< all_reduce, ...
  std::string algorithm; ///< ring, tree, unknown
  int ranks = 0;
  int nodes = 0;
  int concurrent_jobs = 1; ///< jobs that shared the links
  double size_bytes = 0;
  double time_s = 0;
};

struct PointToPointRecord {
  RecordHead head;
  double size_bytes = 0;
  double time_s = 0;      ///< one way
  int nodes = 0;          ///< 1: between two processes of a node; 2: between nodes; 0: not stated
  int pairs = 1;          ///< that exchange messages at the same time
  bool both_ways = false; ///< messages cross each other
};

/// What a layer is at every batch and in every precision.
struct MeasuredLayer {
  std::string name;
  std::string kind;           ///< as in Layer, and gemm; "": the model's own table says it
  double flop_per_sample = 0; ///< of forward; of a kernel outside a model, of each pass; 0: not stated
  double size_bytes = 0;      ///< of its parameters; 0: none or not stated
};

/// How long a pass took in a layer, for the whole batch.
struct PassTime {
  std::size_t layer = 0; ///< its place among the table's layers
  double time_s = 0;
  double relative_spread = 0; ///< as in RecordHead
};

/// One measurement of a table's layers. Layers that a pass does not run in, or was not timed in, have no time in it.
struct LayerTiming {
  std::string gpu; ///< the timing's own, else the record's
  Precision precision = Precision::fp32;
  double batch = 0;
  int count = 0; ///< repetitions behind each time; 0: not stated
  bool suspect = false;
  std::map<LayerPass, std::vector<PassTime>> passes;
};

/// What a table of kernels outside a model has for the model's name.
inline constexpr const char* kKernels = "kernel";

/// A table of layer times: what the layers are, once, and a timing for each GPU, precision and batch.
struct LayersRecord {
  RecordHead head;                   ///< without repeats, spread and samples: timings have their own
  std::string model;                 ///< variant, or kKernels
  std::vector<MeasuredLayer> layers; ///< in forward order, each name once
  std::vector<LayerTiming> timings;
};

/// What `training` is in ServerRecord: a server while workers train.
inline constexpr const char* kServerInTraining = "training";

/// A software ceiling: bytes a second through one server, process or channel. Of a server while workers train, a bound
/// of it from below: workers compute meanwhile.
struct ServerRecord {
  RecordHead head;
  std::string what;      ///< push, pull, push-pull (all pushes first, then the pulls), channel, training
  double rate_Bps = 0;   ///< bytes in and out of the server together
  int workers = 0;       ///< that talk to it at the same time; 0: not stated
  int nodes = 0;         ///< that server and workers are on; 0: not stated
  double size_bytes = 0; ///< of each worker's tensor; 0: not stated
  // Of `training` only, while it was measured:
  std::string preset{};   ///< whose server
  double bytes = 0;       ///< that came in and went out
  long messages = 0;      ///< tensors that came in and went out
  double processor_s = 0; ///< processor seconds of the server's process
};

/// Input pipeline or storage.
struct InputRecord {
  RecordHead head;
  std::string what;         ///< loader, storage
  double samples_per_s = 0; ///< 0: not stated
  double rate_Bps = 0;      ///< 0: not stated
};

struct LossRecord {
  RecordHead head;
  std::string model;
  int epoch = 0;
  long step = 0;
  double loss = 0;
  double accuracy = -1; ///< share, 0..1; negative: not stated
};

/// How many times as fast a run is on one scale as on another, where the rates or the batch are not stated: the same
/// model, batch a GPU and stack on both.
struct SpeedUpRecord {
  RecordHead head;
  std::string model; ///< a variant
  Precision precision = Precision::fp32;
  WirePrecision wire_precision = WirePrecision::unknown;
  double batch_per_gpu = 0;
  std::string preset;
  Strategy strategy;
  int gpus = 0;
  int nodes = 0;
  int gpus_per_node = 0; ///< of both scales; a base within one node may use fewer
  int base_gpus = 0;
  int base_nodes = 0;
  double speed_up = 0;   ///< samples a second over those of the base
  std::string trust;     ///< A: table or exact chart; B: primary source, incomplete configuration; C: second-hand
  std::string base_from; ///< where the base's figure stands, where the value is computed of two; "": a ratio is stated
  Facts assumed;         ///< field of this record -> what is assumed that the source does not say, by whom, and why
};

using Record = std::variant<StepRecord, CollectiveRecord, PointToPointRecord, LayersRecord, ServerRecord, InputRecord,
                            LossRecord, SpeedUpRecord>;

struct MeasurementFile {
  std::filesystem::path file;
  Context context; ///< the first one; later ones agree in cluster, software and `emulated`
  std::vector<Record> records;
  std::vector<std::string> notes{}; ///< what of the file counts for nothing any more, one sentence each
};

/// Throws UserError with every mistake of the file (the first 50, and how many more).
MeasurementFile read_measurements(const std::filesystem::path& file);

/// Every *.jsonl in platforms/CLUSTER/measurements, by name. An empty or absent folder gives none.
std::vector<std::filesystem::path> measurement_files(const std::filesystem::path& platforms,
                                                     const std::string& cluster);
std::vector<MeasurementFile> read_cluster_measurements(const std::filesystem::path& platforms,
                                                       const std::string& cluster);

const RecordHead& head_of(const Record& record);

/// Did a processor compute, where the machine the record is filed under has GPUs? Such times say nothing of those.
bool is_of_processor_beside(const RecordHead& head, const std::string& gpu_of_cluster);
RecordKind kind_of(const Record& record);

/// All records of one kind, in order.
template <class Kind> std::vector<Kind> records_of(const std::vector<MeasurementFile>& files) {
  std::vector<Kind> found;
  for (const auto& file : files) {
    for (const auto& record : file.records) {
      if (const auto* one = std::get_if<Kind>(&record)) found.push_back(*one);
    }
  }
  return found;
}

/// One line of JSON, and back unchanged by read_measurements: what `ddlsim import` writes. Times of a table of layers are
/// rounded to five digits, their spreads to two.
std::string to_json_line(const Context& context);
std::string to_json_line(const Record& record);

} // namespace ddlsim
