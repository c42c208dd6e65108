#include "trainer/cuda/nccl_communicator.hpp"

namespace ddltrain {

NcclCommunicator::NcclCommunicator(std::shared_ptr<const CudaRuntime> cuda, std::shared_ptr<const Nccl> nccl,
                                   const std::string& id, int rank, int ranks)
    : cuda_(std::move(cuda)), nccl_(std::move(nccl)), rank_(rank), ranks_(ranks) {
  communicator_ = nccl_->join(id, rank_, ranks_);
  stream_ = cuda_->create_stream();
  token_ = static_cast<float*>(cuda_->allocate(sizeof(float)));
}

NcclCommunicator::~NcclCommunicator() {
  nccl_->leave(communicator_);
  cuda_->destroy_stream(stream_);
  cuda_->free(token_);
}

void NcclCommunicator::barrier() {
  all_reduce(token_, 1); // NCCL has no barrier; a sum needs every rank
}

void NcclCommunicator::broadcast(float* data, std::size_t count, int root) {
  nccl_->broadcast(communicator_, data, count, root, stream_);
  cuda_->finish(stream_);
}

void NcclCommunicator::all_reduce(float* data, std::size_t count) {
  nccl_->all_reduce(communicator_, data, count, stream_);
  cuda_->finish(stream_);
}

void NcclCommunicator::open_group() {
  if (!group_is_open_) nccl_->start_group();
  group_is_open_ = true;
}

Transfer NcclCommunicator::start_send(const float* data, std::size_t count, int to, int /*tag*/) {
  open_group();
  nccl_->send(communicator_, data, count, to, stream_);
  return {1};
}

Transfer NcclCommunicator::start_receive(float* data, std::size_t count, int from, int /*tag*/) {
  open_group();
  nccl_->receive(communicator_, data, count, from, stream_);
  return {1};
}

void NcclCommunicator::wait(std::vector<Transfer>& transfers) {
  if (group_is_open_) nccl_->end_group();
  group_is_open_ = false;
  cuda_->finish(stream_);
  transfers.assign(transfers.size(), Transfer{});
}

} // namespace ddltrain
