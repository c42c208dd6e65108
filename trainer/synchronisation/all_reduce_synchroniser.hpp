#pragma once
#include "trainer/synchronisation/group_reducer.hpp"
#include "trainer/synchronisation/grouping.hpp"
#include "trainer/synchronisation/synchroniser.hpp"

namespace ddltrain {

/// Every worker holds all parameters and updates them with summed gradients, group after group.
/// gradients: flat, by the layout, where `reducer` works. overlapped: a group is started as soon as it is complete;
/// else all are started in finish. Without `reducer` nothing is synchronised: each worker for itself.
std::unique_ptr<Synchroniser> all_reduce_synchroniser(const GradientLayout& layout, float* gradients, Grouping grouping,
                                                      bool overlapped, std::unique_ptr<GroupReducer> reducer,
                                                      Update update);

} // namespace ddltrain
