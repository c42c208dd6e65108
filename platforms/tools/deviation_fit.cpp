#include "platforms/tools/deviation_fit.hpp"

#include "sim/base/linear_algebra.hpp"

#include <Eigen/Core>
#include <Eigen/LU>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace ddlsim {
namespace {

constexpr std::size_t size_count = deviation_scope_count + step_part_count;
/// Standard deviation of twice ln of a size around its start.
constexpr double start_width = 2;
/// Where the search starts: judgements of how much deviations are shared.
constexpr DeviationSizes start{{0.15, 0.15, 0.08, 0.15, 0.08, 0.2, 0.15, 0.08, 0.05, 0.05, 0.04}, {1, 1, 1, 1, 1}};
/// The sizes as twice their ln, scopes first.
Eigen::VectorXd logs_of(const DeviationSizes& sizes) {
  Eigen::VectorXd logs(size_count);
  for (std::size_t s = 0; s < deviation_scope_count; ++s)
    logs(static_cast<Eigen::Index>(s)) = 2 * std::log(sizes.of_scope[s]);
  for (std::size_t p = 0; p < step_part_count; ++p)
    logs(static_cast<Eigen::Index>(deviation_scope_count + p)) = 2 * std::log(sizes.of_part[p]);
  return logs;
}

DeviationSizes sizes_of(const Eigen::VectorXd& logs) {
  DeviationSizes sizes;
  for (std::size_t s = 0; s < deviation_scope_count; ++s)
    sizes.of_scope[s] = std::exp(logs(static_cast<Eigen::Index>(s)) / 2);
  for (std::size_t p = 0; p < step_part_count; ++p)
    sizes.of_part[p] = std::exp(logs(static_cast<Eigen::Index>(deviation_scope_count + p)) / 2);
  return sizes;
}

/// The derivatives of the covariance of two runs by each of logs_of().
using Slopes = std::array<double, size_count>;
Slopes slopes_of(const DeviationSizes& sizes, const TimedWorkload& a, const TimedWorkload& b) {
  const auto shared = scopes_shared(a, b);
  Slopes slopes{};
  double scopes = 0;
  double parts = 0;
  for (std::size_t p = 0; p < step_part_count; ++p) {
    slopes[deviation_scope_count + p] = sizes.of_part[p] * sizes.of_part[p] * a.shares[p] * b.shares[p];
    parts += slopes[deviation_scope_count + p];
  }
  for (std::size_t s = 0; s < deviation_scope_count; ++s) {
    slopes[s] = sizes.of_scope[s] * sizes.of_scope[s] * shared[s];
    scopes += slopes[s];
    slopes[s] *= parts;
  }
  for (std::size_t p = 0; p < step_part_count; ++p) slopes[deviation_scope_count + p] *= scopes;
  return slopes;
}

Eigen::MatrixXd covariance_of(const DeviationSizes& sizes, const std::vector<OneGpuRow>& rows) {
  const auto count = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd matrix(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k <= i; ++k)
      matrix(i, k) = matrix(k, i) = shared_deviation(sizes, row.workload, rows[static_cast<std::size_t>(k)].workload);
    matrix(i, i) += row.variance;
  }
  return matrix;
}

Eigen::VectorXd deviations_of(const std::vector<OneGpuRow>& rows) {
  Eigen::VectorXd deviations(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) deviations(static_cast<Eigen::Index>(i)) = rows[i].ln_deviation;
  return deviations;
}

/// One step of the search.
struct Score {
  Eigen::VectorXd gradient;
  Eigen::MatrixXd information;
};

Score score_at(const Eigen::VectorXd& logs, const std::vector<OneGpuRow>& rows) {
  const auto sizes = sizes_of(logs);
  const auto inverse = Eigen::MatrixXd(covariance_of(sizes, rows).inverse());
  const Eigen::VectorXd weights = inverse * deviations_of(rows);
  Eigen::VectorXd gradient = (logs_of(start) - logs) / (start_width * start_width);
  Eigen::MatrixXd applied = Eigen::MatrixXd::Zero(weights.size(), size_count);
  for (Eigen::Index i = 0; i < weights.size(); ++i)
    for (Eigen::Index k = 0; k < weights.size(); ++k) {
      const auto slopes =
          slopes_of(sizes, rows[static_cast<std::size_t>(i)].workload, rows[static_cast<std::size_t>(k)].workload);
      for (std::size_t j = 0; j < size_count; ++j) {
        if (slopes[j] == 0) continue;
        gradient(static_cast<Eigen::Index>(j)) += 0.5 * (weights(i) * weights(k) - inverse(i, k)) * slopes[j];
        applied(i, static_cast<Eigen::Index>(j)) += slopes[j] * weights(k);
      }
    }
  Eigen::MatrixXd information = 0.5 * applied.transpose() * inverse * applied;
  information.diagonal().array() += 1 / (start_width * start_width);
  return {gradient, information};
}

} // namespace

double ln_posterior(const DeviationSizes& sizes, const std::vector<OneGpuRow>& rows) {
  const auto factor = cholesky_factor(covariance_of(sizes, rows));
  if (!factor) return -1e300;
  const Eigen::VectorXd whitened = solve_lower(*factor, deviations_of(rows));
  const Eigen::VectorXd off = (logs_of(sizes) - logs_of(start)) / start_width;
  return -0.5 * whitened.squaredNorm() - factor->diagonal().array().log().sum() - 0.5 * off.squaredNorm();
}

DeviationSizes likeliest_sizes(const std::vector<OneGpuRow>& rows) {
  constexpr int most_steps = 40;
  constexpr double least_gain = 1e-3;
  auto logs = logs_of(start);
  double best = ln_posterior(start, rows);
  for (int step = 0; step < most_steps; ++step) {
    const auto score = score_at(logs, rows);
    Eigen::VectorXd move = score.information.fullPivLu().solve(score.gradient);
    double gain = 0;
    for (double share = 1; share > 1e-3 && gain <= 0; share /= 2) {
      const Eigen::VectorXd tried = logs + share * move;
      gain = ln_posterior(sizes_of(tried), rows) - best;
      if (gain > 0) logs = tried;
    }
    if (gain > 0) best += gain;
    if (gain < least_gain) break;
  }
  return sizes_of(logs);
}

std::string to_text(const DeviationSizes& sizes) {
  return fmt::format("of_scope{{{:.3f}}}\nof_part{{{:.3f}}}\n", fmt::join(sizes.of_scope, ", "),
                     fmt::join(sizes.of_part, ", "));
}

} // namespace ddlsim
