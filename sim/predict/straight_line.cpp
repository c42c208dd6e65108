#include "sim/predict/interval.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {

namespace {

/// 0: no series of this stack was measured across nodes.
int last_measured_gpus(const CalibrationInfo& learnt) {
  int last = 0;
  for (const auto& known : learnt.own)
    if (known.scale.nodes > 1) last = std::max(last, known.scale.gpus);
  return last;
}

double ln_time_with_residual(const Curve& curve, int gpus) {
  auto setup = at_scale(curve, gpus);
  setup.input = {};
  auto sample = curve.median;
  sample.model_discrepancy = 1;
  const int nodes = (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
  const auto residual = estimate_residual(curve.learnt.residual_process, curve.learnt.own, {gpus, nodes});
  return std::log(time_step(setup, sample, Fidelity::screening).iteration_s) + residual.mean;
}

} // namespace

double ln_shift_to_line(const Curve& curve, int gpus) {
  const auto& learnt = curve.learnt;
  if (learnt.line_share == 0) return 0;
  const int last = last_measured_gpus(learnt);
  if (last == 0 || gpus <= last || !why_impossible(curve, last).empty()) return 0;
  const double share = learnt.line_share * std::exp(-std::log(static_cast<double>(gpus) / last) / learnt.line_fade);
  return share * (ln_time_with_residual(curve, last) - ln_time_with_residual(curve, gpus));
}

} // namespace ddlsim
