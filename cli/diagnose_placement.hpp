#pragma once
// Finds how many GPUs of each node the logged runs used, and which network ports these reach.

#include "sim/formats/cluster.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/scenario.hpp"

#include <vector>

namespace ddlsim {

/// Whether that many GPUs fill nodes of `gpus_per_node`; true if the number of nodes is not known.
bool fills_nodes(int gpus, int nodes, int gpus_per_node);

/// Returns how many GPUs of each node the runs used: all that the scenario uses if the records fill such nodes, else as
/// many as the records say.
int gpus_taken_of_node(const std::vector<MeasurementFile>& files, const Scenario& scenario, const Cluster& cluster);

/// Returns the cluster with as many ports of each kind as these GPUs reach. NCCL sends through the ports nearest to a
/// GPU, so half the GPUs of a node use half its ports.
Cluster with_ports_of(Cluster cluster, int gpus_taken);

} // namespace ddlsim
