#pragma once
// Builds the graph of one iteration of a setup, for every strategy.

#include "sim/compute/layer_times.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/scenario.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/step.hpp"
#include "sim/iteration/step_cache.hpp"

#include <optional>

namespace ddlsim {

/// The graph of one iteration: forward, backward, the transfers of gradients and parameters, and beside them the input
/// of the next iteration. It leaves out times that have no place inside an iteration: the cost of synchronisation
/// itself, the jump at the second node, and the wait for the slowest of many iterations.
Graph iteration_graph(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape);

/// Returns the same graph and keeps it in `last`. Where the graph of the setup's last sample has the same operations,
/// only its times and rates are replaced.
const Graph& iteration_graph(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape,
                             std::optional<LastGraph>& last);

/// The graph of an iteration without synchronisation: one operation of compute, and the input of the next iteration.
Graph graph_of_compute(const StepSetup& setup, double compute_s, const InputFactors& factors = {});

/// Each layer's share of backward, and the gradients that it gives.
BackwardShape backward_shape_of(const StepSetup& setup);

/// Seconds of one GPU's forward and backward, recomputation included.
double compute_s_of(const StepSetup& setup, const Parameters& sample, const BackwardShape& shape);

/// Seconds that each step of the input pipeline needs for a node's samples of one iteration. The longest counts,
/// because loading, reading and training are a pipeline with prefetch. All are 0 for a scenario without input
/// (synthetic data).
///   decoding        samples / loader rate; else the longer of samples / (cores x core rate) and
///                   samples / (GPUs x GPU rate)
///   storage         samples x bytes / the node's own read rate
///   opening         samples x the time to open a file / readers
///   shared storage  nodes x samples x bytes / the shared read rate
///   shared opening  nodes x samples / files a second that all nodes together open
///   workers         samples x (opening and reading of one sample + decoding by one worker) / workers, where a worker
///                   does one after the other as fast as storage and a core let a single worker: with the limits
///                   above, the least time of workers that do not slow each other
struct InputTimes {
  double decoding_s = 0;
  double storage_s = 0;
  double opening_s = 0;
  double shared_storage_s = 0;
  double shared_opening_s = 0;
  double workers_s = 0;
  double longest_s() const;
};
InputTimes input_times(const InputPipeline& input, const Storage& storage, int nodes, int gpus_per_node,
                       double samples_per_node, const InputFactors& factors = {});

/// The input times of a setup with a sample's factors.
InputTimes input_times(const StepSetup& setup, const InputFactors& factors = {});

/// The longest of the setup's input times, seconds.
double needed_input_s(const StepSetup& setup, const InputFactors& factors = {});

/// Cost of synchronisation in an iteration without any transfer, seconds.
double overhead_s(const Parameters& sample, int nodes, double compute_s);

/// The slow node's compute time over that of the other nodes. It is 1 for a job on one node, which counts as no slow
/// node.
double slowdown_of(const StepSetup& setup, const Machine& machine);

/// Whether workers do not wait for each other: several workers with asynchronous servers.
bool nobody_waits(const StepSetup& setup, const Machine& machine);

} // namespace ddlsim
