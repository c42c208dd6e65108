#pragma once
// Robust least squares under priors: Levenberg-Marquardt with iterated weights, whatever the loss.

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace ddlsim {

/// Cost of a whitened residual r (standard deviation 1). All are r^2 / 2 near 0, up to a factor 5/4 of student_t4.
enum class Loss {
  quadratic,  ///< r^2 / 2: least squares
  student_t3, ///< 2 ln(1 + r^2 / 4): Student's t with 3 degrees of freedom and scale sqrt(4/3). A residual of 1
              ///< counts nearly as in least squares, one of 30 little more than one of 3
  student_t4, ///< 5/2 ln(1 + r^2 / 4): Student's t with 4 degrees of freedom (K. Lange, R. Little and J. Taylor,
              ///< Journal of the American Statistical Association 84, 1989). One wild row in ten hardly moves the fit
  soft_l1,    ///< sqrt(1 + r^2) - 1: |r| far out (P. Charbonnier et al., IEEE Transactions on Image Processing 6, 1997)
};

double cost_of(Loss loss, double residual);
/// What the residual weighs in iterated least squares: derivative of the cost over the residual.
double weight_of(Loss loss, double residual);

/// Dense, column by column.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values{};

  Matrix() = default;
  Matrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count, 0.0) {}
  double operator()(std::size_t row, std::size_t column) const { return values[column * rows + row]; }
  double& operator()(std::size_t row, std::size_t column) { return values[column * rows + row]; }
  bool operator==(const Matrix&) const = default;
};

/// Normal prior of one unknown.
struct NormalPrior {
  double mean = 0;
  double width = 1; ///< standard deviation
};

struct RobustProblem {
  /// Whitened residuals at the unknowns' values, always as many.
  std::function<std::vector<double>(const std::vector<double>& unknowns)> residuals;
  /// Their derivatives: a row a residual, a column an unknown.
  std::function<Matrix(const std::vector<double>& unknowns)> slopes;
  /// Told that a search begins, where slopes depend on the places before.
  std::function<void()> begin_search{};
  Loss loss = Loss::student_t3;
  std::vector<NormalPrior> priors; ///< one an unknown
  Loss prior_loss = Loss::quadratic;
};

struct RobustFitOptions {
  int most_steps = 100;    ///< steps tried, those that did not help included
  double tolerance = 1e-4; ///< a step that lowers the cost by less than this share of it is the last
  double largest_step = std::numeric_limits<double>::infinity(); ///< of one unknown
};

struct RobustFit {
  std::vector<double> unknowns;
  double cost = 0; ///< sum of cost_of() over residuals and priors
  int steps = 0;
  std::vector<double> residuals; ///< at the end
  Matrix slopes;                 ///< at the end
};

/// The unknowns of least cost that Levenberg-Marquardt finds from `start`. Deterministic.
RobustFit fit_robust(const RobustProblem& problem, const std::vector<double>& start,
                     const RobustFitOptions& options = {});

struct FitUncertainty {
  Matrix covariance;            ///< Laplace: (V + J^T W J)^-1, V and W the weights of priors and residuals
  std::vector<double> leverage; ///< of each residual: what share of its variance the fit took, 0 to 1
};
FitUncertainty uncertainty_of(const RobustProblem& problem, const RobustFit& fit);

/// The unknowns of a fit without these of its residuals: a few Gauss-Newton steps from `fit`, each shortened until it
/// costs less, with the slopes of the whole fit:
///   step = -(V + J^T W J)^-1 (V x + J^T W r)
/// J, W and r are the other rows' slopes, weights and residuals. Exact where residuals are linear and small; the priors
/// stay.
std::vector<double> unknowns_without(const RobustProblem& problem, const RobustFit& fit,
                                     const std::vector<std::size_t>& left_out);

} // namespace ddlsim
