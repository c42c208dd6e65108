#include "plan/epochs.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace ddlsim {
namespace {

using Points = std::vector<ConvergencePoint>;

double epochs_by(const EpochLaw& law, double global_batch) {
  return law.least_epochs + law.epochs_a_sample * global_batch;
}

/// Weighted least squares in closed form: minimises the sum of ((law - epochs) / epochs)^2. Neither coefficient may be
/// negative.
EpochLaw fit_line(const Points& points) {
  double weights = 0;
  double batch_mean = 0;
  double epochs_mean = 0;
  for (const auto& point : points) {
    const double weight = 1 / (point.epochs * point.epochs);
    weights += weight;
    batch_mean += weight * point.global_batch;
    epochs_mean += weight * point.epochs;
  }
  batch_mean /= weights;
  epochs_mean /= weights;
  double batch_square = 0;
  double product = 0;
  for (const auto& point : points) {
    const double weight = 1 / (point.epochs * point.epochs);
    const double away = point.global_batch - batch_mean;
    batch_square += weight * away * away;
    product += weight * away * (point.epochs - epochs_mean);
  }
  const double slope = std::max(0.0, product / batch_square);
  EpochLaw law;
  law.least_epochs = std::max(0.0, epochs_mean - slope * batch_mean);
  law.epochs_a_sample = (epochs_mean - law.least_epochs) / batch_mean;
  return law;
}

double left_out_error(const Points& points) {
  double squares = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto others = points;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const double error = std::log(points[i].epochs / epochs_by(fit_line(others), points[i].global_batch));
    squares += error * error;
  }
  return std::sqrt(squares / static_cast<double>(points.size()));
}

/// The relative spread over all runs, where each run is compared with the mean of its batch.
double pooled_spread(const Points& points) {
  double squares = 0;
  double degrees = 0;
  for (const auto& point : points) {
    const double share = point.deviation / point.epochs;
    squares += (point.runs - 1) * share * share;
    degrees += point.runs - 1;
  }
  return degrees > 0 ? std::sqrt(squares / degrees) : 0;
}

/// The length of a training given in tokens: all its samples form one epoch.
TrainingLength length_of_tokens(const Workload& work, const DataFolder& data) {
  const auto model = load_model(data, work.model);
  const double tokens = model.tokens_per_sample();
  if (tokens <= 0)
    throw UserError("", "/workload/tokens",
                    fmt::format("a sample of {} is no sequence of tokens (\"{}\"); give \"samples\" and \"epochs\"",
                                work.model, model.sample));
  return {"", work.tokens / tokens, 1, std::nullopt};
}

} // namespace

EpochLaw fit_epochs(const Points& points) {
  auto law = fit_line(points);
  law.smallest_batch = points.front().global_batch;
  law.largest_batch = points.back().global_batch;
  law.law_error = left_out_error(points);
  law.run_spread = pooled_spread(points);
  return law;
}

double epochs_at(const EpochLaw& law, double global_batch) {
  if (global_batch < law.smallest_batch || global_batch > law.largest_batch)
    throw UserError("", "",
                    fmt::format("{:.9g} samples an iteration, and epochs are known from {:.9g} to {:.9g}", global_batch,
                                law.smallest_batch, law.largest_batch));
  return epochs_by(law, global_batch);
}

TrainingLength training_length(const Workload& work, const DataFolder& data) {
  if (work.tokens > 0) return length_of_tokens(work, data);
  if (work.convergence.empty()) return {"", work.samples, work.epochs, std::nullopt};
  const auto convergence = load_convergence(data, work.convergence);
  if (!is_in(convergence.models, work.model))
    throw UserError("", "/workload/convergence",
                    fmt::format("the runs of {} trained {}, not {}; give epochs in its place", convergence.name,
                                join_names(convergence.models), work.model));
  return {convergence.name, convergence.samples, 0, fit_epochs(convergence.points)};
}

double epochs_at(const TrainingLength& length, double global_batch) {
  return length.law ? epochs_at(*length.law, global_batch) : length.epochs;
}

std::vector<double> drawn_lengths(const TrainingLength& length, double global_batch, std::uint64_t seed,
                                  std::size_t count) {
  std::vector<double> lengths(count, 1);
  if (!length.law) return lengths;
  const double deviation = std::hypot(length.law->law_error, length.law->run_spread);
  std::mt19937_64 random(seed ^ std::bit_cast<std::uint64_t>(global_batch));
  const auto order = random_order(static_cast<int>(count), random);
  for (std::size_t i = 0; i < count; ++i)
    lengths[i] = std::exp(deviation * normal_quantile((order[i] + 0.5) / static_cast<double>(count)));
  return lengths;
}

} // namespace ddlsim
