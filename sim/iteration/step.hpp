#pragma once
// Times one iteration of one strategy at one scale with one sample of the parameters. A prediction does so thousands
// of times.

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

/// What to time: the question with every name replaced by what it names. The referenced objects must outlive this.
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
  double one_gpu_s = 0; ///< time of one GPU's iteration without synchronisation, measured or computed
  int gpus = 1;
  int gpus_per_node = 1;
  bool synchronised = true; ///< whether the GPUs synchronise; false: one GPU runs alone
  SlowNode slow_node{};     ///< used for jobs on two nodes or more
  InputPipeline input{};
  std::optional<Protocol> protocol{};          ///< the only protocol that NCCL may use; nothing: NCCL chooses
  std::optional<CrossEntropy> cross_entropy{}; ///< nothing: the preset's
  std::optional<Optimizer> optimizer{};        ///< nothing: what the one-GPU time has
  /// the nodes of the job and of its neighbours; null: nodes in order, and no neighbours
  std::shared_ptr<const PlacedFabrics> fabrics{};
};

/// Time of one iteration and its parts, which add up to iteration_s. The model discrepancy multiplies the iteration.
/// The part unexplained_s holds the time that it adds or takes away.
struct StepTime {
  double iteration_s = 0;
  IterationParts parts{};
  double mean_staleness = 0; ///< updates by other workers between a parameter's pull and push; ps-async only
  /// name of the exposed part: "communication", "server-link" or "server-software"
  std::string communication = "communication";
  Choice choice;               ///< the engine that timed the communication, and how close that is to a full run
  double simgrid_messages = 0; ///< messages that SimGrid ran for this time
  std::optional<LargestCollective> largest_collective{}; ///< set where gradients are summed by all-reduces
  /// Name of the largest part: compute, bubble, communication, offload, server-link, server-software, synchronisation,
  /// straggling, neighbours or input.
  std::string bottleneck;
  /// the largest part except compute, which is the main loss against perfect scaling; "" for one GPU
  std::string largest_loss;
};

/// Returns the setup with another number of GPUs. Ranks fill nodes in order. One GPU alone needs no synchronisation.
StepSetup on_gpus(StepSetup setup, int gpus, int gpus_per_full_node);

/// Returns how many GPUs that reach each other without a NIC the setup uses: those of a node or of an NVLink domain, or
/// of the part of a domain that a layout uses.
int gpus_of_domain_used(const StepSetup& setup);

/// The machine that consists of the setup's GPUs on the nodes of the job.
Machine machine_of(const StepSetup& setup, const Parameters& sample);

/// The machine of machine_of(). If one of several nodes is slow, it has that node's NIC.
Machine machine_with_slow_node(const StepSetup& setup, const Parameters& sample);

/// The collective library that the strategy names. Where it names none, this sample picks one among the preset's.
LibraryVersion library_of(const StepSetup& setup, const Parameters& sample);

/// How the library of library_of() runs an all-reduce: by the algorithm that the strategy names, else by its own rule.
LibraryRules library_rules_of(const StepSetup& setup, const Parameters& sample);

/// Returns the strategy with its open choices made. Servers and their placement come from the preset. This sample picks
/// the rule of sharding among the preset's.
Strategy strategy_taken(const StepSetup& setup, const Parameters& sample);

/// Whether parameter-server processes run: with several GPUs, unless the job is on one machine and the preset starts no
/// server there.
bool starts_servers(const StepSetup& setup);

/// Number of hosts that run parameter servers and no worker.
int dedicated_server_hosts(const StepSetup& setup, const Parameters& sample);

/// Cost of computing time_step() by the formulas. The unit is one visit of a shard of a kind of server, or of an
/// operation of a pipeline (0.1 us each). The cost of other strategies is 1.
double work_of_step(const StepSetup& setup, const Parameters& sample);

/// Times one iteration. Throws UserError for a strategy that cannot be run at the requested fidelity.
StepTime time_step(const StepSetup& setup, const Parameters& sample, Fidelity fidelity);

/// Time of one all-reduce of `size_bytes` among the setup's GPUs while nothing else runs, seconds: the launch of the
/// operation plus the closed form of the algorithm and protocol that the library chooses.
double lone_all_reduce_s(const StepSetup& setup, const Parameters& sample, double size_bytes);

/// Time of one all-reduce, all-gather or reduce-scatter of `size_bytes` over the ranks of the setup, seconds, with
/// nothing else running.
double lone_collective_s(const StepSetup& setup, const Parameters& sample, CollectiveOperation operation,
                         double size_bytes);

/// The same of an all-to-all in which every rank holds `size_bytes`. The NICs of a slow node delay all of its messages.
double lone_all_to_all_s(const StepSetup& setup, const Parameters& sample, double size_bytes);

/// How evenly latency and bandwidth share the time of lone_all_reduce_s(): 4 p (1 - p), where p is the time for one
/// byte over the time for `size_bytes`. It is 0 where one of them decides alone, and 1 where both take equally long.
double latency_bandwidth_mix(const StepSetup& setup, const Parameters& sample, double size_bytes);

/// The operations that time_step() times, the time span of each, and the engine that timed them.
struct StepRun {
  Graph graph;
  Execution execution;
  Choice choice;
};

/// Runs one iteration and keeps its timeline. Throws UserError as time_step() does.
StepRun run_step(const StepSetup& setup, const Parameters& sample, Fidelity fidelity);

} // namespace ddlsim
