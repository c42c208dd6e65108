#pragma once
// Answers a question for one of its strategies.

#include "sim/formats/scenario.hpp"
#include "sim/predict/asked_machine.hpp"
#include "sim/predict/known_files.hpp"
#include "sim/predict/predict.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// One strategy of a question. All that it refers to must outlive it.
struct AskedStrategy {
  const Scenario& scenario;
  const Strategy& strategy;
  const KnownFiles& files;
  const PredictOptions& options;
  std::size_t before = 0; ///< number of strategies that were answered before
  int available_gpus = 0;
};

/// The answer of a strategy, the times of its samples at the scale at hand, and the machine in words.
struct AnsweredStrategy {
  StrategyAnswer answer;
  std::vector<double> at_hand_s;
  AskedMachine machine;
};

/// One GPU with the scenario's preset, without synchronisation.
OneGpuRate rate_of_one_gpu(const Scenario& scenario, const KnownFiles& files);

/// Answers the strategy at all scales. Adds to `warnings` what is assumed.
AnsweredStrategy answer_strategy(const AskedStrategy& asked, std::vector<std::string>& warnings);

} // namespace ddlsim
