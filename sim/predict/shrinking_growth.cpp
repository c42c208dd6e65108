#include "sim/predict/shrinking_growth.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {

namespace {

/// The largest scale across nodes at which this stack was measured; 0 without such a series.
int last_measured_gpus(const CalibrationInfo& info) {
  int last = 0;
  if (info.of_other_batches) return last;
  for (const auto& known : info.own)
    if (known.scale.nodes > 1) last = std::max(last, known.scale.gpus);
  return last;
}

double ln_time_with_residual(const Curve& curve, int gpus, Parameters sample) {
  auto setup = at_scale(curve, gpus);
  setup.input = {};
  sample.model_discrepancy = 1;
  const int nodes = (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
  const auto residual = estimate_residual(curve.calibration.residual_process, curve.calibration.own,
                                          {gpus, nodes, 0, 0, curve.setup.batch_per_gpu});
  return std::log(time_step(setup, sample, Fidelity::formula).iteration_s) + residual.mean;
}

/// The sample with a backward that takes no time. Communication then starts when forward ends, and no compute hides it.
Parameters without_backward(Parameters sample) {
  sample.compute_factor *= sample.forward_share;
  sample.forward_share = 1;
  return sample;
}

/// ln of the straight line. The line is the time at `last`; it is the time of forward and communication alone where
/// that is longer, because full links carry no more when there are more GPUs.
double ln_line(const Curve& curve, int last, int gpus, double ln_here) {
  const double kept = ln_time_with_residual(curve, last, curve.median);
  if (kept >= ln_here) return kept;
  return std::max(kept, std::min(ln_here, ln_time_with_residual(curve, gpus, without_backward(curve.median))));
}

} // namespace

double ln_shift_to_line(const Curve& curve, int gpus) {
  const auto& info = curve.calibration;
  if (info.line_share == 0) return 0;
  const int last = last_measured_gpus(info);
  if (last == 0 || gpus <= last || !why_impossible(curve, last).empty()) return 0;
  const double share = info.line_share * std::exp(-std::log(static_cast<double>(gpus) / last) / info.line_fade);
  const double ln_here = ln_time_with_residual(curve, gpus, curve.median);
  return share * (ln_line(curve, last, gpus, ln_here) - ln_here);
}

} // namespace ddlsim
