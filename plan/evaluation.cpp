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

std::vector<bool> front_of(const std::vector<Evaluation>& evaluations) {
  const auto beats = [](const Outcome& one, const Outcome& other) {
    bool less = false;
    for (const auto goal : values_of<PlanGoal>()) {
      if (figure_of(one, goal) > figure_of(other, goal)) return false;
      less = less || figure_of(one, goal) < figure_of(other, goal);
    }
    return less;
  };
  std::vector<bool> front;
  for (const auto& evaluation : evaluations)
    front.push_back(std::none_of(evaluations.begin(), evaluations.end(), [&](const Evaluation& other) {
      return beats(other.likeliest, evaluation.likeliest);
    }));
  return front;
}

} // namespace ddlsim
