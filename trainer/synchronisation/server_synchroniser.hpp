#pragma once
#include "trainer/synchronisation/grouping.hpp"
#include "trainer/synchronisation/server_plan.hpp"
#include "trainer/synchronisation/synchroniser.hpp"

#include <memory>

namespace ddltrain {

/// A worker of parameter servers: pushes gradients and pulls parameters, a message a shard and direction. A group's
/// shards are pushed when the group is complete and pulled in the same breath: the server answers when it can.
/// overlapped: beside backward, by a thread; else all in finish. Fusion is for all-reduces: std::logic_error.
/// Parameters arrive where the model reads them; backward has no more use for them by the time their gradient is ready.
std::unique_ptr<Synchroniser> server_synchroniser(const GradientLayout& layout, const ModelMemory& memory,
                                                  Grouping grouping, bool overlapped, MpiCommunicator& meeting,
                                                  const ServerPlan& plan);

} // namespace ddltrain
