#pragma once
// Which algorithm a stack's library runs where its preset lists several: of all-reduces, and of placing tensors on
// servers.

#include "calibrate/data/fit_data.hpp"
#include "sim/iteration/server_step.hpp"

#include <vector>

namespace ddlsim {

/// The open choices of a cluster's stacks, one for each transport and kind (all-reduce or servers) that has
/// measured points on more than one GPU and presets with the same several choices: stacks on one library do the same.
/// Each starts at the likeliest.
class AlgorithmChoices {
public:
  explicit AlgorithmChoices(const std::vector<SeriesData>& series);

  std::size_t count() const { return algorithm_choices_.size(); }
  const std::vector<LikelyChoice>& choices(std::size_t form) const { return algorithm_choices_[form].choices; }
  std::size_t chosen(std::size_t form) const { return algorithm_choices_[form].chosen; }
  void choose(std::size_t form, std::size_t choice) { algorithm_choices_[form].chosen = choice; }
  void set_cost(std::size_t form, std::size_t choice, double cost) { algorithm_choices_[form].costs[choice] = cost; }
  /// Prior weight x exp((least cost - cost) / 4), not normalised; 0 for a choice without a cost.
  double weight(std::size_t form, std::size_t choice) const;

  /// Parameters::algorithm_draw that makes the series do what is chosen; 0 where nothing is open.
  double draw_of(std::size_t series) const {
    return draws_of_[series] < 0 ? 0 : middle(algorithm_choices_[static_cast<std::size_t>(draws_of_[series])]);
  }

  /// Weights after the fit, the likeliest first.
  std::vector<CalibratedChoice> calibrated() const;

private:
  struct AlgorithmChoice {
    CalibrationScope scope;
    bool servers = false;
    std::vector<LikelyChoice> choices;
    std::vector<double> costs; ///< negative: not tried
    std::size_t chosen = 0;
  };
  static double middle(const AlgorithmChoice& form);

  std::vector<AlgorithmChoice> algorithm_choices_;
  std::vector<int> draws_of_; ///< by series; -1: nothing is open
};

} // namespace ddlsim
