#include "diagnose/sampled_times.hpp"

#include "sim/iteration/step_cache.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr std::size_t most_samples_of_iterations = 64;
constexpr std::size_t most_samples_of_collectives = 128;
constexpr std::size_t fewest_samples = 16;
constexpr double affordable_work = 4e4; ///< work of all samples of one point, about 5 ms

/// The number of samples is limited by the work and not by the clock, so that the same question has the same answer on
/// every machine.
std::size_t affordable_samples(const Curve& curve, const std::vector<Observation>& observations) {
  double work = 0;
  for (const auto& one : observations)
    if (!is_collective(one)) work = std::max(work, work_of_step(at_scale(curve, one.gpus), curve.median));
  if (work == 0) return std::min(curve.samples.values.size(), most_samples_of_collectives);
  const double affordable = affordable_work / work;
  return std::min(curve.samples.values.size(),
                  std::clamp(static_cast<std::size_t>(affordable), fewest_samples, most_samples_of_iterations));
}

double time_of(const Observation& point, FaultySetup one, StepCache& memory) {
  one.sample.model_discrepancy = 1;
  if (is_collective(point)) return collective_alone_s(one.setup, one.sample, point.what, point.size_bytes);
  return time_step(one.setup, one.sample, Fidelity::formula, memory).iteration_s;
}

/// Times of one point with one fault.
class FaultyPoint {
public:
  FaultyPoint(const Curve& curve, const Observation& point, const FaultRow* row, double severity)
      : point_(point), row_(row), severity_(severity), healthy_(at_scale(curve, point.gpus)), preset_(healthy_.preset),
        setup_(with_preset(healthy_, preset_)),
        sample_s_(healthy_.one_gpu_s * compute_factor_of(curve.median) / healthy_.batch_per_gpu) {
    if (is_collective(point)) correction_ = correction_of(curve, point);
    if (row_ != nullptr && is_collective(point) && !row_->slows_collectives) row_ = nullptr;
    if (row_ != nullptr && row_->apply_to_preset != nullptr) row_->apply_to_preset(severity, preset_);
  }

  double ln_time(const Parameters& healthy) {
    FaultySetup one{setup_, healthy, sample_s_};
    if (row_ != nullptr && row_->apply != nullptr) row_->apply(severity_, one);
    return std::log(time_of(point_, one, memory_)) + ln_correction(correction_, all_reduce_model_of(healthy_, healthy));
  }

private:
  const Observation& point_;
  const FaultRow* row_;
  double severity_;
  StepSetup healthy_;
  Preset preset_;
  StepSetup setup_;
  double sample_s_;
  AllReduceCorrection correction_;
  StepCache memory_; ///< one cache is enough because all samples have the same setup
};

} // namespace

SampledTimes::SampledTimes(const Curve& curve, const std::vector<Observation>& observations)
    : curve_(curve), observations_(observations), samples_(affordable_samples(curve, observations)) {}

Eigen::MatrixXd SampledTimes::ln_times(const Curve& curve, const FaultRow* row, double severity) const {
  Eigen::MatrixXd all(static_cast<Eigen::Index>(observations_.size()), static_cast<Eigen::Index>(samples_));
  for (Eigen::Index i = 0; i < all.rows(); ++i) {
    FaultyPoint point(curve, observations_[static_cast<std::size_t>(i)], row, severity);
    for (Eigen::Index column = 0; column < all.cols(); ++column)
      all(i, column) = point.ln_time(curve.samples.values[static_cast<std::size_t>(column)]);
  }
  return all;
}

} // namespace ddlsim
