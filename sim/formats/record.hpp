#pragma once
// Measured records as JSON Lines: platforms/CLUSTER/measurements/*.jsonl. A file has a context line, then records; a
// line "common" states once the fields that the next records share. The format is the same for files that ddltrain
// writes, imported logs and published tables.

#include "sim/formats/names.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/formats/trained_part.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ddlsim {

/// Names with their values, for a reader: {"OMP_NUM_THREADS": "1", ...}.
using Facts = std::map<std::string, std::string>;

/// Name that ddltrain gives to the fake GPU of its tests. Every reader of records refuses such records.
inline constexpr const char* kFakeGpu = "fake GPU";

/// A transport, library, algorithm or statistic that is not stated; a file omits the field.
inline constexpr const char* kUnknown = "unknown";

/// First line of a file: the machine, the software, when and by whom it was run, and the source of the figures. A
/// further context line comes before records with another context.
struct Context {
  std::string cluster;  ///< folder name under platforms/
  std::string gpu;      ///< name in gpus.json; "" if records name it or there is no GPU
  std::string machine;  ///< description of the machine
  std::string software; ///< names and versions of the software
  std::string date;     ///< date of the measurement: "2018", "2018-05", "2018-05-07"
  std::string who;
  std::string source_title;
  std::string source_repository; ///< may be empty, for a user's own runs
  std::string source_path;
  std::string source_commit;
  std::string source_file;  ///< file that the converter read; the records' `from` points into it
  bool emulated = false;    ///< timed waits replace a GPU
  Facts settings;           ///< variables that configure MPI, NCCL, UCX and OpenMP, cores of a rank, the processor
  std::vector<Facts> nodes; ///< differences between nodes: host, GPUs, clocks, place in the batch system
};

/// A spread above 10,000 % of the value is not a measurement, and every reader refuses it.
inline constexpr double most_relative_spread = 100;

/// The fields of every record.
struct RecordHead {
  std::string file; ///< file it was read from
  int line = 0;
  std::string series;    ///< records of one experiment that differ only in scale or size
  std::string from;      ///< JSON pointer into the source file; "" for the user's own runs
  std::string origin;    ///< kind of the source: table, text, plot, run
  std::string gpu;       ///< the GPU that the record states, else that of the context
  std::string device;    ///< device that computed: cpu, cuda; "": not stated
  std::string host;      ///< host of the first rank; "": not stated
  std::string transport; ///< name of the transport: nccl-ib, ..., unknown
  std::string library;  ///< communication library: nccl, intel-mpi, open-mpi, gloo, grpc, ps-lite, byteps, ...; unknown
  std::string software; ///< framework, version, switches ("TensorFlow 1.15; with xla"); "": only the context's
  std::string statistic;      ///< how the value follows from the repetitions: median, mean, best_of, unknown
  int repeats = 0;            ///< number of repetitions; 0: not stated
  double relative_spread = 0; ///< standard deviation over value, at most most_relative_spread; 0: not stated
  bool suspect = false;       ///< the source itself, or its importer, marks the figure as doubtful
  std::string note;
  std::vector<double> samples_s; ///< time of each repetition in the order measured; empty: not stored
};

