#include "trainer/train/loss_scale.hpp"

namespace ddltrain {

void LossScale::tell(bool finite) {
  constexpr std::int64_t steps_to_grow = 2000;
  constexpr double growth = 2;
  if (!finite) {
    value_ /= growth;
    steps_ = 0;
  } else if (++steps_ == steps_to_grow) {
    value_ *= growth;
    steps_ = 0;
  }
}

} // namespace ddltrain
