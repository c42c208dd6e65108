#include "sim/predict/expert_skew.hpp"

#include <cmath>

namespace ddlsim {

void draw_expert_skew(Draws& samples, const Strategy& strategy, std::uint64_t seed) {
  if (!deals_experts(strategy) || strategy.parallel.expert_imbalance > 0) return;
  constexpr std::uint64_t of_skew = 0x65787065727473; // "experts": a stream that no other draw has
  const auto z_scores = stratified_normals(static_cast<int>(samples.values.size()), 1, seed ^ of_skew);
  for (std::size_t i = 0; i < samples.values.size(); ++i)
    samples.values[i].expert_skew = likeliest_expert_skew * std::pow(expert_skew_factor, z_scores[i][0]);
}

} // namespace ddlsim
