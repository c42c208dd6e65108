#pragma once
// What a stack's library does where its preset knows several things it may do: the all-reduce it runs, how it places
// tensors on servers.

#include "calibrate/data/fit_data.hpp"
#include "sim/iteration/server_step.hpp"

#include <vector>

namespace ddlsim {

/// The open choices of a cluster's stacks, one for each transport and kind (all-reduce or servers) that has
/// measured points on more than one GPU and presets with the same several choices: stacks on one library do the same.
/// Each starts at the likeliest.
class Forms {
public:
  explicit Forms(const std::vector<SeriesEvidence>& series);

  std::size_t count() const { return forms_.size(); }
  const std::vector<LikelyChoice>& choices(std::size_t form) const { return forms_[form].choices; }
  std::size_t chosen(std::size_t form) const { return forms_[form].chosen; }
  void choose(std::size_t form, std::size_t choice) { forms_[form].chosen = choice; }
  void set_cost(std::size_t form, std::size_t choice, double cost) { forms_[form].costs[choice] = cost; }
  /// Prior weight x exp((least cost - cost) / 4), not normalised; 0 for a choice without a cost.
  double weight(std::size_t form, std::size_t choice) const;

  /// Parameters::form_draw that makes the series do what is chosen; 0 where nothing is open.
  double draw_of(std::size_t series) const {
    return draws_of_[series] < 0 ? 0 : middle(forms_[static_cast<std::size_t>(draws_of_[series])]);
  }

  /// Weights after the fit, the likeliest first.
  std::vector<CalibratedForm> calibrated() const;

private:
  struct Form {
    CalibrationScope scope;
    bool servers = false;
    std::vector<LikelyChoice> choices;
    std::vector<double> costs; ///< negative: not tried
    std::size_t chosen = 0;
  };
  static double middle(const Form& form);

  std::vector<Form> forms_;
  std::vector<int> draws_of_; ///< by series; -1: nothing is open
};

} // namespace ddlsim
