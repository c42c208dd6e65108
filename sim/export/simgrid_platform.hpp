#pragma once
// A cluster as a SimGrid platform file: what SimGrid's own tools, and programs under its MPI, read.

#include "sim/iteration/step.hpp"

#include <string>

namespace ddlsim {

/// Platform XML (DTD 4.1) of the nodes that the setup takes, those for servers alone behind the workers'. A node is a
/// host of one core a GPU, each as fast as the model runs on it; its NIC is a link each way; the path between its GPUs
/// is its loopback; leaves of a fat-tree are clusters under an uplink each way. Elsewhere (torus, dragonfly, several levels,
/// static routes, rails that are changed, scattered nodes) every switch with nodes is a cluster, and any two have a way each
/// way over the links that ddlsim's own messages take. Rates and latencies are those that
/// software reaches in this sample, and half of a crossing's latency is at each NIC. The settings that decide SimGrid's
/// times stand in the file. A scenario's slow node is not in it: the file is of the cluster.
/// Throws UserError where a way between any two switches would be more than a file holds, or servers have no place.
std::string simgrid_platform(const StepSetup& setup, const Parameters& sample);

} // namespace ddlsim
