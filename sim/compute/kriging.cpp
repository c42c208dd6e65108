#include "sim/compute/kriging.hpp"

#include "sim/base/linear_algebra.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace ddlsim {

struct Kriging::State {
  DeviationSizes sizes;
  std::vector<const OneGpuRow*> rows;
  TimedWorkload asked;
  Eigen::MatrixXd factor;       ///< of the covariance of the rows
  Eigen::VectorXd asked_solved; ///< the factor's inverse times the covariances with the question
};

namespace {

constexpr std::size_t most_rows = 300;

/// A row, and its correlation with the question.
struct NearRow {
  double correlation = 0;
  const OneGpuRow* row = nullptr;
};

/// Returns the rows that are correlated with the question, the most alike first.
std::vector<const OneGpuRow*> nearest_rows(const DeviationSizes& sizes, const std::vector<const OneGpuRow*>& rows,
                                           const TimedWorkload& asked) {
  std::vector<NearRow> near;
  for (const auto* row : rows) {
    const double shared = shared_deviation(sizes, row->workload, asked);
    const double variance = shared_deviation(sizes, row->workload, row->workload) + row->variance;
    if (shared > 0) near.push_back({shared / std::sqrt(variance), row});
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const NearRow& a, const NearRow& b) { return a.correlation > b.correlation; });
  if (near.size() > most_rows) near.resize(most_rows);
  std::vector<const OneGpuRow*> nearest;
  for (const auto& one : near) nearest.push_back(one.row);
  return nearest;
}

Eigen::MatrixXd covariance_of(const DeviationSizes& sizes, const std::vector<const OneGpuRow*>& rows) {
  const auto count = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd matrix(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& row = *rows[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k <= i; ++k)
      matrix(i, k) = shared_deviation(sizes, row.workload, rows[static_cast<std::size_t>(k)]->workload);
    matrix(i, i) += row.variance;
  }
  return matrix;
}

Eigen::VectorXd covariances_with(const DeviationSizes& sizes, const std::vector<const OneGpuRow*>& rows,
                                 const TimedWorkload& other) {
  Eigen::VectorXd found(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    found(static_cast<Eigen::Index>(i)) = shared_deviation(sizes, rows[i]->workload, other);
  return found;
}

} // namespace

Kriging::Kriging(const std::vector<const OneGpuRow*>& rows, const TimedWorkload& asked, const DeviationSizes& sizes)
    : state_(std::make_unique<State>()) {
  state_->sizes = sizes;
  state_->asked = asked;
  state_->rows = nearest_rows(state_->sizes, rows, asked);
  state_->factor = factor_of_covariance(covariance_of(state_->sizes, state_->rows));
  state_->asked_solved = solve_lower(state_->factor, covariances_with(state_->sizes, state_->rows, asked));
}

Kriging::~Kriging() = default;

const std::vector<const OneGpuRow*>& Kriging::rows() const {
  return state_->rows;
}

double Kriging::mean() const {
  Eigen::VectorXd deviations(static_cast<Eigen::Index>(state_->rows.size()));
  for (std::size_t i = 0; i < state_->rows.size(); ++i)
    deviations(static_cast<Eigen::Index>(i)) = state_->rows[i]->ln_deviation;
  return state_->asked_solved.dot(solve_lower(state_->factor, deviations));
}

double Kriging::error_shared_with(const TimedWorkload& other) const {
  const auto covariances = covariances_with(state_->sizes, state_->rows, other);
  return shared_deviation(state_->sizes, state_->asked, other) -
         state_->asked_solved.dot(solve_lower(state_->factor, covariances));
}

} // namespace ddlsim
