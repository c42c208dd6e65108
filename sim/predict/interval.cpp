#include "sim/predict/interval.hpp"

#include "sim/base/linear_algebra.hpp"
#include "sim/base/statistics.hpp"
#include "sim/base/threads.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/server_graph.hpp"
#include "sim/iteration/step_cache.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ddlsim {
namespace {

/// By work and not by the clock, so that the same question has the same answer everywhere.
std::size_t affordable_samples(const Curve& curve, const StepSetup& setup) {
  constexpr double affordable_work = 2e6; // about 0.2 s
  constexpr double fewest_samples = 40;   // two beyond each end of the interval
  const double count = std::max(fewest_samples, affordable_work / work_of_step(setup, curve.median));
  const auto all = static_cast<double>(curve.samples.values.size());
  return static_cast<std::size_t>(std::min(all, count));
}

/// Whether the sample's library does what the likeliest sample's does.
bool has_likeliest_form(const Curve& curve, const StepSetup& setup, const Parameters& sample) {
  if (is_parameter_server(setup.strategy.name)) return sharding_of(setup, sample) == sharding_of(setup, curve.median);
  return library_of(setup, sample) == library_of(setup, curve.median);
}

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

/// Efficiencies of the samples, in logarithms.
std::vector<double> ln_efficiencies(const Curve& curve, const StepSetup& setup, double factor,
                                    const std::vector<double>& mechanism_s) {
  std::vector<double> found;
  const auto one_gpu = at_scale(curve, 1);
  for (std::size_t i = 0; i < mechanism_s.size(); ++i) {
    const double needed_s = needed_input_s(setup, curve.samples.values[i].input);
    const double alone_s = time_step(one_gpu, curve.samples.values[i], Fidelity::screening).iteration_s;
    found.push_back(std::log(alone_s / std::max(needed_s, factor * mechanism_s[i])));
  }
  return found;
}

/// Runs further samples, until there are `count` times.
void add_times(const Curve& curve, const StepSetup& setup, std::size_t count, std::vector<double>& times_s) {
  const std::size_t begin = times_s.size();
  times_s.resize(count);
  share_out(count - begin, curve.threads, [&](const NextNumber& next) {
    StepCache memory; // neighbours have much in common
    for (auto number = next(); number; number = next()) {
      const std::size_t i = begin + *number;
      auto sample = curve.samples.values[i];
      sample.model_discrepancy = 1;
      times_s[i] = time_step(setup, sample, Fidelity::screening, memory).iteration_s;
    }
  });
}

/// Every parameter that varies over the first `count` samples, and its square: a row a sample, the first column 1.
Eigen::MatrixXd parabolas(const Draws& samples, Eigen::Index count) {
  std::vector<Eigen::VectorXd> columns{Eigen::VectorXd::Ones(count)};
  for (std::size_t k = 0; k < parameter_fields().size(); ++k) {
    Eigen::VectorXd z_scores(count);
    for (Eigen::Index i = 0; i < count; ++i) z_scores(i) = samples.z_scores[static_cast<std::size_t>(i)][k];
    if (z_scores.minCoeff() == z_scores.maxCoeff()) continue;
    columns.push_back(z_scores);
    columns.emplace_back(z_scores.cwiseProduct(z_scores));
  }
  Eigen::MatrixXd all(count, static_cast<Eigen::Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) all.col(static_cast<Eigen::Index>(c)) = columns[c];
  return all;
}

/// Whether so many samples place both ends of the interval. The standard error of an end is that of the samples' mean
/// share below it over the density there. A Latin hypercube's mean has the error of what no sum of functions of one
/// parameter each explains (A. Owen, Journal of the Royal Statistical Society B 54, 1992): the residual of a regression
/// on parabolas.
bool ends_stand(const Draws& samples, const std::vector<double>& times_s, double spread) {
  constexpr double small_part =
      0.014; // of the interval: two seeds differ by sqrt(2) of it, at 2.5 deviations by a 20th
  const auto count = static_cast<Eigen::Index>(times_s.size());
  const auto centres = logarithms(times_s);
  const auto terms = parabolas(samples, count);
  if (!(spread > 0) || count <= terms.cols()) return false;
  const double ends[] = {quantile_of_normals(centres, spread, low_tail),
                         quantile_of_normals(centres, spread, high_tail)};
  Eigen::MatrixXd below(count, 2);
  double densities[] = {0, 0};
  for (Eigen::Index i = 0; i < count; ++i) {
    for (int end = 0; end < 2; ++end) {
      const double z = (ends[end] - centres[static_cast<std::size_t>(i)]) / spread;
      below(i, end) = normal_cdf(z);
      densities[end] += std::exp(-0.5 * z * z) / (spread * std::sqrt(2 * std::numbers::pi));
    }
  }
  const auto left = left_by_regression(terms, below, 1e-9); // parameters may go together
  for (int end = 0; end < 2; ++end) {
    const double variance = left.col(end).squaredNorm() / static_cast<double>(count - terms.cols());
    const double error = std::sqrt(variance * static_cast<double>(count)) / densities[end];
    if (error > small_part * (ends[1] - ends[0])) return false;
  }
  return true;
}

/// The factor that stands for what no parameter explains, in a sample.
double discrepancy_of(const Curve& curve, const Parameters& sample, const Unexplained& there) {
  return std::exp(there.mean) * std::pow(sample.model_discrepancy, there.spread / curve.discrepancy_width);
}

/// The time within which a share `tail` of iterations is done, each no sooner than its sample's input.
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
  const auto unexplained = unexplained_at(curve, gpus);
  return gpus > 1 ? std::hypot(unexplained.spread, unexplained.noise) : unexplained.noise;
}

