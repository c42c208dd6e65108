#include "trainer/synchronisation/all_reduce_synchroniser.hpp"

#include "trainer/synchronisation/group_readiness.hpp"
#include "trainer/synchronisation/work_thread.hpp"

#include <optional>
#include <utility>

namespace ddltrain {
namespace {

class AllReduceSynchroniser final : public Synchroniser {
public:
  AllReduceSynchroniser(const GradientLayout& layout, const ModelMemory& memory, Grouping grouping, bool overlapped,
                        Reduce reduce, const SgdOptions& sgd)
      : layout_(layout), memory_(memory), reduce_(std::move(reduce)),
        readiness_(group_tensors(layout, grouping), layout.size()), sgd_(element_count(layout), sgd) {
    if (overlapped && reduce_) thread_.emplace();
  }

  void gradient_ready(std::size_t position) override {
    const auto complete = readiness_.ready(position);
    for (std::size_t group = complete.first; thread_ && group < complete.last; ++group) {
      thread_->add([this, group] { reduce_group(group); });
    }
  }

  void finish() override {
    if (thread_) {
      thread_->drain();
    } else if (reduce_) {
      for (std::size_t group = 0; group < readiness_.groups().size(); ++group) reduce_group(group);
    }
    sgd_.update(memory_.parameters, memory_.gradients, 0, element_count(layout_));
    readiness_.start_step();
  }

private:
  void reduce_group(std::size_t group) {
    const ElementRange elements = elements_of(readiness_.groups()[group], layout_);
    reduce_(memory_.gradients + elements.first, elements.count);
  }

  GradientLayout layout_;
  ModelMemory memory_;
  Reduce reduce_;
  GroupReadiness readiness_;
  MomentumSgd sgd_;
  std::optional<WorkThread> thread_; // last: it uses the others
};

} // namespace

std::unique_ptr<Synchroniser> all_reduce_synchroniser(const GradientLayout& layout, const ModelMemory& memory,
                                                      Grouping grouping, bool overlapped, Reduce reduce,
                                                      const SgdOptions& sgd) {
  return std::make_unique<AllReduceSynchroniser>(layout, memory, grouping, overlapped, std::move(reduce), sgd);
}

} // namespace ddltrain
