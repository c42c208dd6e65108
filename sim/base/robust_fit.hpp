#pragma once
// Robust least squares with priors: Levenberg-Marquardt with iterated weights, for any of the losses.

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace ddlsim {

/// Cost of a whitened residual r (standard deviation 1). Near 0 each loss is r^2 / 2, except for a factor of 5/4 in
/// student_t4.
enum class Loss {
  quadratic,  ///< r^2 / 2: least squares
  student_t3, ///< 2 ln(1 + r^2 / 4): Student's t with 3 degrees of freedom and scale sqrt(4/3). A residual of 1
              ///< counts nearly as in least squares, one of 30 little more than one of 3
  student_t4, ///< 5/2 ln(1 + r^2 / 4): Student's t with 4 degrees of freedom (K. Lange, R. Little and J. Taylor,
              ///< Journal of the American Statistical Association 84, 1989). One wild row in ten hardly moves the fit
  soft_l1,    ///< sqrt(1 + r^2) - 1: |r| far out (P. Charbonnier et al., IEEE Transactions on Image Processing 6, 1997)
};

double cost_of(Loss loss, double residual);
/// Weight of a residual in iteratively reweighted least squares: the derivative of the cost over the residual.
double weight_of(Loss loss, double residual);

/// A dense matrix, stored column by column.
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

/// The normal prior of one unknown.
struct NormalPrior {
  double mean = 0;
  double width = 1; ///< standard deviation of the prior
};

struct RobustProblem {
  /// Returns the whitened residuals for the values of the unknowns. Their number is always the same.
  std::function<std::vector<double>(const std::vector<double>& unknowns)> residuals;
  /// Returns the derivatives of the residuals: one row for each residual, one column for each unknown.
  std::function<Matrix(const std::vector<double>& unknowns)> slopes;
  /// Called when a search begins, for slopes that depend on the points visited before.
  std::function<void()> begin_search{};
  Loss loss = Loss::student_t3;
  std::vector<NormalPrior> priors; ///< a prior for each unknown
  Loss prior_loss = Loss::quadratic;
};

struct RobustFitOptions {
  int most_steps = 100;    ///< number of steps that are tried, with those that did not lower the cost
  double tolerance = 1e-4; ///< the fit stops after a step that lowers the cost by less than this share of it
  double largest_step = std::numeric_limits<double>::infinity(); ///< largest change of one unknown in a step
};

struct RobustFit {
  std::vector<double> unknowns;
  double cost = 0; ///< sum of cost_of() over residuals and priors
  int steps = 0;
  std::vector<double> residuals; ///< residuals at the end of the fit
  Matrix slopes;                 ///< slopes at the end of the fit
};

/// Returns the unknowns of least cost that Levenberg-Marquardt finds from `start`. The same problem gives the same
/// result.
RobustFit fit_robust(const RobustProblem& problem, const std::vector<double>& start,
                     const RobustFitOptions& options = {});

struct FitUncertainty {
  /// Laplace's approximation: (V + J^T W J)^-1 with the weights V of the priors and W of the residuals
  Matrix covariance;
  std::vector<double> leverage; ///< for each residual, the share of its variance that the fit absorbed, 0 to 1
};
FitUncertainty uncertainty_of(const RobustProblem& problem, const RobustFit& fit);

/// Estimates the unknowns of a fit without the residuals `left_out`. It takes a few Gauss-Newton steps from `fit` with
/// the slopes of the whole fit, and shortens each step until it lowers the cost:
///   step = -(V + J^T W J)^-1 (V x + J^T W r)
/// J, W and r are the slopes, weights and residuals of the other rows. The result is exact where residuals are linear
/// and small. The priors stay.
std::vector<double> unknowns_without(const RobustProblem& problem, const RobustFit& fit,
                                     const std::vector<std::size_t>& left_out);

} // namespace ddlsim
