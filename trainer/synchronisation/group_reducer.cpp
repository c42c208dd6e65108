#include "trainer/synchronisation/group_reducer.hpp"

#include "trainer/synchronisation/work_thread.hpp"

#include <utility>

namespace ddltrain {
namespace {

class AtOnce final : public GroupReducer {
public:
  explicit AtOnce(Reduce reduce) : reduce_(std::move(reduce)) {}
  void start(float* data, std::size_t count) override { reduce_(data, count); }
  void finish() override {}

private:
  Reduce reduce_;
};

class Beside final : public GroupReducer {
public:
  explicit Beside(Reduce reduce) : reduce_(std::move(reduce)) {}
  void start(float* data, std::size_t count) override {
    thread_.add([this, data, count] { reduce_(data, count); });
  }
  void finish() override { thread_.drain(); }

private:
  Reduce reduce_;
  WorkThread thread_; // last: it uses the other
};

} // namespace

std::unique_ptr<GroupReducer> reduce_at_once(Reduce reduce) {
  return std::make_unique<AtOnce>(std::move(reduce));
}

std::unique_ptr<GroupReducer> reduce_beside(Reduce reduce) {
  return std::make_unique<Beside>(std::move(reduce));
}

} // namespace ddltrain
