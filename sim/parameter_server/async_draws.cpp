#include "sim/parameter_server/async_draws.hpp"

#include <algorithm>

namespace ddlsim {

ComputeDraws::ComputeDraws(std::uint64_t seed, int worker, int round, double spread) : spread_(spread) {
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U),
                      static_cast<std::uint32_t>(worker), static_cast<std::uint32_t>(round)};
  random_.seed(words);
}

double ComputeDraws::even() {
  constexpr double steps = 9007199254740992.0; // 2^53, the digits of a double
  return (static_cast<double>(random_() >> 11U) + 0.5) / steps;
}

double ComputeDraws::next() {
  constexpr double least = 0.1;
  constexpr int terms = 12; // the variance of an even draw is 1/12
  if (iteration_++ < stirring_iterations) return 2 * even();
  double normal = -0.5 * terms;
  for (int i = 0; i < terms; ++i) {
    normal += even();
  }
  return std::clamp(1 + spread_ * normal, least, 2 - least);
}

} // namespace ddlsim
