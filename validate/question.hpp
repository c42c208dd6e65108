#pragma once
// A point to predict, asked as a person would ask `ddlsim predict`.

#include "sim/formats/cluster.hpp"
#include "sim/formats/scenario.hpp"
#include "validate/method.hpp"

namespace ddlsim {

/// The scenario whose only row is the question's point: it names the series, so that the one-GPU time is the series'
/// own, and the transport where the cluster has it; "all-reduce" without an algorithm is what the preset chooses.
/// Throws UserError for what no scenario can say: ranks that do not fill their nodes, a processor of a cluster of GPUs.
Scenario scenario_of(const Question& question, const Cluster& cluster);

} // namespace ddlsim
