#pragma once
// The least-squares problem of a fit of step times. It maps z-scores of the free parameters to whitened residuals and
// their derivatives.

#include "calibrate/data/fit_data.hpp"
#include "calibrate/fit/algorithm_choice.hpp"
#include "calibrate/fit/free_parameters.hpp"
#include "calibrate/fit/step_fit.hpp"
#include "sim/base/robust_fit.hpp"
#include "sim/predict/residual_process.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// The name of the group of series that share a noise estimate: all steps over one transport, or all transfers that ran
/// alone over it.
std::string noise_group(const SeriesData& series);

/// Whether the derivative of each row by each free parameter is computed. A derivative that is not computed counts as
/// 0.
using SlopeMask = std::vector<std::vector<char>>;

/// One fit: the unknowns, the points, and the noise of each group of series. The series must outlive it. Simulated
/// steps are cached between calls; results depend on the arguments alone.
class StepProblem {
public:
  /// One point of one series, by their positions.
  struct Row {
    std::size_t series;
    std::size_t point;
  };

  StepProblem(const std::vector<SeriesData>& series, const StepFitOptions& options);

  const FreeParameters& free_parameters() const { return free_parameters_; }
  const std::vector<Row>& rows() const { return rows_; } ///< rows, ordered by series

  double scale(const std::string& group) const { return scale_.at(group); }
  void set_scale(const std::string& group, double scale) { scale_[group] = scale; }
  void set_own(std::size_t series, double factor) { own_[series] = factor; }
  ResidualProcess residual_process_of(std::size_t series) const;

  AlgorithmChoices& algorithm_choices() { return algorithm_choices_; }
  const AlgorithmChoices& algorithm_choices() const { return algorithm_choices_; }

  /// Log residuals: ln(measured / model) of every row.
  std::vector<double> log_residuals(const std::vector<double>& z_scores);
  /// The log residuals in coordinates in which they are independent and have standard deviation 1; 0 for a series that
  /// is excluded.
  std::vector<double> whitened_residuals(const std::vector<double>& z_scores);

  /// Derivatives of log_residuals() by central differences, a row for each point; 0 where the mask leaves one out.
  Matrix log_residual_slopes(const std::vector<double>& z_scores, const SlopeMask& mask);
  /// Derivatives of whitened_residuals() from those of log_residuals().
  Matrix whiten_slopes(Matrix log_residual_slopes) const;
  /// The mask of every derivative that can differ from 0.
  SlopeMask all_slopes() const;

private:
  Parameters sample_of(std::size_t row, const std::vector<double>& z_scores) const;
  double measured_s(std::size_t row) const;
  void differentiate(std::size_t row, const std::vector<double>& z_scores, const std::vector<char>& mask,
                     Matrix& slopes);
  void each_row(const std::function<void(std::size_t)>& work) const;

  const std::vector<SeriesData>& series_;
  StepFitOptions options_;
  FreeParameters free_parameters_;
  std::vector<Row> rows_;
  std::vector<CachedStep> models_; ///< the simulated step of each row
  std::map<std::string, double> scale_;
  AlgorithmChoices algorithm_choices_;
  std::vector<double> own_; ///< noise of each series over that of its group
};

/// Derivatives of the whitened residuals along the iterates of a search. All are computed at the first iterate and at
/// every fourth one after it. Those that were negligible there count as 0 at the next three.
class SlopeFollower {
public:
  explicit SlopeFollower(StepProblem& problem) : problem_(problem) {}
  void begin_search() { places_ = 0; } ///< makes the next call compute all derivatives
  Matrix next(const std::vector<double>& z_scores);

private:
  StepProblem& problem_;
  SlopeMask followed_;
  int places_ = 0;
};

} // namespace ddlsim
