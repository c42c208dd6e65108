#pragma once
// The graph of one iteration of a setup, by whatever strategy.

#include "sim/compute/layer_times.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/scenario.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/step.hpp"
#include "sim/iteration/step_cache.hpp"

#include <optional>

namespace ddlsim {

/// Forward, backward, what moves gradients, and the samples of the next iteration beside it. What has no place
/// inside an iteration is not in it: the cost of synchronisation itself, the jump at the second node, the wait for the
/// slowest of many steps.
Graph iteration_graph(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape);

/// The same. Where the sample before, of the same setup, gave a graph of the same operations, that is timed anew.
const Graph& iteration_graph(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape,
                             std::optional<LastGraph>& last);

/// The same without synchronisation, in which nobody looks into compute.
Graph graph_of_compute(const StepSetup& setup, double compute_s, const InputFactors& factors = {});

/// The layers' share of backward and their gradients.
BackwardShape backward_shape_of(const StepSetup& setup);

/// Forward and backward of one GPU, and what is computed again: the passes of the shape's recomputation.
double compute_s_of(const StepSetup& setup, const Parameters& sample, const BackwardShape& shape);

/// Times in which a node gets the samples of one iteration, seconds. The longest counts, because loading, reading and
/// training are a pipeline with prefetch. All 0 for a scenario without input (synthetic data).
///   decoding        samples / loader rate; else the longer of samples / (cores x core rate) and
///                   samples / (GPUs x GPU rate)
///   storage         samples x bytes / the node's own read rate
///   opening         samples x the time to open a file / readers
///   shared storage  nodes x samples x bytes / the shared read rate
///   shared opening  nodes x samples / files a second that all nodes together open
///   workers         samples x (opening and reading of one sample + decoding by one worker) / workers, where a worker does
///                   one after the other: alone, as fast as storage and a core let it, so that with the others' limits this
///                   is the least time that workers who keep out of each other's way take
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

/// The same for a setup and a sample's factors.
InputTimes input_times(const StepSetup& setup, const InputFactors& factors = {});

/// The longest of them.
double needed_input_s(const StepSetup& setup, const InputFactors& factors = {});

/// Cost of synchronisation itself, without what travels.
double overhead_s(const Parameters& sample, int nodes, double compute_s);

/// What the slow node's compute takes, in units of the others'; 1 on one node, which has none.
double slowdown_of(const StepSetup& setup, const Machine& machine);

/// Asynchronous servers with several workers.
bool nobody_waits(const StepSetup& setup, const Machine& machine);

} // namespace ddlsim
