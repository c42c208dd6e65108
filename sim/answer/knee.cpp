#include "sim/answer/knee.hpp"

#include "sim/answer/quantile.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// Worlds behind the knee's interval: its ends are whole nodes, 5 worlds beyond each end are enough to place them.
constexpr std::size_t knee_worlds = 100;

/// A curve that has fallen to half of the bound is not followed further: no term of the model brings it back that far.
constexpr double lost_share = 0.5;

int knee_inside_node(const Curve& curve, const Parameters& world, double bound) {
  int gpus = std::min(curve.gpus_per_full_node, curve.growth_gpus);
  while (gpus > 1 && efficiency(curve, world, gpus) < bound) --gpus;
  return gpus;
}

int knee_of_world(const Curve& curve, const Parameters& world, double bound) {
  const int per_node = curve.gpus_per_full_node;
  const int most = std::max(1, curve.growth_gpus / per_node);
  const auto holds = [&](int nodes) { return efficiency(curve, world, nodes * per_node) >= bound; };
  int good = 0;
  int bad = 0;
  for (int nodes = 1; nodes <= most; nodes = nodes < most ? std::min(2 * nodes, most) : most + 1) {
    const double reached = efficiency(curve, world, nodes * per_node);
    if (reached >= bound) {
      good = nodes;
      bad = 0;
    } else if (bad == 0) {
      bad = nodes;
    }
    if (reached < lost_share * bound) break;
  }
  if (good == 0) return knee_inside_node(curve, world, bound);
  while (bad > good + 1) {
    const int middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good * per_node;
}

} // namespace

Knee find_knee(const Curve& curve, double efficiency_bound) {
  Knee knee;
  knee.gpus = knee_of_world(curve, curve.median, efficiency_bound);
  std::vector<int> knees;
  const std::size_t stride = std::max<std::size_t>(1, curve.worlds.values.size() / knee_worlds);
  for (std::size_t i = 0; i < curve.worlds.values.size(); i += stride)
    knees.push_back(knee_of_world(curve, curve.worlds.values[i], efficiency_bound));
  std::sort(knees.begin(), knees.end());
  const auto at = [&](double probability) { // the nearest world's own knee: a whole node
    return knees[static_cast<std::size_t>(std::lround(probability * static_cast<double>(knees.size() - 1)))];
  };
  knee.gpus_low = std::min(knee.gpus, at(low_tail));
  knee.gpus_high = std::max(knee.gpus, at(high_tail));
  knee.beyond_growth = knee.gpus + curve.gpus_per_full_node > curve.growth_gpus;
  knee.bottleneck = time_step(at_scale(curve, knee.gpus), curve.median, Fidelity::quick).largest_loss;
  return knee;
}

} // namespace ddlsim
