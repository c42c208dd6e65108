#pragma once
// The graph of model parallelism of a setup: its pieces, the groups of ranks that send each other something, and the
// bytes.

#include "sim/iteration/iteration_graph.hpp"
#include "sim/library/library_rules.hpp"
#include "sim/network/machine.hpp"

#include <vector>

namespace ddlsim {

/// The library's rules for a group of ranks: those of the job with the group's ranks and nodes.
LibraryRules rules_of_group(const StepSetup& setup, const Parameters& sample, const Machine& group);

/// Seconds of copying for each byte that is gathered or scattered; 0 where one rank has all parts.
double copy_s_per_byte(const StepSetup& setup, const Machine& machine);

/// The model as the setup's stages cut it; empty where it cannot be cut in that way.
std::vector<PieceShape> pieces_of_layout(const StepSetup& setup);

/// The graph of an iteration of model parallelism. Throws UserError for a layout that cannot be.
Graph graph_of_pipeline(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape);

} // namespace ddlsim
