#pragma once
// The length of a training in epochs. The request gives them, or measured runs needed them to reach their target, as a
// function of the samples of an iteration.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/plan_request.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ddlsim {

/// Epochs needed to reach a target, as a function of the samples B of an iteration: least_epochs + epochs_a_sample B.
/// The source is S. McCandlish et al., "An Empirical Model of Large-Batch Training", 2018, eq. 2.11: with Smin and Emin
/// the fewest steps and the fewest samples, (S/Smin - 1)(E/Emin - 1) = 1 and E = S B, so that E = Emin + Smin B.
struct EpochLaw {
  double least_epochs = 0;
  double epochs_a_sample = 0;
  double smallest_batch = 0; ///< smallest batch among the runs
  double largest_batch = 0;
  double law_error = 0;  ///< root mean square of ln(measured / law) at batches left out of the fit
  double run_spread = 0; ///< relative deviation of one run from the mean of its batch
};

/// Fits the law by least squares of relative errors. Each batch is left out once to compute law_error.
EpochLaw fit_epochs(const std::vector<ConvergencePoint>& points);

/// The expected mean of epochs over runs. Throws UserError if `global_batch` is outside the range of the runs' batches.
double epochs_at(const EpochLaw& law, double global_batch);

/// The length of a training, in samples.
struct TrainingLength {
  std::string convergence; ///< name of the runs that give it; "" if the request gives epochs
  double samples = 0;      ///< number of samples of one epoch
  double epochs = 0;       ///< number of epochs that the request gives
  std::optional<EpochLaw> law{};
};

/// The length of the request's training. Throws UserError if its convergence is unknown or belongs to another model.
TrainingLength training_length(const Workload& work, const DataFolder& data);

double epochs_at(const TrainingLength& length, double global_batch);

/// Draws `count` ratios of the actual to the expected length of the training. All are 1 if the request gives epochs.
/// One batch always has the same draws, so that this uncertainty cancels when two machines are compared.
std::vector<double> drawn_lengths(const TrainingLength& length, double global_batch, std::uint64_t seed,
                                  std::size_t count);

} // namespace ddlsim
