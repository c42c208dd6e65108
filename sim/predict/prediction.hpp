#pragma once
// The answer to a scenario: a curve for each strategy, its largest efficient scale, what dominates there, and what to
// measure next.

#include "sim/formats/scenario.hpp"
#include "sim/iteration/memory_parts.hpp"
#include "sim/iteration/server_limits.hpp"
#include "sim/predict/best_layout.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Iteration time of one strategy at one scale, seconds. The interval holds 90 % of the samples.
struct IterationTime {
  double s = 0;
  double s_low = 0;
  double s_high = 0;
};

/// Measurements at a point, from the cluster's records. The calibration may have used them.
struct MeasuredHere {
  double iteration_s = 0; ///< median of the records
  int records = 0;
  std::string series{}; ///< series of the record nearest the median
  bool suspect = false; ///< all records are marked as suspect by their source or importer
};

/// The slowest stage of the input: none that is known, decoding, a node's reading or its opening of files, the reading
/// or opening of all nodes together, or workers that read and then decode.
enum class InputLimit { none, decoding, storage, opening, shared_storage, shared_opening, workers };
/// none, decoding, storage, file-opens, shared-storage, shared-file-opens, workers
std::string to_text(InputLimit limit);

/// The rates that storage and decoding must deliver so that no GPU waits for input. Intervals hold 90 % of the samples.
struct InputNeed {
  double samples_per_s = 0; ///< rate of the GPUs without the wait for input
  double storage_Bps = 0;   ///< all nodes together; 0: the size of a sample is unknown
  double storage_Bps_low = 0;
  double storage_Bps_high = 0;
  double node_cores = 0; ///< decoding cores needed on each node; 0: no loader is named, or GPUs decode
  double node_cores_low = 0;
  double node_cores_high = 0;
  int cores_per_node = 0; ///< cores that the scenario has; 0: not stated, and no limit
  InputLimit limit = InputLimit::none;
  double wait_chance = 0; ///< probability that the limit is slower than the GPUs
};

/// The peak of a GPU's memory, and what the GPU has.
struct PointMemory {
  MemoryParts parts;
  double gpu_bytes = 0;  ///< 0: not known
  double half_width = 0; ///< of ln of the peak, 90 %
  MemoryFit fit = MemoryFit::fits;
  std::string advice; ///< what would make it fit; "" where it does
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
  double efficiency = 0; ///< samples/s over GPUs x samples/s of one GPU without synchronisation, same input
  double efficiency_low = 0;
  double efficiency_high = 0;
  double efficiency_per_gpu_bought = 0; ///< efficiency over the workers' GPUs and those of the server_nodes
  double efficiency_per_gpu_bought_low = 0;
  double efficiency_per_gpu_bought_high = 0;
  double samples_per_s_per_node_bought = 0; ///< per node of nodes and server_nodes together
  double samples_per_s_per_node_bought_low = 0;
  double samples_per_s_per_node_bought_high = 0;
  double tokens_per_s = 0;             ///< 0 if a sample is not a sequence of tokens
  double flop_utilisation = 0;         ///< FLOP of the model, without recomputation, over the GPUs' peak; 0: not known
  std::optional<PointMemory> memory{}; ///< of the GPU that needs most
  double least_host_memory_bytes = 0;  ///< minimum on each node for offloaded state; 0 without offload
  IterationParts parts{};              ///< parts that add up to iteration_s
  double mean_staleness = 0;           ///< updates by other workers between a worker's pull and its push; ps-async only
  std::optional<IterationTime> alone{}; ///< time without neighbours, if the scenario has some
  std::optional<MeasuredHere> measured{};
  std::optional<InputNeed> input{}; ///< only if the scenario has input
  std::string bottleneck;
  std::optional<UnsplitTensor> unsplit_tensor{};   ///< tensor that determines the servers' time, if servers cost most
  std::optional<Strategy> best_servers{};          ///< only if the strategy seeks them and servers run
  std::optional<FoundLayout> best_layout{};        ///< only if the strategy seeks one
  EvidenceLabel evidence = EvidenceLabel::assumed; ///< the weakest evidence among what decides the number
  bool extrapolated = false;                       ///< the point has more nodes than any measurement behind it
  std::string fidelity;                            ///< classes, full, formula: how the communication was computed
  double simgrid_messages = 0;                     ///< number of simulated messages behind the shown number
  std::string algorithm;                           ///< algorithm of the largest all-reduce; "" without one
  std::string protocol;                            ///< "" if the library has no protocols
  double largest_collective_bytes = 0;             ///< size of that all-reduce
  std::string fidelity_note;                       ///< why the fidelity is an approximation; "" when it is exact
  std::string error;                               ///< not empty: the point is impossible, and the other fields are 0
};

/// Largest GPU count, in whole nodes, whose efficiency is still at or above the bound.
struct LargestEfficientScale {
  int gpus = 0; ///< 0: not even one node reaches the bound
  int gpus_low = 0;
  int gpus_high = 0;
  bool beyond_growth = false; ///< still above the bound at the largest cluster that may be built
  std::string bottleneck;     ///< largest loss there beside compute
};

/// The one measurement that would narrow the interval at the largest scale the most.
struct MeasureNext {
  std::string parameter;    ///< as in priors.json
  std::string what;         ///< what to run, in words
  int at_gpus = 0;          ///< the scale whose interval it narrows
  double interval_now = 0;  ///< half-width of ln(iteration time)
  double interval_then = 0; ///< with that parameter known
  /// How the largest all-reduce runs at that scale, because the benchmark must run the same way. Set only if an
  /// all-reduce benchmark measures the parameter and the library has protocols; otherwise "" and 0.
  std::string algorithm{};
  std::string protocol{};
  double all_reduce_bytes = 0;
};

/// Rate of one GPU without synchronisation.
struct OneGpuRate {
  double samples_per_s = 0;
  EvidenceLabel evidence = EvidenceLabel::assumed;
  std::string text; ///< where the rate comes from
};

struct StrategyAnswer {
  Strategy strategy;
  std::string preset;                 ///< the strategy's own, else the scenario's
  Strategy taken;                     ///< the strategy completed with the preset's servers, placement and sharding
  std::vector<std::string> left_open; ///< the names among servers, placement and sharding that it leaves open
  std::string transport;
  std::string library;         ///< library of the all-reduces with its version: "nccl 2.21.5"; "" for servers
  bool library_stated = false; ///< whether the scenario states it; otherwise it is the preset's likeliest
  OneGpuRate one_gpu;          ///< rate with that preset
  std::vector<PredictedPoint> points;
  LargestEfficientScale largest_scale;
  MeasureNext measure_next;
  std::vector<std::string> why; ///< sentences that explain the point at the largest scale; none unless requested
};

/// A file on which the answer depends, with a checksum of its bytes.
struct UsedFile {
  std::string name;
  std::string fnv1a; ///< 64-bit FNV-1a, hexadecimal
};

struct Prediction {
  Scenario scenario;
  std::string gpu;
  OneGpuRate one_gpu; ///< rate with the scenario's preset
  int available_gpus = 0;
  int growth_gpus = 0;
  std::vector<StrategyAnswer> strategies;
  std::vector<std::string> warnings; ///< what no longer applies, assumptions about the network, and what to run
  std::vector<UsedFile> files;
};

std::string version();         ///< version of ddlsim: "0.1.0"
std::string simgrid_version(); ///< version of the SimGrid that it was built with: "3.32"

} // namespace ddlsim
