#include "calibrate/fit/step_problem.hpp"
#include "sim/base/threads.hpp"
#include "validate/methods/simulator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace ddlsim {
namespace {

constexpr double prior_reach = 3; ///< largest distance from the prior's median, in standard deviations
/// number of golden sections of two steps of the grid, which reach 0.05 standard deviations
constexpr int refinements = 8;
constexpr double as_good = 5e-3; ///< largest difference of mean errors between equally good parameters
constexpr double golden = 0.6180339887498949;

/// A trial value of one parameter with its error.
struct Trial {
  double at = 0; ///< distance from the prior's median, in standard deviations
  double error = 0;
};

class Search {
public:
  /// `models` hold the points' own samples of the parameters.
  Search(const SeriesData& evidence, const std::vector<ExplainedPoint>& points, std::vector<CachedStep>& models,
         std::size_t field)
      : evidence_(evidence), points_(points), models_(models), field_(field) {}

  /// Returns the best value; nothing if the times do not depend on the parameter, which shows in equal times at both
  /// ends of its range.
  std::optional<Trial> best() {
    const auto low = times_at(-prior_reach);
    if (low == times_at(prior_reach)) return {};
    Trial best{-prior_reach, error_of_times(low)};
    for (double at = 1 - prior_reach; at <= prior_reach; ++at) best = better(best, try_at(at));
    return refine(best);
  }

private:
  static Trial better(const Trial& a, const Trial& b) { return b.error < a.error ? b : a; }

  std::vector<double> times_at(double at) {
    const double value = prior_value(evidence_.priors[field_], at);
    std::vector<double> times_s;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      Parameters sample = points_[i].sample;
      sample.*parameter_fields()[field_].value = value;
      times_s.push_back(models_[i].time_without_caching_s(sample));
    }
    return times_s;
  }

  double error_of_times(const std::vector<double>& times_s) const {
    double sum = 0;
    for (std::size_t i = 0; i < times_s.size(); ++i)
      sum += std::abs(std::log(times_s[i] / points_[i].point.measured_s));
    return sum / static_cast<double>(times_s.size());
  }

  Trial try_at(double at) { return {at, error_of_times(times_at(at))}; }

  /// Golden-section search between the neighbours on the grid (J. Kiefer, Proc. AMS 4, 1953).
  Trial refine(Trial best) {
    double low = std::max(-prior_reach, best.at - 1);
    double high = std::min(prior_reach, best.at + 1);
    Trial left = try_at(high - golden * (high - low));
    Trial right = try_at(low + golden * (high - low));
    for (int i = 0; i < refinements; ++i) {
      best = better(better(best, left), right);
      if (left.error < right.error) {
        high = right.at;
        right = left;
        left = try_at(high - golden * (high - low));
      } else {
        low = left.at;
        left = right;
        right = try_at(low + golden * (high - low));
      }
    }
    return better(better(best, left), right);
  }

  const SeriesData& evidence_;
  const std::vector<ExplainedPoint>& points_;
  std::vector<CachedStep>& models_;
  std::size_t field_;
};

/// The z-score of a value under its prior, which is the inverse of prior_value().
double z_score_of(const Prior& prior, double value) {
  if (prior.width <= 0) return 0;
  if (prior.scale == PriorScale::linear) return (value - prior.median) / prior.width;
  return std::log(value / prior.median) / prior.width;
}

ForecastParts parts_of(const SeriesData& evidence, const ExplainedPoint& one) {
  const auto time = time_step(setup_at(evidence, one.point), one.sample, Fidelity::formula);
  return {one.point.gpus,
          one.point.measured_s,
          time.iteration_s,
          time.parts.compute_s,
          time.parts.exposed_communication_s,
          time.parts.synchronisation_s,
          time.parts.straggling_s,
          time.parts.input_wait_s,
          time.bottleneck,
          time.parts.unexplained_s,
          one.sample.model_discrepancy};
}

std::vector<std::optional<Trial>> search_all(const SeriesData& evidence, const std::vector<ExplainedPoint>& points,
                                             int threads) {
  const auto fields = parameter_fields();
  std::vector<std::optional<Trial>> found(fields.size());
  share_out(fields.size(), threads, [&](const NextNumber& next) {
    std::vector<CachedStep> models;
    for (const auto& one : points) models.emplace_back(evidence, one.point).time_s(one.sample);
    for (auto k = next(); k; k = next())
      if (fields[*k].value != &Parameters::model_discrepancy) found[*k] = Search(evidence, points, models, *k).best();
  });
  return found;
}

ParameterExplanation explanation_of(const SeriesData& evidence, const std::vector<ExplainedPoint>& points,
                                    double mean_error, int threads) {
  const auto found = search_all(evidence, points, threads);
  double least = mean_error;
  for (const auto& trial : found)
    if (trial) least = std::min(least, trial->error);
  ParameterExplanation explanation;
  explanation.mean_error = explanation.remaining_error = mean_error;
  if (least > mean_error - as_good) return explanation;
  const auto& sample = points.back().sample;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (!found[k] || found[k]->error > least + as_good) continue;
    const auto& prior = evidence.priors[k];
    const double fitted = sample.*parameter_fields()[k].value;
    const double fitted_at = z_score_of(prior, fitted);
    const double moved = std::abs(found[k]->at - fitted_at);
    if (!explanation.parameter.empty() && moved >= std::abs(explanation.needed_at - explanation.fitted_at)) continue;
    explanation = {parameter_fields()[k].name,       prior.unit,   fitted,     fitted_at,
                   prior_value(prior, found[k]->at), found[k]->at, mean_error, found[k]->error};
  }
  return explanation;
}

} // namespace

Explanation explain_points(const SeriesData& evidence, const std::vector<ExplainedPoint>& points, int threads) {
  Explanation why;
  double sum = 0;
  for (const auto& one : points) {
    why.points.push_back(parts_of(evidence, one));
    sum += std::abs(std::log(why.points.back().predicted_s / one.point.measured_s));
  }
  if (!points.empty())
    why.explanation = explanation_of(evidence, points, sum / static_cast<double>(points.size()), threads);
  return why;
}

} // namespace ddlsim
