#include "diagnose/likelihood.hpp"
#include "sim/iteration/step_cache.hpp"
#include "sim/predict/collectives.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr std::size_t most_samples_of_iterations = 64;
constexpr std::size_t most_samples_of_all_reduces = 512; ///< 2.6 us each by formula (2026-11-25, AMD EPYC)
constexpr std::size_t fewest_samples = 16;
constexpr double affordable_work = 4e4; ///< of all samples of one point: some 5 ms

/// By work and not by the clock, so that the same question has the same answer everywhere.
std::size_t affordable_samples(const Curve& curve, const std::vector<Observation>& observations) {
  double work = 0;
  for (const auto& one : observations)
    if (one.what == Observed::iteration) work = std::max(work, work_of_step(at_scale(curve, one.gpus), curve.median));
  if (work == 0) return std::min(curve.samples.values.size(), most_samples_of_all_reduces);
  const double affordable = affordable_work / work;
  return std::min(curve.samples.values.size(),
                  std::clamp(static_cast<std::size_t>(affordable), fewest_samples, most_samples_of_iterations));
}

/// `memory` belongs to one point and fault: of them all samples have the same setup.
double time_of(const Observation& point, FaultySetup one, StepCache& memory) {
  one.sample.model_discrepancy = 1;
  if (point.what == Observed::all_reduce) return lone_sum_s(one.setup, one.sample, point.size_bytes);
  return time_step(one.setup, one.sample, Fidelity::screening, memory).iteration_s;
}

} // namespace

SampledTimes::SampledTimes(const Curve& curve, const std::vector<Observation>& observations)
    : curve_(curve), observations_(observations), samples_(affordable_samples(curve, observations)) {}

Eigen::MatrixXd SampledTimes::ln_times(const FaultKind* kind, double severity) const {
  Eigen::MatrixXd all(static_cast<Eigen::Index>(observations_.size()), static_cast<Eigen::Index>(samples_));
  for (Eigen::Index row = 0; row < all.rows(); ++row) {
    const auto& point = observations_[static_cast<std::size_t>(row)];
    const auto setup = at_scale(curve_, point.gpus);
    const double sample_s = setup.one_gpu_s * curve_.median.compute_factor / setup.batch_per_gpu;
    const bool acts = kind != nullptr && (kind->slows_all_reduce || point.what == Observed::iteration);
    SumCorrection correction;
    if (point.what == Observed::all_reduce) correction = sum_correction_of(curve_, point.gpus, point.size_bytes);
    StepCache memory;
    for (Eigen::Index column = 0; column < all.cols(); ++column) {
      const auto& healthy = curve_.samples.values[static_cast<std::size_t>(column)];
      FaultySetup one{setup, healthy};
      if (acts) kind->put(severity, sample_s, one);
      all(row, column) = std::log(time_of(point, one, memory)) + ln_correction(correction, sum_model(setup, healthy));
    }
  }
  return all;
}

} // namespace ddlsim
