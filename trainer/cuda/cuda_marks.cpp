#include "trainer/cuda/cuda_marks.hpp"

#include <vector>

namespace ddltrain {
namespace {

/// Events are made once and used again in every step.
class CudaMarks final : public Marks {
public:
  explicit CudaMarks(std::shared_ptr<const CudaRuntime> cuda) : cuda_(std::move(cuda)) {}
  ~CudaMarks() override {
    for (const CudaRuntime::Event event : events_) cuda_->destroy_event(event);
  }

  void clear() override { used_ = 0; }

  std::size_t mark() override {
    if (used_ == events_.size()) events_.push_back(cuda_->create_event());
    cuda_->record(events_[used_], nullptr);
    return used_++;
  }

  void settle() override {
    if (used_ > 0) cuda_->finish_event(events_[used_ - 1]);
  }

  double between_s(std::size_t from, std::size_t to) const override {
    return cuda_->seconds_between(events_.at(from), events_.at(to));
  }

private:
  std::shared_ptr<const CudaRuntime> cuda_;
  std::vector<CudaRuntime::Event> events_;
  std::size_t used_ = 0;
};

} // namespace

std::unique_ptr<Marks> cuda_marks(std::shared_ptr<const CudaRuntime> cuda) {
  return std::make_unique<CudaMarks>(std::move(cuda));
}

} // namespace ddltrain
