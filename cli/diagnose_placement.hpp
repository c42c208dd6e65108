#pragma once
// How many GPUs of each node the runs of some logs had, and which network ports those reach.

#include "sim/formats/cluster.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/scenario.hpp"

#include <vector>

namespace ddlsim {

/// Whether so many GPUs on so many nodes fill nodes of `gpus_per_node`; true where the number of nodes is not known.
bool fills_nodes(int gpus, int nodes, int gpus_per_node);

/// GPUs that the runs took of each node: all that the scenario takes, where the records fill such nodes, else as many
/// as the records say.
int gpus_taken_of_node(const std::vector<MeasurementFile>& files, const Scenario& scenario, const Cluster& cluster);

/// The cluster with as many ports of each kind as those GPUs reach: NCCL sends by the ports nearest to a GPU, so that
/// half the GPUs of a node have half its ports.
Cluster with_ports_of(Cluster cluster, int gpus_taken);

} // namespace ddlsim
