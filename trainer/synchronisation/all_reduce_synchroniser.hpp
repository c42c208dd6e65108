#pragma once
#include "trainer/synchronisation/grouping.hpp"
#include "trainer/synchronisation/momentum_sgd.hpp"
#include "trainer/synchronisation/synchroniser.hpp"

#include <functional>
#include <memory>

namespace ddltrain {

/// Sums elements over the workers in place; the same bits on all.
using Reduce = std::function<void(float* data, std::size_t count)>;

/// Every worker holds all parameters and updates them with summed gradients, group after group.
/// overlapped: a thread reduces a group as soon as it is complete, beside backward; else all are reduced in finish.
/// `reduce` is called from one thread at a time. Without `reduce` nothing is synchronised: each worker for itself.
std::unique_ptr<Synchroniser> all_reduce_synchroniser(const GradientLayout& layout, const ModelMemory& memory,
                                                      Grouping grouping, bool overlapped, Reduce reduce,
                                                      const SgdOptions& sgd);

} // namespace ddltrain
