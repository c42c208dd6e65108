#pragma once
// Estimates which algorithm a stack's library runs where its preset lists several, for all-reduces and for placing
// tensors on servers.

#include "calibrate/data/fit_data.hpp"
#include "sim/iteration/server_graph.hpp"

#include <vector>

namespace ddlsim {

/// The algorithm choices that a cluster's stacks leave undecided. There is one for each transport and kind (all-reduce
/// or servers) that has measured points on more than one GPU and presets with the same list of choices, because stacks
/// on one library choose the same. Each starts at the choice with the largest prior weight. A series that states its
/// library leaves nothing undecided.
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
  /// Prior weight x exp(likelihood share x (least cost - cost)), without normalisation; 0 for a choice whose cost is
  /// not set.
  double weight(std::size_t open, std::size_t choice) const;

  /// Sets the current choice for that series in the sample. Changes nothing where its algorithm is known.
  void put(std::size_t series, Parameters& sample) const;

  /// The current choices, for the calibration.
  std::vector<CalibratedChoice> calibrated() const;

private:
  struct OpenChoice {
    CalibrationScope scope;
    bool servers = false;
    std::vector<LikelyChoice> choices;
    std::vector<double> costs; ///< cost of each choice; negative: not tried
    std::size_t chosen = 0;
  };

  double likelihood_share_;
  std::vector<OpenChoice> open_;
  std::vector<int> open_of_; ///< position of each series in open_; -1: its algorithm is known
};

} // namespace ddlsim
