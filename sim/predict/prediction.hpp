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
  bool suspect = false; ///< whether their source or importer marks all records as suspect
};

/// The slowest stage of the input: none is known; decoding; reading or opening files by one node; reading or opening
/// files by all nodes together; workers that first read and then decode.
enum class InputLimit { none, decoding, storage, opening, shared_storage, shared_opening, workers };
/// returns "none", "decoding", "storage", "file-opens", "shared-storage", "shared-file-opens" or "workers"
std::string to_text(InputLimit limit);

/// The rates that storage and decoding must deliver so that no GPU waits for input. Intervals hold 90 % of the samples.
struct InputNeed {
  double samples_per_s = 0; ///< rate of the GPUs without the wait for input
  double storage_Bps = 0;   ///< rate that all nodes need together; 0: the size of a sample is unknown
  double storage_Bps_low = 0;
  double storage_Bps_high = 0;
  double node_cores = 0; ///< number of decoding cores that each node needs; 0: no loader is named, or GPUs decode
  double node_cores_low = 0;
  double node_cores_high = 0;
  int cores_per_node = 0; ///< number of cores that the scenario states; 0: it states none, which sets no limit
  InputLimit limit = InputLimit::none;
  double wait_chance = 0; ///< probability that this stage is slower than the GPUs
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
  int server_nodes = 0;               ///< number of hosts that are bought for servers alone
  double batch_per_gpu = 0;           ///< set only if the question's batch follows from the scale
  std::optional<Strategy> strategy{}; ///< the strategy with its micro-batches at this scale; set only then
  double iteration_s = 0;
  double iteration_s_low = 0;
  double iteration_s_high = 0;
  double samples_per_s = 0;
  double samples_per_s_low = 0;
  double samples_per_s_high = 0;
  double efficiency = 0; ///< samples/s over GPUs x samples/s of one GPU without synchronisation on the same input
  double efficiency_low = 0;
  double efficiency_high = 0;
  double efficiency_per_gpu_bought = 0; ///< efficiency over the workers' GPUs and those of the server_nodes
  double efficiency_per_gpu_bought_low = 0;
  double efficiency_per_gpu_bought_high = 0;
  double samples_per_s_per_node_bought = 0; ///< samples/s over nodes and server_nodes together
  double samples_per_s_per_node_bought_low = 0;
  double samples_per_s_per_node_bought_high = 0;
  double tokens_per_s = 0;     ///< 0 where a sample is not a sequence of tokens
  double flop_utilisation = 0; ///< FLOP of the model, without recomputation, over the peak of the GPUs; 0: not known
  /// The same with half the FLOP of attention's products, which is what a causal mask leaves of them. Equal to
  /// flop_utilisation for a model without attention.
  double flop_utilisation_causal = 0;
  std::optional<PointMemory> memory{}; ///< of the GPU that needs most
  double least_host_memory_bytes = 0;  ///< the least memory that each node needs for offloaded state; 0 without offload
  IterationParts parts{};              ///< the parts of the iteration, which add up to iteration_s
  double mean_staleness = 0;           ///< updates by other workers between a worker's pull and its push; ps-async only
  std::optional<IterationTime> alone{}; ///< time of the iteration without neighbours, where the scenario has some
  std::optional<MeasuredHere> measured{};
  std::optional<InputNeed> input{}; ///< set only if the scenario has input
  std::string bottleneck;
  /// the tensor that alone decides the servers' time, where servers are the largest loss
  std::optional<UnsplitTensor> unsplit_tensor{};
  std::optional<Strategy> best_servers{};          ///< set only if the strategy searches for servers and some run
  std::optional<FoundLayout> best_layout{};        ///< set only if the strategy searches for a layout
  EvidenceLabel evidence = EvidenceLabel::assumed; ///< the weakest evidence among the quantities that decide the number
  bool extrapolated = false;                       ///< the point has more nodes than any measurement behind it
  std::string fidelity;                            ///< how communication was computed: "classes", "full" or "formula"
  double simgrid_messages = 0;                     ///< number of simulated messages behind the shown number
  std::string algorithm;                           ///< algorithm of the largest all-reduce; "" without one
  std::string protocol;                            ///< protocol of that all-reduce; "" if the library has none
  double largest_collective_bytes = 0;             ///< size of that all-reduce
  std::string fidelity_note;                       ///< why the fidelity is an approximation; "" when it is exact
  std::string error; ///< reason why the point is impossible, whose other fields are then 0; "": it is possible
};

