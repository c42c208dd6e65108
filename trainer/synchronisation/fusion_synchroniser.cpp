#include "trainer/synchronisation/fusion_synchroniser.hpp"

#include "trainer/synchronisation/work_thread.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ddltrain {
namespace {

class FusionSynchroniser final : public Synchroniser {
public:
  FusionSynchroniser(const GradientLayout& layout, float* gradients, MpiCommunicator& negotiation, Reduce reduce,
                     Update update, const FusionOptions& options)
      : layout_(layout), gradients_(gradients), negotiation_(negotiation), reduce_(std::move(reduce)),
        update_(std::move(update)), options_(options) {}

  void gradient_ready(std::size_t position) override {
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      first = !std::exchange(in_step_, true);
      ready_.push_back(static_cast<std::int64_t>(position));
    }
    if (first) thread_.add([this] { run_cycles(); });
  }

  void finish() override {
    thread_.drain();
    in_step_ = false;
    update_();
  }

private:
  /// All ranks get the same answer in every cycle, so all leave after the same cycle.
  void run_cycles() {
    FusionCoordinator coordinator(static_cast<std::size_t>(negotiation_.size()), layout_.size());
    std::size_t reduced = 0;
    auto wake = std::chrono::steady_clock::now();
    while (reduced < layout_.size()) {
      wake += std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(options_.cycle_s));
      std::this_thread::sleep_until(wake);
      const std::vector<std::int64_t> agreed = negotiate(coordinator);
      reduce_agreed(agreed);
      reduced += agreed.size();
    }
  }

  std::vector<std::int64_t> negotiate(FusionCoordinator& coordinator) {
    std::vector<std::int64_t> mine;
    {
      const std::lock_guard lock(mutex_);
      mine.swap(ready_);
    }
    const auto newly_ready = negotiation_.gather(mine, 0);
    std::vector<std::int64_t> agreed;
    if (negotiation_.rank() == 0) agreed = coordinator.add(newly_ready);
    negotiation_.broadcast(agreed, 0);
    return agreed;
  }

  /// Puts as many tensors in a buffer as fit; a tensor larger than the buffer is reduced alone.
  void reduce_agreed(const std::vector<std::int64_t>& agreed) {
    std::vector<TensorPlace> fused;
    std::size_t count = 0;
    for (const std::int64_t position : agreed) {
      const TensorPlace& place = layout_[static_cast<std::size_t>(position)];
      if (!fused.empty() && (count + place.count) * sizeof(float) > options_.buffer_bytes) {
        reduce_buffer(fused, count);
        fused.clear();
        count = 0;
      }
      fused.push_back(place);
      count += place.count;
    }
    if (!fused.empty()) reduce_buffer(fused, count);
  }

  void reduce_buffer(const std::vector<TensorPlace>& tensors, std::size_t count) {
    buffer_.resize(std::max(buffer_.size(), count));
    float* at = buffer_.data();
    for (const TensorPlace& place : tensors) {
      at = std::copy_n(gradients_ + place.first, place.count, at);
    }
    reduce_(buffer_.data(), count);
    const float* from = buffer_.data();
    for (const TensorPlace& place : tensors) {
      std::copy_n(from, place.count, gradients_ + place.first);
      from += place.count;
    }
  }

  GradientLayout layout_;
  float* gradients_;
  MpiCommunicator& negotiation_;
  Reduce reduce_;
  Update update_;
  FusionOptions options_;
  std::vector<float> buffer_;
  std::mutex mutex_;
  std::vector<std::int64_t> ready_; // guarded by mutex_, like in_step_
  bool in_step_ = false;
  WorkThread thread_; // the last member, since the thread uses the others
};

} // namespace

std::vector<std::int64_t> FusionCoordinator::add(const std::vector<std::vector<std::int64_t>>& newly_ready) {
  std::vector<std::int64_t> on_all;
  for (const auto& positions : newly_ready) {
    for (const std::int64_t position : positions) {
      if (++said_.at(static_cast<std::size_t>(position)) == ranks_) on_all.push_back(position);
    }
  }
  std::sort(on_all.begin(), on_all.end());
  return on_all;
}

std::unique_ptr<Synchroniser> fusion_synchroniser(const GradientLayout& layout, float* gradients,
                                                  MpiCommunicator& negotiation, Reduce reduce, Update update,
                                                  const FusionOptions& options) {
  return std::make_unique<FusionSynchroniser>(layout, gradients, negotiation, std::move(reduce), std::move(update),
                                              options);
}

} // namespace ddltrain