/// Time of one training iteration, converted from the file's unit.
struct StepRecord {
  RecordHead head;
  std::string model; ///< name of a model variant
  TrainedPart train{};
  double document_tokens = 0; ///< mean length of the documents packed in a sequence; 0: a sequence is one
  Precision precision = Precision::fp32;
  std::optional<bool> matmul_tf32{}; ///< whether products in fp32 used TF32; nothing: as tf32_use() says
  std::optional<bool> conv_tf32{};   ///< whether convolutions in fp32 used TF32
  WirePrecision wire_precision = WirePrecision::unknown;
  double batch_per_gpu = 0;
  /// name of the stack: pytorch-ddp, horovod, tf-ps, ...; a stack without a preset keeps its own name
  std::string preset;
  Strategy strategy;
  std::string algorithm; ///< algorithm of the collective; "unknown"
  int gpus = 0;
  int nodes = 0;
  int gpus_per_node = 0;
  bool synchronised = true; ///< whether the framework synchronised; false: one GPU without synchronisation
  /// The GPU waited for the host's kernel launches, so a larger batch may take no longer.
  bool host_paced = false;
  /// Whether the step includes the optimizer's update. If several GPUs share the optimizer, each updates a part.
  bool optimizer = true;
  std::string data; ///< kind of the input data: synthetic, real
  RunMode mode = RunMode::train;
  double iteration_s = 0; ///< batch_per_gpu x gpus / rate, or the stated time itself
  /// Time of kernels while communication ran over the time of the same kernels alone, from a trace: 1 + interference.
  /// 0: not stated.
  double overlap_slowdown = 0;
  int overlap_kernels = 0; ///< number of kernels that ran both ways; 0: not stated
  /// Added uncertainty of a time that was derived from several GPUs (sim/predict/read_back.hpp): a standard deviation
  /// of ln. 0: measured. Not stored in files.
  double read_back_uncertainty = 0;
  WorkSplit split{};  ///< of the run that the time was derived from; not stored in files
  std::string site{}; ///< site of the cluster that it was measured on, Cluster::site; not stored in files
};

struct CollectiveRecord {
  RecordHead head;
  std::string operation; ///< name of the operation: all_reduce, ...
  std::string algorithm; ///< name of the algorithm: ring, tree, unknown
  int ranks = 0;
  int nodes = 0;
  int concurrent_jobs = 1; ///< jobs that shared the links
  double size_bytes = 0;
  double time_s = 0;
};

struct PointToPointRecord {
  RecordHead head;
  double size_bytes = 0;
  double time_s = 0;      ///< time of a message one way
  int nodes = 0;          ///< 1 for two processes of a node, 2 for two nodes; 0: not stated
  int pairs = 1;          ///< pairs that exchange messages at the same time
  bool both_ways = false; ///< messages in both directions at the same time
};

/// The properties of a layer that do not depend on batch and precision.
struct MeasuredLayer {
  std::string name;
  std::string kind;           ///< kind with the words of Layer, and gemm; "": the model's own table has it
  double flop_per_sample = 0; ///< FLOP of forward, or for a kernel outside a model of each pass; 0: not stated
  double size_bytes = 0;      ///< size of its parameters; 0: none or not stated
};

/// Time of a pass in a layer, for the whole batch.
struct PassTime {
  std::size_t layer = 0; ///< index among the table's layers
  double time_s = 0;
  double relative_spread = 0; ///< standard deviation over time; 0: not stated
};

/// One measurement of a table's layers. It has no time for a layer in which a pass does not run or was not timed.
struct LayerTiming {
  std::string gpu; ///< the GPU that the timing states, else that of the record
  Precision precision = Precision::fp32;
  double batch = 0;
  int count = 0; ///< repetitions behind each time; 0: not stated
  bool suspect = false;
  std::map<LayerPass, std::vector<PassTime>> passes;
};

/// The model name of a table of kernels outside a model.
inline constexpr const char* kKernels = "kernel";

/// A table of layer times: the layers once, and a timing for each GPU, precision and batch.
struct LayersRecord {
  RecordHead head;   ///< head of the record; repeats, spread and samples are empty, because each timing states its own
  std::string model; ///< name of a model variant, or kKernels
  std::vector<MeasuredLayer> layers; ///< layers in forward order, without repeats
  std::vector<LayerTiming> timings;
};

/// Value of `what` in ServerRecord for a server that was measured while workers trained.
inline constexpr const char* kServerInTraining = "training";

