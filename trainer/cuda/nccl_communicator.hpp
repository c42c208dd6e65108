#pragma once
#include "trainer/communication/communicator.hpp"
#include "trainer/cuda/nccl.hpp"

namespace ddltrain {

/// The communicator over NCCL: elements are in GPU memory, one GPU a rank. Its work runs on a stream of its own, and
/// calls block until it is done. Start all transfers of an exchange before waiting: they go out together at wait, and
/// tags are not told apart, as NCCL has none (messages between two ranks arrive in the order started).
class NcclCommunicator final : public Communicator {
public:
  /// id: of Nccl::new_id, drawn on one rank and given by all. The current GPU becomes this rank's.
  NcclCommunicator(std::shared_ptr<const CudaRuntime> cuda, std::shared_ptr<const Nccl> nccl, const std::string& id,
                   int rank, int ranks);
  ~NcclCommunicator() override;

  int rank() const override { return rank_; }
  int size() const override { return ranks_; }
  void barrier() override;
  void broadcast(float* data, std::size_t count, int root) override;
  void all_reduce(float* data, std::size_t count) override;
  Transfer start_send(const float* data, std::size_t count, int to, int tag) override;
  Transfer start_receive(float* data, std::size_t count, int from, int tag) override;
  void wait(std::vector<Transfer>& transfers) override;

private:
  void open_group();

  std::shared_ptr<const CudaRuntime> cuda_;
  std::shared_ptr<const Nccl> nccl_;
  int rank_;
  int ranks_;
  Nccl::Handle communicator_ = nullptr;
  CudaRuntime::Stream stream_ = nullptr;
  float* token_ = nullptr; ///< one element, for the barrier
  bool group_is_open_ = false;
};

} // namespace ddltrain
