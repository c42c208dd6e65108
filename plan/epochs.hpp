#pragma once
// How long a training is: the epochs that the request gives, or those that runs to its target needed, as a function of
// the samples of an iteration.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/plan_request.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ddlsim {

/// Epochs to a target by the samples B of an iteration: least_epochs + epochs_a_sample B.
/// S. McCandlish et al., "An Empirical Model of Large-Batch Training", 2018, eq. 2.11: with Smin and Emin the fewest
/// steps and the fewest samples, (S/Smin - 1)(E/Emin - 1) = 1 and E = S B, so that E = Emin + Smin B.
struct EpochLaw {
  double least_epochs = 0;
  double epochs_a_sample = 0;
  double smallest_batch = 0; ///< of the runs
  double largest_batch = 0;
  double law_error = 0;  ///< root mean square of ln(measured / law) at batches that were left out of the fit
  double run_spread = 0; ///< of one run from the mean of its batch, as a share of it
};

/// Least squares of relative errors; each batch left out once for the law's error.
EpochLaw fit_epochs(const std::vector<ConvergencePoint>& points);

/// Mean of the runs to expect. Throws UserError where the runs had no such batch.
double epochs_at(const EpochLaw& law, double global_batch);

/// The length of a training, in samples.
struct TrainingLength {
  std::string convergence; ///< "" where epochs are given
  double samples = 0;      ///< of an epoch
  double epochs = 0;       ///< where they are given
  std::optional<EpochLaw> law{};
};

/// The length of the request's training. Throws UserError when its convergence is unknown, or trained another model.
TrainingLength training_length(const Workload& work, const DataFolder& data);

double epochs_at(const TrainingLength& length, double global_batch);

/// How many times as long as expected the training is, in so many draws: all 1 where epochs are given. The same draws
/// for the same batch, so that what is not known of it cancels where two machines are compared.
std::vector<double> drawn_lengths(const TrainingLength& length, double global_batch, std::uint64_t seed,
                                  std::size_t count);

} // namespace ddlsim
