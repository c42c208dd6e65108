#include "plan/evaluation.hpp"

#include "sim/base/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {

double expected_figure(const Evaluation& evaluation, PlanGoal goal) {
  if (evaluation.samples.empty()) return figure_of(evaluation.likeliest, goal);
  std::vector<double> figures;
  for (const auto& sample : evaluation.samples) figures.push_back(figure_of(sample, goal));
  return std::isfinite(figures.front()) ? median(figures) : figures.front();
}

void set_rates(const WholeTraining& training, double iteration_s, PlannedOption& option) {
  option.tokens_per_s = training.tokens_an_iteration / iteration_s;
  option.flop_utilisation = training.peak_s / iteration_s;
}

std::vector<bool> front_of(const std::vector<Evaluation>& evaluations) {
  std::vector<std::vector<double>> figures;
  for (const auto& evaluation : evaluations) {
    figures.emplace_back();
    for (const auto goal : values_of<PlanGoal>()) figures.back().push_back(expected_figure(evaluation, goal));
  }
  const auto beats = [](const std::vector<double>& one, const std::vector<double>& other) {
    bool less = false;
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (!std::isfinite(one[i]) || !std::isfinite(other[i])) continue; // nobody knows which of the two has less
      if (one[i] > other[i]) return false;
      less = less || one[i] < other[i];
    }
    return less;
  };
  std::vector<bool> front;
  for (const auto& own : figures)
    front.push_back(std::none_of(figures.begin(), figures.end(), [&](const auto& other) { return beats(other, own); }));
  return front;
}

} // namespace ddlsim
