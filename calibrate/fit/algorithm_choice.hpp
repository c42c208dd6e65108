#pragma once
// Which algorithm a stack's library runs where its preset lists several: of all-reduces, and of placing tensors on
// servers.

#include "calibrate/data/fit_data.hpp"
#include "sim/iteration/server_graph.hpp"

#include <vector>

namespace ddlsim {

/// The open choices of a cluster's stacks, one for each transport and kind (all-reduce or servers) that has
/// measured points on more than one GPU and presets with the same several choices: stacks on one library do the same.
/// Each starts at the likeliest. A series that states its library leaves nothing open.
class AlgorithmChoices {
public:
  /// `likelihood_share`: exponent of the likelihood in a weight (a power posterior).
  explicit AlgorithmChoices(const std::vector<SeriesData>& series,
                            double likelihood_share = ModelConstants{}.algorithm_likelihood_share);

  std::size_t count() const { return open_.size(); }
  const std::vector<LikelyChoice>& choices(std::size_t open) const { return open_[open].choices; }
  std::size_t chosen(std::size_t open) const { return open_[open].chosen; }
  void choose(std::size_t open, std::size_t choice) { open_[open].chosen = choice; }
  void set_cost(std::size_t open, std::size_t choice, double cost) { open_[open].costs[choice] = cost; }
  /// Prior weight x exp(likelihood share x (least cost - cost)), not normalised; 0 for a choice without a cost.
  double weight(std::size_t open, std::size_t choice) const;

  /// Has the sample of that series run what is chosen; leaves it as it is where nothing is open.
  void put(std::size_t series, Parameters& sample) const;

  /// What is chosen of each.
  std::vector<CalibratedChoice> calibrated() const;

private:
  struct OpenChoice {
    CalibrationScope scope;
    bool servers = false;
    std::vector<LikelyChoice> choices;
    std::vector<double> costs; ///< negative: not tried
    std::size_t chosen = 0;
  };

  double likelihood_share_;
  std::vector<OpenChoice> open_;
  std::vector<int> open_of_; ///< by series; -1: nothing is open
};

} // namespace ddlsim
