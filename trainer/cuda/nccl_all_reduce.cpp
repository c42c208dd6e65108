#include "trainer/cuda/nccl_all_reduce.hpp"

namespace ddltrain {
namespace {

constexpr CudaRuntime::Stream kComputing = nullptr; ///< LibTorch's, the default one

} // namespace

NcclAllReduce::NcclAllReduce(std::shared_ptr<const CudaRuntime> cuda, std::shared_ptr<const Nccl> nccl, int gpu,
                             const std::string& id, int rank, int ranks)
    : cuda_(std::move(cuda)), nccl_(std::move(nccl)), gpu_(gpu) {
  cuda_->use_device(gpu_);
  communicator_ = nccl_->join(id, rank, ranks);
  stream_ = cuda_->create_stream();
  computed_ = cuda_->create_event();
  summed_ = cuda_->create_event();
}

NcclAllReduce::~NcclAllReduce() {
  nccl_->leave(communicator_);
  cuda_->destroy_event(computed_);
  cuda_->destroy_event(summed_);
  cuda_->destroy_stream(stream_);
}

void NcclAllReduce::start(float* data, std::size_t count) {
  cuda_->use_device(gpu_); // each thread has its own current GPU, and backward runs on one of LibTorch's
  cuda_->record(computed_, kComputing);
  cuda_->wait_for(stream_, computed_); // for what is recorded now: the event may be recorded again before that is done
  nccl_->all_reduce(communicator_, data, count, stream_);
}

void NcclAllReduce::finish() {
  cuda_->record(summed_, stream_);
  cuda_->wait_for(kComputing, summed_);
}

void NcclAllReduce::sum_now(float* data, std::size_t count) {
  nccl_->all_reduce(communicator_, data, count, stream_);
  cuda_->finish(stream_);
}

} // namespace ddltrain
