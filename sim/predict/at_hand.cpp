#include "sim/predict/at_hand.hpp"

#include "sim/base/statistics.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/iteration/memory_fit.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/predict/prediction_sentences.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// Chance of being slower from which on a strategy is called slower: one error in ten, as of the 90 % intervals.
constexpr double surely_slower = 0.9;

bool overflows(const PredictedPoint& point) {
  return point.memory && point.memory->fit == MemoryFit::too_large;
}

/// Whether the point `a` is a better one to take than `b`.
bool is_better(const PredictedPoint& a, const PredictedPoint& b) {
  if (overflows(a) != overflows(b)) return overflows(b);
  return a.samples_per_s > b.samples_per_s;
}

/// The strategy with the best point at that scale, by its place; the number of strategies when there is none.
std::size_t best_at(const Prediction& prediction, int gpus) {
  const auto& answers = prediction.strategies;
  std::size_t best = answers.size();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto* point = point_at(answers[i], gpus);
    if (point != nullptr && (best == answers.size() || is_better(*point, *point_at(answers[best], gpus)))) best = i;
  }
  return best;
}

/// Share of the samples in which `other` takes longer than `one`. The samples are by formulas, so their ratio is moved to
/// that of the numbers shown.
double share_slower(const std::vector<double>& other_s, const std::vector<double>& one_s, double ln_ratio) {
  const auto count = std::min(other_s.size(), one_s.size());
  if (count == 0) return ln_ratio > 0 ? 1 : 0;
  std::vector<double> ln_ratios;
  for (std::size_t i = 0; i < count; ++i) ln_ratios.push_back(std::log(other_s[i] / one_s[i]));
  const double shift = ln_ratio - median(ln_ratios);
  const auto slower =
      std::count_if(ln_ratios.begin(), ln_ratios.end(), [&](double ratio) { return ratio + shift > 0; });
  return static_cast<double>(slower) / static_cast<double>(count);
}

/// Whether the strategy is faster at its largest scale by more than a repeat of a run differs.
bool grows_better(const StrategyAnswer& answer, const StrategyAnswer& best) {
  const double ratio = largest_possible(answer)->samples_per_s / largest_possible(best)->samples_per_s;
  return std::log(ratio) > ModelConstants{}.unstated_noise;
}

} // namespace

int gpus_at_hand(const std::vector<PredictedPoint>& points, int available_gpus) {
  int largest = 0;
  int smallest = 0;
  for (const auto& point : points) {
    if (!point.error.empty()) continue;
    if (smallest == 0) smallest = point.gpus;
    if (point.gpus <= available_gpus) largest = point.gpus;
  }
  return largest > 0 ? largest : smallest;
}

int gpus_at_hand(const Prediction& prediction) {
  int largest = 0;
  int smallest = 0;
  for (const auto& answer : prediction.strategies) {
    const int gpus = answer.at_hand.gpus;
    if (gpus == 0) continue;
    if (gpus <= prediction.available_gpus) largest = std::max(largest, gpus);
    smallest = smallest == 0 ? gpus : std::min(smallest, gpus);
  }
  return largest > 0 ? largest : smallest;
}

const PredictedPoint* point_at(const StrategyAnswer& answer, int gpus) {
  const auto found = std::find_if(answer.points.begin(), answer.points.end(), [&](const PredictedPoint& point) {
    return point.gpus == gpus && point.error.empty();
  });
  return found == answer.points.end() ? nullptr : &*found;
}

bool fits_on_one_gpu(const Curve& curve) {
  auto setup = on_gpus(curve.setup, 1, curve.gpus_per_full_node);
  if (is_model_parallel(setup.strategy.name)) { // its degrees need several GPUs
    setup.strategy = {};
    setup.strategy.name = StrategyName::automatic;
  }
  return memory_fit(peak_memory(setup).total(), setup.gpu, setup.model) != MemoryFit::too_large;
}

void compare_at_hand(const std::vector<std::vector<double>>& samples_s, Prediction& prediction) {
  const int gpus = gpus_at_hand(prediction);
  const auto best = best_at(prediction, gpus);
  if (best == prediction.strategies.size()) return;
  const auto& fastest = *point_at(prediction.strategies[best], gpus);
  for (std::size_t i = 0; i < prediction.strategies.size(); ++i) {
    auto& there = prediction.strategies[i].at_hand;
    const auto* point = point_at(prediction.strategies[i], gpus);
    if (point == nullptr || there.gpus != gpus) continue;
    const double ln_ratio = std::log(fastest.samples_per_s / point->samples_per_s);
    there.chance_slower = i == best ? 0 : share_slower(samples_s[i], samples_s[best], ln_ratio);
    const bool is_close = ln_ratio <= ModelConstants{}.unstated_noise || there.chance_slower < surely_slower;
    there.equally_fast = i == best || (is_close && overflows(*point) == overflows(fastest));
  }
}

const StrategyAnswer* recommended_answer(const Prediction& prediction) {
  const StrategyAnswer* best = nullptr;
  for (const auto& answer : prediction.strategies) {
    if (!answer.at_hand.equally_fast) continue;
    if (best == nullptr || grows_better(answer, *best)) best = &answer;
  }
  return best;
}

} // namespace ddlsim
