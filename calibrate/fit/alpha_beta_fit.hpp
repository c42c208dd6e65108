#pragma once
// The three constants of a collective's law from measured times, robustly, under priors.

#include "calibrate/data/collective_data.hpp"

#include <array>
#include <vector>

namespace ddlsim {

/// Latency a, rate B and pipelining overlap, in this order wherever three numbers stand.
struct AlphaBetaPrior {
  std::array<double, 3> median{}; ///< s, B/s, 1
  std::array<double, 3> width{};  ///< standard deviation of the logarithm
};

struct AlphaBetaFit {
  std::array<double, 3> value{};       ///< s, B/s, 1
  std::array<double, 3> error{};       ///< standard deviation of the logarithm
  std::array<double, 3> correlation{}; ///< of the logarithms: (a, B), (a, overlap), (B, overlap)
  double scale = 0;                    ///< of the Student-t residuals in ln time
  double spread = 0;                   ///< root mean square of ln(measured / law); 0 without samples
};

/// Maximum a posteriori of Student-t residuals (4 degrees of freedom) in ln time, with their scale, by
/// Levenberg-Marquardt from `start` and, when it is null, from several places. Errors are those of the curvature there,
/// widened where neighbouring residuals go together (a law that bends otherwise) and for the constants fitted. Without
/// samples the prior comes back. Samples ascend by size.
AlphaBetaFit fit_alpha_beta(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior,
                            const AlphaBetaFit* start = nullptr);

} // namespace ddlsim
