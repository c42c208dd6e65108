#pragma once
// What the fit of step times solves: z-scores of the free parameters in, whitened residuals and their derivatives out.

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

/// Series that are taken to be equally far off: all steps over one transport, all transfers alone over it.
std::string noise_group(const SeriesData& series);

/// By row and free parameter: whether a derivative is worked out; where not, it is taken to be 0.
using SlopeMask = std::vector<std::vector<char>>;

/// One fit: the unknowns, the points, and how noisy each transport's series are taken to be. The series must outlive
/// it. Steps are cached between calls; answers depend on the arguments alone.
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
  ResidualProcess residual_process_of(std::size_t series) const;

  AlgorithmChoices& algorithm_choices() { return algorithm_choices_; }
  const AlgorithmChoices& algorithm_choices() const { return algorithm_choices_; }

  /// ln(measured / model) of every row.
  std::vector<double> misses(const std::vector<double>& z_scores);
  /// The same, whitened: independent, with standard deviation 1; 0 for a series that is excluded.
  std::vector<double> residuals(const std::vector<double>& z_scores);

  /// Derivatives of misses() by central differences, a row a miss; 0 where the mask says so.
  Matrix miss_slopes(const std::vector<double>& z_scores, const SlopeMask& wanted);
  /// Derivatives of residuals() from those of misses().
  Matrix whitened(Matrix miss_slopes) const;
  /// Every derivative that can differ from 0.
  SlopeMask all_slopes() const;

private:
  Parameters sample_of(std::size_t row, const std::vector<double>& z_scores) const;
  double measured_s(std::size_t row) const;
  void differentiate(std::size_t row, const std::vector<double>& z_scores, const std::vector<char>& wanted,
                     Matrix& slopes);
  void each_row(const std::function<void(std::size_t)>& work) const;

  const std::vector<SeriesData>& series_;
  StepFitOptions options_;
  FreeParameters free_parameters_;
  std::vector<Row> rows_;
  std::vector<CachedStep> models_; ///< of each row
  std::map<std::string, double> scale_;
  AlgorithmChoices algorithm_choices_;
  std::vector<double> own_; ///< by series: how much further off than its transport's
};

/// Derivatives of a problem's residuals at one place after another of a search. All are worked out at its first place
/// and every fourth one; those that were negligible there are taken to be 0 at the three next.
class SlopeFollower {
public:
  explicit SlopeFollower(StepProblem& problem) : problem_(problem) {}
  void begin_search() { places_ = 0; } ///< what was negligible where another search ended may not be where this begins
  Matrix next(const std::vector<double>& z_scores);

private:
  StepProblem& problem_;
  SlopeMask followed_;
  int places_ = 0;
};

} // namespace ddlsim
