#pragma once
#include "trainer/synchronisation/server_plan.hpp"
#include "trainer/synchronisation/synchroniser.hpp"
#include "trainer/train/flat_model.hpp"
#include "trainer/train/job.hpp"

namespace ddltrain {

/// The worker's side of the strategy, with communicators of its own. `meeting` and `plan` are for servers only.
/// Collective over the workers.
std::unique_ptr<Synchroniser> make_synchroniser(const Job& job, const TrainOptions& options, const SgdOptions& sgd,
                                                const FlatModel& model, MpiCommunicator& meeting,
                                                const ServerPlan& plan);

} // namespace ddltrain
