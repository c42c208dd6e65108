#pragma once
// The answer to a scenario: a curve for each strategy, its largest efficient scale, what dominates there, what to
// measure next.

#include "sim/formats/scenario.hpp"
#include "sim/iteration/server_limits.hpp"
#include "sim/predict/best_layout.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// One strategy at one scale. An interval holds 90 % of the samples.
struct IterationTime {
  double s = 0;
  double s_low = 0;
  double s_high = 0;
};

/// What was measured at a point, by the records of the cluster. The calibration may have used them.
struct MeasuredHere {
  double iteration_s = 0; ///< median of the records
  int records = 0;
  std::string series{}; ///< of the record nearest the median
  bool suspect = false; ///< their source or importer marks all of them as suspect
};

/// What of the input takes longest: nothing that is known, what decodes, a node's reading or opening of files, the same
/// of all nodes together, or that a worker reads and then decodes.
enum class InputLimit { none, decoding, storage, opening, shared_storage, shared_opening, workers };
/// none, decoding, storage, file-opens, shared-storage, shared-file-opens, workers
std::string to_text(InputLimit limit);

/// What storage must deliver and what must decode so that no GPU waits for input. An interval holds 90 % of the
/// samples.
struct InputNeed {
  double samples_per_s = 0; ///< without the wait for input
  double storage_Bps = 0;   ///< all nodes together; 0: the size of a sample is not known
  double storage_Bps_low = 0;
  double storage_Bps_high = 0;
  double node_cores = 0; ///< of every node, that decode; 0: no loader is named, or GPUs decode
  double node_cores_low = 0;
  double node_cores_high = 0;
  int cores_per_node = 0; ///< that the scenario has; 0: not said, and no limit
  InputLimit limit = InputLimit::none;
  double wait_chance = 0; ///< that the limit is slower than the GPUs
};

struct PredictedPoint {
  int gpus = 0;
  int nodes = 0;
  int server_nodes = 0; ///< hosts bought for servers alone
  double iteration_s = 0;
  double iteration_s_low = 0;
  double iteration_s_high = 0;
  double samples_per_s = 0;
  double samples_per_s_low = 0;
  double samples_per_s_high = 0;
  double efficiency = 0; ///< samples/s over GPUs x samples/s of one GPU without synchronisation, on the same input
  double efficiency_low = 0;
  double efficiency_high = 0;
  double efficiency_per_gpu_bought = 0; ///< the same over the workers' GPUs and those of the server_nodes
  double efficiency_per_gpu_bought_low = 0;
  double efficiency_per_gpu_bought_high = 0;
  double samples_per_s_per_node_bought = 0; ///< over nodes and server_nodes together
  double samples_per_s_per_node_bought_low = 0;
  double samples_per_s_per_node_bought_high = 0;
  double tokens_per_s = 0;     ///< where a sample is a sequence of tokens, else 0
  double flop_utilisation = 0; ///< FLOP of the model, without what is computed again, over the GPUs' peak; 0: not known
  double least_memory_bytes = 0;        ///< that each GPU needs at least
  double least_host_memory_bytes = 0;   ///< that each node needs at least for what is offloaded; 0 without offload
  IterationParts parts{};               ///< of iteration_s
  double mean_staleness = 0;            ///< updates by others between a worker's pull and its push; ps-async only
  std::optional<IterationTime> alone{}; ///< without neighbours, where the scenario has some
  std::optional<MeasuredHere> measured{};
  std::optional<InputNeed> input{}; ///< where the scenario has input
  std::string bottleneck;
  std::optional<UnsplitTensor> unsplit_tensor{};   ///< that decides how long servers take, where they cost most
  std::optional<Strategy> best_servers{};          ///< where the strategy seeks them, and servers run
  std::optional<FoundLayout> best_layout{};        ///< where the strategy seeks one
  EvidenceLabel evidence = EvidenceLabel::assumed; ///< the weakest that decides
  bool extrapolated = false;                       ///< on more nodes than any measurement behind it was made on
  std::string fidelity;                            ///< classes, full, formula: what ran the communication
  double simgrid_messages = 0;                     ///< run for the number that is shown
  std::string algorithm;                           ///< of the largest all-reduce; "" where there is none
  std::string protocol;                            ///< "" of a library without protocols
  double largest_collective_bytes = 0;             ///< of that all-reduce
  std::string fidelity_note;                       ///< "" where that is exact; else why it is an approximation
  std::string error;                               ///< not empty: the point cannot be; the other fields are then 0
};

/// Largest GPU count, in whole nodes, whose efficiency is still at or above the bound.
struct LargestEfficientScale {
  int gpus = 0; ///< 0: not even one node reaches the bound
  int gpus_low = 0;
  int gpus_high = 0;
  bool beyond_growth = false; ///< still above the bound at the largest cluster that may be built
  std::string bottleneck;     ///< what costs most there beside compute
};

/// The one measurement that would narrow the interval at the largest scale most.
struct MeasureNext {
  std::string parameter;    ///< as in priors.json
  std::string what;         ///< what to run, in words
  int at_gpus = 0;          ///< the scale whose interval it narrows
  double interval_now = 0;  ///< half-width of ln(iteration time)
  double interval_then = 0; ///< with that parameter known
  /// What decides at that scale, where an all-reduce benchmark teaches the parameter and the library has protocols: the
  /// benchmark has to run the same. "" and 0 elsewhere.
  std::string algorithm{};
  std::string protocol{};
  double sum_bytes = 0;
};

/// One GPU without synchronisation.
struct OneGpuRate {
  double samples_per_s = 0;
  EvidenceLabel evidence = EvidenceLabel::assumed;
  std::string text; ///< where it is known from
};

struct StrategyAnswer {
  Strategy strategy;
  std::string preset; ///< its own, else the scenario's
  Strategy taken;     ///< the same, with the preset's servers, placement and sharding where it leaves them open
  std::vector<std::string> left_open; ///< which of these it leaves open: servers, placement, sharding
  std::string transport;
  std::string library;         ///< that sums, with its version: "nccl 2.21.5"; "" for servers
  bool library_stated = false; ///< by the scenario; else assumed: the likeliest of the preset
  OneGpuRate one_gpu;          ///< with that preset
  std::vector<PredictedPoint> points;
  LargestEfficientScale largest_scale;
  MeasureNext measure_next;
  std::vector<std::string> why; ///< sentences on what the point at the largest scale rests on; none unless asked for
};

/// A file that the answer depends on, with a checksum of its bytes.
struct UsedFile {
  std::string name;
  std::string fnv1a; ///< 64-bit FNV-1a, hexadecimal
};

struct Prediction {
  Scenario scenario;
  std::string gpu;
  OneGpuRate one_gpu; ///< with the scenario's preset
  int available_gpus = 0;
  int growth_gpus = 0;
  std::vector<StrategyAnswer> strategies;
  std::vector<std::string> warnings; ///< what no longer fits, what is assumed of the network, and what to run
  std::vector<UsedFile> files;
};

std::string version();         ///< of ddlsim: "0.1.0"
std::string simgrid_version(); ///< of the SimGrid it was built with: "3.32"

} // namespace ddlsim
