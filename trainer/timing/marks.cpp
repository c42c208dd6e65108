#include "trainer/timing/marks.hpp"

#include "trainer/records/clock.hpp"

#include <vector>

namespace ddltrain {
namespace {

class HostMarks final : public Marks {
public:
  void clear() override { times_s_.clear(); }
  std::size_t mark() override {
    times_s_.push_back(now_s());
    return times_s_.size() - 1;
  }
  void settle() override {}
  double between_s(std::size_t from, std::size_t to) const override { return times_s_.at(to) - times_s_.at(from); }

private:
  std::vector<double> times_s_;
};

} // namespace

std::unique_ptr<Marks> host_marks() {
  return std::make_unique<HostMarks>();
}

} // namespace ddltrain
