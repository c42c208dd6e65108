#include "trainer/synchronisation/synchroniser.hpp"

#include "trainer/synchronisation/gradient_groups.hpp"
#include "trainer/synchronisation/work_thread.hpp"

#include <utility>

namespace ddltrain {
namespace {

class ImmediateReducer final : public GroupReducer {
public:
  explicit ImmediateReducer(Reduce reduce) : reduce_(std::move(reduce)) {}
  void start(float* data, std::size_t count) override { reduce_(data, count); }
  void finish() override {}

private:
  Reduce reduce_;
};

class BackgroundReducer final : public GroupReducer {
public:
  explicit BackgroundReducer(Reduce reduce) : reduce_(std::move(reduce)) {}
  void start(float* data, std::size_t count) override {
    thread_.add([this, data, count] { reduce_(data, count); });
  }
  void finish() override { thread_.drain(); }

private:
  Reduce reduce_;
  WorkThread thread_; // the last member, since the thread uses the other one
};

class AfterBackward final : public Synchroniser {
public:
  explicit AfterBackward(std::unique_ptr<Synchroniser> inner) : inner_(std::move(inner)) {}
  void start_step() override { inner_->start_step(); }
  void gradient_ready(std::size_t position) override { ready_.push_back(position); }
  void finish() override {
    for (const std::size_t position : ready_) inner_->gradient_ready(position);
    ready_.clear();
    inner_->finish();
  }

private:
  std::unique_ptr<Synchroniser> inner_;
  std::vector<std::size_t> ready_;
};

class SharingAtStart final : public Synchroniser {
public:
  SharingAtStart(std::unique_ptr<Synchroniser> inner, std::function<void()> share)
      : inner_(std::move(inner)), share_(std::move(share)) {}
  void start_step() override {
    share_();
    inner_->start_step();
  }
  void gradient_ready(std::size_t position) override { inner_->gradient_ready(position); }
  void finish() override { inner_->finish(); }

private:
  std::unique_ptr<Synchroniser> inner_;
  std::function<void()> share_;
};

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
  WorkThread thread_; // the last member, since the thread uses the others
};

} // namespace

std::unique_ptr<GroupReducer> reduce_at_once(Reduce reduce) {
  return std::make_unique<ImmediateReducer>(std::move(reduce));
}

std::unique_ptr<GroupReducer> reduce_beside(Reduce reduce) {
  return std::make_unique<BackgroundReducer>(std::move(reduce));
}

std::unique_ptr<Synchroniser> after_backward(std::unique_ptr<Synchroniser> inner) {
  return std::make_unique<AfterBackward>(std::move(inner));
}

std::unique_ptr<Synchroniser> sharing_at_start(std::unique_ptr<Synchroniser> inner, std::function<void()> share) {
  return std::make_unique<SharingAtStart>(std::move(inner), std::move(share));
}

std::unique_ptr<Synchroniser> staged_synchroniser(const GradientLayout& layout, const float* device, float* host,
                                                  std::shared_ptr<DeviceLink> link, std::unique_ptr<Synchroniser> inner,
                                                  Update after) {
  return std::make_unique<StagedSynchroniser>(layout, device, host, std::move(link), std::move(inner),
                                              std::move(after));
}

namespace {

class AllReduceSynchroniser final : public Synchroniser {
public:
  AllReduceSynchroniser(const GradientLayout& layout, float* gradients, Grouping grouping, bool overlapped,
                        std::unique_ptr<GroupReducer> reducer, Update update)
      : layout_(layout), gradients_(gradients), overlapped_(overlapped), update_(std::move(update)),
        readiness_(group_tensors(layout, grouping), layout.size()), reducer_(std::move(reducer)) {}

  void gradient_ready(std::size_t position) override {
    const auto complete = readiness_.ready(position);
    if (overlapped_) start_groups(complete.first, complete.last);
  }

  void finish() override {
    if (!overlapped_) start_groups(0, readiness_.groups().size());
    if (reducer_) reducer_->finish();
    update_();
    readiness_.start_step();
  }

private:
  void start_groups(std::size_t first, std::size_t last) {
    for (std::size_t group = first; reducer_ && group < last; ++group) {
      const ElementRange elements = elements_of(readiness_.groups()[group], layout_);
      reducer_->start(gradients_ + elements.first, elements.count);
    }
  }

  GradientLayout layout_;
  float* gradients_;
  bool overlapped_;
  Update update_;
  GroupReadiness readiness_;
  std::unique_ptr<GroupReducer> reducer_; // the last member, since its thread may be using the others
};

} // namespace

std::unique_ptr<Synchroniser> all_reduce_synchroniser(const GradientLayout& layout, float* gradients, Grouping grouping,
                                                      bool overlapped, std::unique_ptr<GroupReducer> reducer,
                                                      Update update) {
  return std::make_unique<AllReduceSynchroniser>(layout, gradients, grouping, overlapped, std::move(reducer),
                                                 std::move(update));
}

} // namespace ddltrain
