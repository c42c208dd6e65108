#pragma once
#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/synchronisation/gradient_groups.hpp"
#include "trainer/synchronisation/synchroniser.hpp"

namespace ddltrain {

struct FusionOptions {
  std::size_t buffer_bytes = 64 << 20; ///< default of HOROVOD_FUSION_THRESHOLD in horovod/common/operations.cc (0.13)
  double cycle_s = 0.005;              ///< default of HOROVOD_CYCLE_TIME in Horovod 0.13; it is 0.001 since 0.21
};

/// Horovod's way: a thread wakes once a cycle, tells rank 0 which gradients became ready, learns from it which are
/// ready on all ranks, copies those into a buffer, reduces buffer after buffer and copies back. Unlike Horovod's, its
/// cycles rest between steps. gradients: flat, by the layout, in host memory. `negotiation` is the thread's own
/// communicator.
std::unique_ptr<Synchroniser> fusion_synchroniser(const GradientLayout& layout, float* gradients,
                                                  MpiCommunicator& negotiation, Reduce reduce, Update update,
                                                  const FusionOptions& options);

/// Rank 0's part: it records which gradients each rank reported, and finds those that are ready on all.
class FusionCoordinator {
public:
  FusionCoordinator(std::size_t ranks, std::size_t tensors) : ranks_(ranks), said_(tensors) {}
  /// newly_ready: positions of each rank. Returns the positions that are now ready on all, ascending.
  std::vector<std::int64_t> add(const std::vector<std::vector<std::int64_t>>& newly_ready);

private:
  std::size_t ranks_;
  std::vector<std::size_t> said_;
};

} // namespace ddltrain
