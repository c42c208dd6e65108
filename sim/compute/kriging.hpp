#pragma once
// The best linear prediction of how a workload deviates from the kernel model.

#include "sim/compute/one_gpu_rows.hpp"

#include <memory>
#include <vector>

namespace ddlsim {

/// Predicts the deviation of a workload from measured rows. At most 300 rows with the highest correlations count,
/// because the time grows with the cube of their number.
class Kriging {
public:
  /// The rows must outlive it.
  Kriging(const std::vector<const OneGpuRow*>& rows, const TimedWorkload& asked, const DeviationSizes& sizes = {});
  Kriging(const Kriging&) = delete;
  Kriging& operator=(const Kriging&) = delete;
  ~Kriging();

  /// The rows that count, the most alike first.
  const std::vector<const OneGpuRow*>& rows() const;

  /// Returns the expected ln(time / kernel model).
  double mean() const;

  /// Returns the covariance of the errors of this prediction and of the same for another workload.
  double error_shared_with(const TimedWorkload& other) const;

private:
  struct State; ///< keeps Eigen out of this header
  std::unique_ptr<State> state_;
};

} // namespace ddlsim