/// Largest GPU count, in whole nodes, whose efficiency is still at or above the bound.
struct LargestEfficientScale {
  int gpus = 0; ///< number of GPUs; 0: not even one node reaches the bound
  int gpus_low = 0;
  int gpus_high = 0;
  /// efficiency is still above the bound at the largest scale to which the cluster may grow
  bool beyond_growth = false;
  std::string bottleneck; ///< largest loss at that scale, apart from compute
};

/// The one measurement that would narrow the interval at the largest scale the most.
struct MeasureNext {
  std::string parameter;    ///< name as in priors.json
  std::string what;         ///< the measurement to run, in words
  int at_gpus = 0;          ///< the scale whose interval it narrows
  double interval_now = 0;  ///< half-width of ln(iteration time) now
  double interval_then = 0; ///< half-width once that parameter is known
  /// How the largest all-reduce runs at that scale, because the benchmark must run in the same manner. It is set only
  /// if an all-reduce benchmark measures the parameter and the library has protocols; else "" and 0.
  std::string algorithm{};
  std::string protocol{};
  double all_reduce_bytes = 0;
};

/// The runs that a curve was learnt from: how far they reach here, and on the clusters that lend records.
struct MeasuredReach {
  int gpus = 0;            ///< most GPUs of a run of this stack here; 0: none was measured
  int nodes = 0;           ///< most nodes of a run here with this transport and kind of strategy
  int nodes_elsewhere = 0; ///< the same of clusters that lend records
};

/// How a strategy compares at the GPUs that are at hand.
struct AtHand {
  int gpus = 0;               ///< see gpus_at_hand(); 0: no scale asked for is possible
  double chance_slower = 0;   ///< share of the samples in which it is slower than the fastest; 0 for that one
  bool equally_fast = false;  ///< it is the fastest, or nothing tells it from the fastest
  MeasureNext measure_next{}; ///< as StrategyAnswer::measure_next, for the interval at these GPUs
};

/// Rate of one GPU without synchronisation.
struct OneGpuRate {
  double samples_per_s = 0;
  EvidenceLabel evidence = EvidenceLabel::assumed;
  std::string text; ///< says where the rate comes from
};

struct StrategyAnswer {
  Strategy strategy;
  std::string preset; ///< preset of the strategy, else of the scenario
  Strategy taken;     ///< the strategy completed with the preset's servers, placement and sharding
  /// names of the settings that the strategy leaves open, among servers, placement and sharding
  std::vector<std::string> left_open;
  std::string transport;
  std::string library;         ///< library of the all-reduces with its version: "nccl 2.21.5"; "" for servers
  bool library_stated = false; ///< whether the scenario states the library; else it is the preset's likeliest
  OneGpuRate one_gpu;          ///< the rate of one GPU with that preset
  std::vector<PredictedPoint> points;
  LargestEfficientScale largest_scale;
  /// With how many GPUs the efficiency of `largest_scale` is compared: 1; where no single GPU holds the model, those at
  /// hand.
  int efficient_against_gpus = 1;
  MeasureNext measure_next;
  AtHand at_hand{};
  MeasuredReach measured{};
  std::vector<std::string> why; ///< sentences that explain the point at the largest scale; empty unless requested
};

/// What the names of a question stand for.
struct AskedMachine {
  std::string unit = "samples"; ///< what samples are, in the plural: "images", "sequences" or "samples"
  double tokens_per_sample = 0; ///< 0 where a sample is not a sequence of tokens
  int gpus_per_node = 0;
  double gpu_memory_bytes = 0; ///< 0: not known
  bool needs_shards = false;   ///< whether weights, gradients and optimizer are larger than a GPU's memory
  bool attends = false;        ///< whether the model has attention
  std::string node;            ///< "4 V100-SXM2-16GB"; "8 processes on processors" without a GPU
  std::string network;         ///< "100 Gb/s nccl-ib", "8 x 400 Gb/s nccl-ib"; "" for a transport inside a node
};

/// A file on which the answer depends, with a checksum of its bytes.
struct UsedFile {
  std::string name;
  std::string fnv1a; ///< 64-bit FNV-1a checksum, hexadecimal
};

struct Prediction {
  Scenario scenario;
  std::string gpu;
  OneGpuRate one_gpu; ///< the rate of one GPU with the scenario's preset
  int available_gpus = 0;
  int growth_gpus = 0;
  AskedMachine machine;
  std::vector<StrategyAnswer> strategies;
  /// sentences on what no longer applies, on assumptions about the network, and on what to run
  std::vector<std::string> warnings;
  std::vector<UsedFile> files;
};

std::string version();         ///< returns the version of ddlsim: "0.2.0"
std::string simgrid_version(); ///< returns the version of the SimGrid that it was built with: "3.32"

} // namespace ddlsim
