#pragma once
// Samples on their way to the GPUs: read from storage, decoded and augmented by the node's cores, beside the iteration.

#include "sim/files/cluster.hpp"
#include "sim/files/scenario.hpp"

namespace ddlsim {

/// Time in which a node gets the samples of one iteration, seconds: the longest of
///   samples / loader rate, samples x bytes / the node's own read rate, nodes x samples x bytes / the shared read rate
/// because loading, reading and training are a pipeline with prefetch; 0 where the scenario says nothing of input
/// (synthetic data).
double input_s(const InputPipeline& input, const Storage& storage, int nodes, double samples_per_node);

} // namespace ddlsim
