#pragma once
// The batch of a GPU and the number of micro-batches, where a question states the batch of all GPUs or a micro-batch.

#include "sim/formats/model.hpp"
#include "sim/formats/scenario.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// What a question asks of one strategy at scales that have the same batch.
struct QuestionAtScales {
  Scenario scenario;   ///< with its batch of a GPU, and with `gpus` of these scales
  Strategy strategy;   ///< with its micro-batches
  std::string error{}; ///< why the batch does not divide; "": it does
};

/// Returns the question of one strategy, cut where the batch of a GPU or the micro-batches change:
///   batch of a GPU   global batch / GPUs
///   micro-batches    batch of a replica / micro-batch; a replica is a GPU, or those that compute a sample together
/// A scale at which samples or micro-batches are no whole number has an error, with the nearest batches that are.
/// Throws UserError for tokens of a model whose samples are none.
std::vector<QuestionAtScales> questions_of(const Scenario& scenario, const Strategy& strategy, const Model& model);

/// Returns the scenario at one scale, with the batch of a GPU and the micro-batches of all strategies. Throws UserError
/// where they do not divide.
Scenario scenario_at(Scenario scenario, const Model& model, int gpus);

} // namespace ddlsim
