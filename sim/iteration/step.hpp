#pragma once
// One iteration of one strategy at one scale with one sample of the parameters. A prediction runs it thousands of
// times.

#include "sim/collective/collective.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/parameters.hpp"
#include "sim/formats/preset.hpp"
#include "sim/formats/scenario.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/iteration/execution.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/iteration_parts.hpp"
#include "sim/iteration/placed_fabrics.hpp"
#include "sim/library/library_rules.hpp"
#include "sim/simgrid/engine_choice.hpp"
#include "sim/simgrid/executor.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ddlsim {

/// One question with every name looked up; the references must outlive it.
struct StepSetup {
  const Model& model;
  const Gpu& gpu;
  const Cluster& cluster;
  const Preset& preset;
  Transport transport;
  Strategy strategy;
  Precision precision = Precision::fp32;
  double wire_bytes_per_parameter = 4;
  double batch_per_gpu = 0;
  double one_gpu_s = 0; ///< iteration of one GPU without synchronisation, measured or computed
  int gpus = 1;
  int gpus_per_node = 1;
  bool synchronised = true; ///< false: one GPU alone
  SlowNode slow_node{};     ///< of a job on two nodes or more
  InputPipeline input{};
  std::optional<Protocol> protocol{};             ///< the only one that NCCL may take; nothing: it chooses
  std::shared_ptr<const PlacedFabrics> fabrics{}; ///< where the job stands, and what else is there; null: packed, alone
};

/// The parts add up to iteration_s. The model discrepancy multiplies the iteration: what it adds or takes away is
/// unexplained.
struct StepTime {
  double iteration_s = 0;
  IterationParts parts{};
  double mean_staleness = 0;                   ///< updates by others between a parameter's pull and push; ps-async only
  std::string communication = "communication"; ///< name of the exposed part; or server-link, server-software
  Choice choice;               ///< how the communication was run, and how far that may be from a full run
  double simgrid_messages = 0; ///< that were run for it
  std::optional<LargestCollective> largest_collective{}; ///< where gradients are summed by all-reduces
  /// Largest part: compute, bubble, communication, offload, server-link, server-software, synchronisation, straggling,
  /// neighbours, input.
  std::string bottleneck;
  std::string largest_loss; ///< the same without compute: what separates this from perfect scaling; "" for one GPU
};

/// The setup on another number of GPUs: ranks fill nodes; one GPU alone needs no synchronisation.
StepSetup on_gpus(StepSetup setup, int gpus, int gpus_per_full_node);

/// The machine that the setup's GPUs are, where the job stands.
Machine machine_of(const StepSetup& setup, const Parameters& sample);

/// The same with the slow node's NIC, if one of several nodes is slow.
Machine machine_with_slow_node(const StepSetup& setup, const Parameters& sample);

/// The collective library: the strategy's; where it names none, the one of this sample among the preset's.
LibraryVersion library_of(const StepSetup& setup, const Parameters& sample);

/// How it runs an all-reduce: by the algorithm that the strategy names, else by the library's own rule.
LibraryRules library_rules_of(const StepSetup& setup, const Parameters& sample);

/// The strategy with what it leaves open as this sample has it: the preset's servers and their placement, and the
/// sample's choice among the preset's rules of sharding.
Strategy strategy_taken(const StepSetup& setup, const Parameters& sample);

/// Whether processes of servers run: with several GPUs, and not where the preset starts none on its one machine.
bool starts_servers(const StepSetup& setup);

/// Hosts bought for servers alone.
int dedicated_server_hosts(const StepSetup& setup, const Parameters& sample);

/// Cost of a run by the formulas, in visits of a shard of a kind of server, or of an operation of a pipeline (0.1 us each); 1
/// for other strategies.
double work_of_step(const StepSetup& setup, const Parameters& sample);

/// Throws UserError for a strategy that cannot be run by the requested fidelity.
StepTime time_step(const StepSetup& setup, const Parameters& sample, Fidelity fidelity);

/// One all-reduce of so many bytes among the setup's GPUs while nothing else runs, seconds: the launch of the operation
/// and the closed form of the algorithm and protocol that the library takes.
double lone_all_reduce_s(const StepSetup& setup, const Parameters& sample, double size_bytes);

/// How far latency and rate share that time: 4 p (1 - p), with p the time of one byte over it. 0 where either decides,
/// 1 where both take as long.
double latency_bandwidth_mix(const StepSetup& setup, const Parameters& sample, double size_bytes);

/// The operations that time_step() times, and when each of them runs.
struct StepRun {
  Graph graph;
  Execution execution;
  Choice choice;
};

/// Throws UserError as time_step() does.
StepRun run_step(const StepSetup& setup, const Parameters& sample, Fidelity fidelity);

} // namespace ddlsim
