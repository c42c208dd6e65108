#pragma once
// What the names of a question stand for: for the first screen of an answer, for charts and for other programs.

#include "sim/predict/ask.hpp"
#include "sim/predict/prediction.hpp"

#include <string>

namespace ddlsim {

/// Returns what stands behind the names of the scenario, whose first strategy has that transport.
AskedMachine asked_machine(const Scenario& scenario, const Model& model, const Cluster& cluster, const Gpu& gpu,
                           const Transport& transport);

/// Returns how a strategy synchronises, in plain words: "NCCL's ring or tree", "a ring", "the best parameter servers",
/// "FSDP", "tensor 8, 4 stages, 16 micro-batches".
std::string strategy_in_words(const StrategyAnswer& answer);

} // namespace ddlsim
