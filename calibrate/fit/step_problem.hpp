#pragma once
// What the fit of step times solves: coordinates in, whitened residuals and their derivatives out.

#include "calibrate/data/step_at_scale.hpp"
#include "calibrate/fit/algorithm_choice.hpp"
#include "calibrate/fit/free_parameters.hpp"
#include "calibrate/fit/step_fit.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// What is taken to be equally far off: all steps over one transport, all transfers alone over it.
std::string noise_group(const SeriesData& series);

/// One fit: the unknowns, the points, and how noisy each transport's series are taken to be. The series must outlive
/// it.
class StepProblem {
public:
  /// A point of a series, by position.
  struct Row {
    std::size_t series;
    std::size_t point;
  };

  StepProblem(const std::vector<SeriesData>& series, const StepFitOptions& options);

  const FreeParameters& free_parameters() const { return free_parameters_; }
  const std::vector<Row>& rows() const { return rows_; } ///< series by series

  double scale(const std::string& group) const { return scale_.at(group); }
  void set_scale(const std::string& group, double scale) { scale_[group] = scale; }
  void set_own(std::size_t series, double factor) { own_[series] = factor; }
  ResidualProcess alpha_beta_of(std::size_t series) const;

  AlgorithmChoices& algorithm_choices() { return algorithm_choices_; }
  const AlgorithmChoices& algorithm_choices() const { return algorithm_choices_; }

  /// ln(measured / model) of every row.
  Eigen::VectorXd misses(const Eigen::VectorXd& z_scores);
  /// The same, whitened: independent, with standard deviation 1; 0 for a series that is set aside.
  Eigen::VectorXd residuals(const Eigen::VectorXd& z_scores);
  /// Derivatives of residuals() by central differences, a row a residual.
  Eigen::MatrixXd jacobian(const Eigen::VectorXd& z_scores);

private:
  using Factor = Eigen::LLT<Eigen::MatrixXd>;

  Parameters sample_of(std::size_t row, const Eigen::VectorXd& z_scores) const;
  double measured_s(std::size_t row) const;
  void differentiate(std::size_t row, const Eigen::VectorXd& z_scores, bool all, Eigen::MatrixXd& slopes);
  std::vector<Factor> noise_factors() const;
  void whiten(const std::vector<Factor>& factors, Eigen::Ref<Eigen::VectorXd> rows) const;
  void each_row(const std::function<void(std::size_t)>& work) const;

  const std::vector<SeriesData>& series_;
  StepFitOptions options_;
  FreeParameters free_parameters_;
  std::vector<Row> rows_;
  std::vector<CachedStep> models_; ///< of each row
  std::map<std::string, double> scale_;
  AlgorithmChoices algorithm_choices_;
  std::vector<double> own_;               ///< by series: how much further off than its transport's
  std::vector<std::vector<char>> active_; ///< by row and field: whether its slope is followed
  int looks_ = 0;
};

} // namespace ddlsim
