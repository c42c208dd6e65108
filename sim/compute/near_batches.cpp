#include "sim/compute/near_batches.hpp"

#include "sim/formats/batch_line.hpp"

#include <cmath>

namespace ddlsim {
namespace {

/// 1 at its own batch, 0 and below where it is no longer near.
double nearness(double measured_batch, double batch) {
  return 1 - std::abs(std::log(batch / measured_batch)) / std::log(reach_beyond_largest);
}

} // namespace

bool is_near(double measured_batch, double batch) {
  return nearness(measured_batch, batch) > 0;
}

JoinedTime join_near_batches(double time_s, double batch, const std::vector<NearBatch>& near) {
  double weights = 0;
  double ln_sum = 0;
  for (const auto& one : near) {
    const double share = nearness(one.batch, batch);
    if (share <= 0) continue;
    if (share >= 1) return {one.time_s, one.time_s, 0};
    const double weight = share / (1 - share);
    weights += weight;
    ln_sum += weight * std::log(one.time_s);
  }
  if (weights == 0) return {time_s, time_s, 0};
  const double ln_near = ln_sum / weights;
  const double apart = ln_near - std::log(time_s);
  return {time_s * std::exp(apart * weights / (weights + 1)), std::exp(ln_near),
          std::abs(apart) * std::sqrt(weights) / (weights + 1)};
}

} // namespace ddlsim