Unexplained unexplained_at(const Curve& curve, int gpus) {
  const auto& learnt = curve.learnt;
  const int nodes = (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
  const auto residual =
      estimate_residual(learnt.residual_process, learnt.own, {gpus, nodes, 0, 0, curve.setup.batch_per_gpu});
  const int measured_gpus = learnt.largest_gpus > 0 ? learnt.largest_gpus : curve.gpus_per_full_node;
  const double distance = spread_of_distance(learnt.residual_process, gpus, measured_gpus);
  const double mean = residual.mean + ln_shift_to_line(curve, gpus);
  const double of_series = nodes > 1 ? std::max(residual.spread, learnt.least_across_nodes) : residual.spread;
  const double misfit =
      gpus > learnt.largest_gpus ? learnt.misfit / normal_quantile(high_tail) : 0; // either end moves by it
  const double spread = std::hypot(of_series, distance, misfit);
  return {mean, spread, learnt.measurement_noise};
}

Parameters estimated(const Curve& curve, const Parameters& sample, const Unexplained& there) {
  Parameters found = sample;
  found.model_discrepancy = discrepancy_of(curve, sample, there);
  return found;
}

Parameters estimated(const Curve& curve, const Parameters& sample, int gpus) {
  return estimated(curve, sample, unexplained_at(curve, gpus));
}

double efficiency(const Curve& curve, const Parameters& sample, int gpus, const Unexplained& there) {
  return one_gpu_iteration_s(curve, sample) /
         time_step(at_scale(curve, gpus), estimated(curve, sample, there), Fidelity::screening).iteration_s;
}

std::vector<double> mechanism_times(const Curve& curve, int gpus) {
  auto setup = at_scale(curve, gpus);
  setup.input = {};
  const std::size_t most = affordable_samples(curve, setup);
  const auto block = static_cast<std::size_t>(curve.samples_a_block > 0 ? curve.samples_a_block : 1 << 30);
  const double spread = spread_at(curve, gpus);
  std::vector<double> times_s;
  while (times_s.size() < most) {
    add_times(curve, setup, std::min(most, std::max(block, 2 * times_s.size())), times_s);
    if (ends_stand(curve.samples, times_s, spread)) break;
  }
  return times_s;
}

std::vector<double> with_residuals(const Curve& curve, int gpus, std::vector<double> times_s) {
  const auto setup = at_scale(curve, gpus);
  const auto unexplained = gpus > 1 ? unexplained_at(curve, gpus) : Unexplained{};
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    const auto& sample = curve.samples.values[i];
    const double factor = gpus > 1 ? discrepancy_of(curve, sample, unexplained) : 1;
    times_s[i] = std::max(needed_input_s(setup, sample.input), times_s[i] * factor);
  }
  return times_s;
}

bool has_open_form(const Curve& curve, const StepSetup& setup) {
  constexpr double nearly_all = 0.95; // of the samples
  if (setup.gpus == 1) return false;
  const auto& samples = curve.samples.values;
  const auto likeliest = std::count_if(samples.begin(), samples.end(), [&](const Parameters& sample) {
    return has_likeliest_form(curve, setup, sample);
  });
  return likeliest > 0 && static_cast<double>(likeliest) < nearly_all * static_cast<double>(samples.size());
}

double mixture_ratio(const Curve& curve, const StepSetup& setup, const std::vector<double>& mechanism_s) {
  std::vector<double> of_likeliest;
  for (std::size_t i = 0; i < mechanism_s.size(); ++i)
    if (has_likeliest_form(curve, setup, curve.samples.values[i])) of_likeliest.push_back(std::log(mechanism_s[i]));
  if (of_likeliest.empty() || !has_open_form(curve, setup)) return 1;
  const double spread = unexplained_at(curve, setup.gpus).spread;
  return std::exp(quantile_of_normals(logarithms(mechanism_s), spread, 0.5) -
                  quantile_of_normals(of_likeliest, spread, 0.5));
}

void set_interval(PredictedPoint& point, const Curve& curve, const StepSetup& setup, double to_number,
                  const StepTime& time, const std::vector<double>& mechanism_s) {
  const double mean = setup.gpus > 1 ? unexplained_at(curve, setup.gpus).mean : 0;
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
  point.iteration_s_low += time.choice.faster * time.exposed_communication_s - time.neighbours_faster_s;
  point.iteration_s_high += time.choice.slower * time.exposed_communication_s + time.neighbours_slower_s;
  point.samples_per_s_low = setup.gpus * setup.batch_per_gpu / point.iteration_s_high;
  point.samples_per_s_high = setup.gpus * setup.batch_per_gpu / point.iteration_s_low;
  const auto efficiencies = ln_efficiencies(curve, setup, factor, mechanism_s);
  const double of_ratio = setup.gpus > 1 ? spread : 0; // one GPU is compared with itself
  point.efficiency_low = std::min(point.efficiency, std::exp(quantile_of_normals(efficiencies, of_ratio, low_tail)));
  point.efficiency_high = std::max(point.efficiency, std::exp(quantile_of_normals(efficiencies, of_ratio, high_tail)));
}

} // namespace ddlsim
