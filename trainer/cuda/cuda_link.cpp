#include "trainer/cuda/cuda_link.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ddltrain {
namespace {

class CudaLink final : public DeviceLink {
public:
  CudaLink(std::shared_ptr<const CudaRuntime> cuda, int gpu, std::size_t marks) : cuda_(std::move(cuda)), gpu_(gpu) {
    cuda_->use_device(gpu_);
    stream_ = cuda_->create_stream();
    for (std::size_t i = 0; i < marks; ++i) events_.push_back(cuda_->create_event());
  }
  ~CudaLink() override {
    for (void* const memory : memory_) cuda_->free_host(memory);
    for (const CudaRuntime::Event event : events_) cuda_->destroy_event(event);
    cuda_->destroy_stream(stream_);
  }

  float* host_memory(std::size_t count) override {
    auto* const memory = static_cast<float*>(cuda_->allocate_host(count * sizeof(float)));
    memory_.push_back(memory);
    std::fill_n(memory, count, 0.0F);
    return memory;
  }

  std::size_t mark() override {
    cuda_->use_device(gpu_); // backward runs in a thread of LibTorch
    cuda_->record(events_.at(used_), nullptr);
    return used_++;
  }
  void clear() override { used_ = 0; }

  void fetch(std::size_t mark, float* host, const float* device, std::size_t count) override {
    cuda_->use_device(gpu_);
    cuda_->wait_for(stream_, events_.at(mark));
    cuda_->start_copy_to_host(host, device, count * sizeof(float), stream_);
    cuda_->finish(stream_);
  }

  void store(float* device, const float* host, std::size_t count) override {
    cuda_->copy_to_device(device, host, count * sizeof(float)); // on the default stream, as the work that follows
  }

private:
  std::shared_ptr<const CudaRuntime> cuda_;
  int gpu_;
  CudaRuntime::Stream stream_ = nullptr;
  std::vector<CudaRuntime::Event> events_;
  std::vector<void*> memory_;
  std::size_t used_ = 0; ///< used by the computing thread only
};

} // namespace

std::shared_ptr<DeviceLink> cuda_link(std::shared_ptr<const CudaRuntime> cuda, int gpu, std::size_t marks) {
  return std::make_shared<CudaLink>(std::move(cuda), gpu, marks);
}

} // namespace ddltrain