/// An upper limit of software: bytes a second through one server, process or channel. For a server during training it
/// is a lower bound of that limit, because workers also compute.
struct ServerRecord {
  RecordHead head;
  std::string what;      ///< operation: push, pull, push-pull (all pushes first, then the pulls), channel, training
  double rate_Bps = 0;   ///< bytes into and out of the server together
  int workers = 0;       ///< workers that use it at the same time; 0: not stated
  int nodes = 0;         ///< nodes of the server and the workers; 0: not stated
  double size_bytes = 0; ///< size of each worker's tensor; 0: not stated
  // Only for `training`; while it was measured:
  std::string preset{};   ///< preset of the server
  double bytes = 0;       ///< bytes received and sent
  long messages = 0;      ///< tensors received and sent
  double processor_s = 0; ///< CPU time of the server's process
};

/// Rate of an input pipeline or of storage.
struct InputRecord {
  RecordHead head;
  std::string what;         ///< part of the input: loader, storage
  double samples_per_s = 0; ///< rate in samples; 0: not stated
  double rate_Bps = 0;      ///< rate in bytes; 0: not stated
};

struct LossRecord {
  RecordHead head;
  std::string model;
  int epoch = 0;
  long step = 0;
  double loss = 0;
  double accuracy = -1; ///< share from 0 to 1; negative: not stated
};

/// Speed-up of a run from one scale to another, for sources that do not state the rates or the batch. Model, batch per
/// GPU and stack are the same on both scales.
struct SpeedUpRecord {
  RecordHead head;
  std::string model; ///< name of a model variant
  Precision precision = Precision::fp32;
  WirePrecision wire_precision = WirePrecision::unknown;
  double batch_per_gpu = 0;
  std::string preset;
  Strategy strategy;
  int gpus = 0;
  int nodes = 0;
  int gpus_per_node = 0; ///< GPUs per node on both scales; a base within one node may use fewer
  int base_gpus = 0;
  int base_nodes = 0;
  double speed_up = 0; ///< rate in samples per second divided by that of the base
  /// grade of the source. A: table or exact chart; B: primary source, incomplete configuration; C: second-hand
  std::string trust;
  std::string base_from; ///< source of the base's figure if the value is computed from two; "": the ratio is stated
  Facts assumed; ///< field of this record -> assumption about it that the source does not state, by whom, and why
};

using Record = std::variant<StepRecord, CollectiveRecord, PointToPointRecord, LayersRecord, ServerRecord, InputRecord,
                            LossRecord, SpeedUpRecord>;

struct MeasurementFile {
  std::filesystem::path file;
  Context context; ///< the first context; later ones have the same cluster, software and `emulated`
  std::vector<Record> records;
  std::vector<std::string> notes{}; ///< settings of the file that no longer have an effect, one sentence each
};

/// Throws UserError with every mistake of the file (the first 50, and the number of others).
MeasurementFile read_measurements(const std::filesystem::path& file);

/// Returns every *.jsonl in platforms/CLUSTER/measurements, sorted by name. An empty or absent folder gives none.
std::vector<std::filesystem::path> measurement_files(const std::filesystem::path& platforms,
                                                     const std::string& cluster);
std::vector<MeasurementFile> read_cluster_measurements(const std::filesystem::path& platforms,
                                                       const std::string& cluster);

const RecordHead& head_of(const Record& record);

/// Returns whether a CPU computed on a machine that has GPUs. Such times say nothing about the GPUs.
bool is_of_processor_beside(const RecordHead& head, const std::string& gpu_of_cluster);
RecordKind kind_of(const Record& record);

/// Whether the record is of training all of a model on whole sequences. Times of other training are only compared with
/// answers, and nothing learns from them.
bool trains_whole_model(const StepRecord& record);

/// Returns all records of one kind, in order.
template <class Kind> std::vector<Kind> records_of(const std::vector<MeasurementFile>& files) {
  std::vector<Kind> found;
  for (const auto& file : files) {
    for (const auto& record : file.records) {
      if (const auto* one = std::get_if<Kind>(&record)) found.push_back(*one);
    }
  }
  return found;
}

/// Writes one line of JSON, which read_measurements() reads back unchanged; `ddlsim import` writes such lines. In
/// tables of layers, times are rounded to five digits and their spreads to two.
std::string to_json_line(const Context& context);
std::string to_json_line(const Record& record);

} // namespace ddlsim
