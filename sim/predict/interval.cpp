#include "sim/predict/interval.hpp"

#include "sim/base/statistics.hpp"
#include "sim/base/threads.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/optimizer_update.hpp"
#include "sim/iteration/step_cache.hpp"
#include "sim/predict/shrinking_growth.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// The number of samples that a point may use. Work limits it, and not the clock, so that the same question has the
/// same answer everywhere.
std::size_t affordable_samples(const Curve& curve, const StepSetup& setup) {
  constexpr double affordable_work = 2e6; // work of about 0.2 s
  constexpr double fewest_samples = 40;   // enough for two samples beyond each end of the interval
  const double count = std::max(fewest_samples, affordable_work / work_of_step(setup, curve.median));
  const auto all = static_cast<double>(curve.samples.values.size());
  return static_cast<std::size_t>(std::min(all, count));
}

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

/// Logarithms of the samples' efficiencies.
std::vector<double> ln_efficiencies(const Curve& curve, const StepSetup& setup, double factor,
                                    const std::vector<double>& mechanism_s) {
  std::vector<double> found;
  const auto one_gpu = without_shared_update(at_scale(curve, 1));
  StepCache memory; // the samples share the layers' times
  for (std::size_t i = 0; i < mechanism_s.size(); ++i) {
    const double needed_s = needed_input_s(setup, curve.samples.values[i].input);
    const double alone_s = time_step(one_gpu, curve.samples.values[i], Fidelity::formula, memory).iteration_s;
    found.push_back(std::log(alone_s / std::max(needed_s, factor * mechanism_s[i])));
  }
  return found;
}

/// The factor on a sample's iteration for the model's error.
double discrepancy_of(const Curve& curve, const Parameters& sample, const ModelError& there) {
  return std::exp(there.mean) * std::pow(sample.model_discrepancy, there.spread / curve.discrepancy_width);
}

/// The quantile `tail` of iteration times, where no iteration ends before its sample's input.
double end_with_input(const Curve& curve, const StepSetup& setup, const std::vector<double>& mechanism_s, double spread,
                      double factor, double tail) {
  std::vector<double> centres;
  std::vector<double> floors;
  for (std::size_t i = 0; i < mechanism_s.size(); ++i) {
    centres.push_back(std::log(factor * mechanism_s[i]));
    floors.push_back(std::log(needed_input_s(setup, curve.samples.values[i].input)));
  }
  return std::exp(quantile_of_floored_normals(centres, floors, spread, tail));
}

} // namespace

double spread_at(const Curve& curve, int gpus) {
  const auto unexplained = model_error_at(curve, gpus);
  return gpus > 1 ? std::hypot(unexplained.spread, unexplained.noise) : unexplained.noise;
}

ModelError model_error_at(const Curve& curve, int gpus) {
  const auto& info = curve.calibration;
  const int nodes = (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
  const auto residual =
      estimate_residual(info.residual_process, info.own, {gpus, nodes, 0, 0, curve.setup.batch_per_gpu});
  const int measured_gpus = info.largest_gpus > 0 ? info.largest_gpus : curve.gpus_per_full_node;
  const double distance = spread_of_distance(info.residual_process, gpus, measured_gpus);
  const double mean = residual.mean + ln_shift_to_line(curve, gpus);
  const double of_series = nodes > 1 ? std::max(residual.spread, info.least_across_nodes) : residual.spread;
  const double spread = std::hypot(of_series, distance);
  return {mean, spread, info.measurement_noise};
}

Parameters estimated(const Curve& curve, const Parameters& sample, const ModelError& there) {
  Parameters found = sample;
  found.model_discrepancy = discrepancy_of(curve, sample, there);
  return found;
}

Parameters estimated(const Curve& curve, const Parameters& sample, int gpus) {
  return estimated(curve, sample, model_error_at(curve, gpus));
}

double efficiency(const Curve& curve, const Parameters& sample, int gpus, const ModelError& there) {
  return one_gpu_iteration_s(curve, sample) /
         time_step(at_scale(curve, gpus), estimated(curve, sample, there), Fidelity::formula).iteration_s;
}

std::vector<double> mechanism_times(const Curve& curve, int gpus) {
  auto setup = at_scale(curve, gpus);
  setup.input = {};
  std::vector<double> times_s(affordable_samples(curve, setup));
  share_out(times_s.size(), curve.threads, [&](const NextNumber& next) {
    StepCache memory; // successive samples have many results in common
    memory.divides = false;
    for (auto i = next(); i; i = next()) {
      auto sample = curve.samples.values[*i];
      sample.model_discrepancy = 1;
      times_s[*i] = time_step(setup, sample, Fidelity::formula, memory).iteration_s;
    }
  });
  return times_s;
}

std::vector<double> with_residuals(const Curve& curve, int gpus, std::vector<double> times_s) {
  const auto setup = at_scale(curve, gpus);
  const auto unexplained = gpus > 1 ? model_error_at(curve, gpus) : ModelError{};
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    const auto& sample = curve.samples.values[i];
    const double factor = gpus > 1 ? discrepancy_of(curve, sample, unexplained) : 1;
    times_s[i] = std::max(needed_input_s(setup, sample.input), times_s[i] * factor);
  }
  return times_s;
}

void set_interval(PredictedPoint& point, const Curve& curve, const StepSetup& setup, double to_number,
                  const std::vector<double>& mechanism_s) {
  const double mean = setup.gpus > 1 ? model_error_at(curve, setup.gpus).mean : 0;
  const double factor = to_number * std::exp(mean);
  const double spread = spread_at(curve, setup.gpus);
  const auto ln_times = logarithms(mechanism_s);
  const double needed_s = needed_input_s(setup);
  const bool input_is_known = curve.input_uncertainty == InputUncertainty{};
  const auto end_s = [&](double tail) {
    if (!input_is_known) return end_with_input(curve, setup, mechanism_s, spread, factor, tail);
    return std::max(needed_s, factor * std::exp(quantile_of_normals(ln_times, spread, tail)));
  };
  point.iteration_s_low = std::min(point.iteration_s, end_s(low_tail));
  point.iteration_s_high = std::max(point.iteration_s, end_s(high_tail));
  point.samples_per_s_low = setup.gpus * setup.batch_per_gpu / point.iteration_s_high;
  point.samples_per_s_high = setup.gpus * setup.batch_per_gpu / point.iteration_s_low;
  const auto efficiencies = ln_efficiencies(curve, setup, factor, mechanism_s);
  const double of_ratio = setup.gpus > 1 ? spread : 0; // one GPU is compared with itself, so its ratio has no spread
  point.efficiency_low = std::min(point.efficiency, std::exp(quantile_of_normals(efficiencies, of_ratio, low_tail)));
  point.efficiency_high = std::max(point.efficiency, std::exp(quantile_of_normals(efficiencies, of_ratio, high_tail)));
}

} // namespace ddlsim
