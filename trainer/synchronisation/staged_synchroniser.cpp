#include "trainer/synchronisation/staged_synchroniser.hpp"

#include "trainer/synchronisation/work_thread.hpp"

#include <utility>

namespace ddltrain {
namespace {

class StagedSynchroniser final : public Synchroniser {
public:
  StagedSynchroniser(const GradientLayout& layout, const float* device, float* host, std::shared_ptr<DeviceLink> link,
                     std::unique_ptr<Synchroniser> inner, Update after)
      : layout_(layout), device_(device), host_(host), link_(std::move(link)), inner_(std::move(inner)),
        after_(std::move(after)) {}

  void gradient_ready(std::size_t position) override {
    thread_.add([this, position, mark = link_->mark()] {
      const TensorPlace& place = layout_[position];
      link_->fetch(mark, host_ + place.first, device_ + place.first, place.count);
      inner_->gradient_ready(position);
    });
  }

  void finish() override {
    thread_.drain();
    link_->clear();
    inner_->finish();
    after_();
  }

private:
  GradientLayout layout_;
  const float* device_;
  float* host_;
  std::shared_ptr<DeviceLink> link_;
  std::unique_ptr<Synchroniser> inner_;
  Update after_;
  WorkThread thread_; // last: it uses the others
};

} // namespace

std::unique_ptr<Synchroniser> staged_synchroniser(const GradientLayout& layout, const float* device, float* host,
                                                  std::shared_ptr<DeviceLink> link, std::unique_ptr<Synchroniser> inner,
                                                  Update after) {
  return std::make_unique<StagedSynchroniser>(layout, device, host, std::move(link), std::move(inner),
                                              std::move(after));
}

} // namespace ddltrain
