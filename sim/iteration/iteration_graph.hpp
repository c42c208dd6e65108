#pragma once
// The graph of one iteration of a setup, by whatever strategy.

#include "sim/compute/layer_times.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/scenario.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/step.hpp"
#include "sim/iteration/step_cache.hpp"

namespace ddlsim {

/// Forward, backward, what moves gradients, and the samples of the next iteration beside it. What nobody can place
/// inside an iteration is not in it: the cost of synchronisation itself, the jump at the second node, the wait for the
/// slowest of many steps.
Graph iteration_graph(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape);

/// The same without synchronisation, in which nobody looks into compute.
Graph graph_of_compute(const StepSetup& setup, double compute_s);

/// The layers' share of backward and their gradients.
BackwardShape backward_shape_of(const StepSetup& setup);

/// Time in which a node gets the samples of one iteration, seconds: the longest of
///   samples / loader rate                        the node's cores decode and augment
///   samples x bytes / the node's own read rate
///   nodes x samples x bytes / the shared read rate
/// because loading, reading and training are a pipeline with prefetch; 0 for a scenario without input (synthetic data).
double input_s(const InputPipeline& input, const Storage& storage, int nodes, double samples_per_node);

/// The same for a setup.
double needed_input_s(const StepSetup& setup);

/// Cost of synchronisation itself, without what travels.
double overhead_s(const Parameters& sample, int nodes, double compute_s);

/// What the slow node's compute takes, in units of the others'; 1 on one node, which has none.
double slowdown_of(const StepSetup& setup, const Machine& machine);

/// Asynchronous servers with several workers.
bool nobody_waits(const StepSetup& setup, const Machine& machine);

} // namespace ddlsim
