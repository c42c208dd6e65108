// What a calibration says of evidence that its fit has not seen, against fits that have not seen it.

#include "calibrate/fit/step_fit.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

/// A fit whose spreads stay as they are: what is held here is the step from one fit to the others.
StepFitOptions without_noise_rounds() {
  StepFitOptions options;
  options.noise_rounds = 0;
  return options;
}

/// Sums over every series' points, each predicted by a fit again without that series.
struct Refitted {
  double sum = 0;     ///< of |ln(measured / model)|
  double squares = 0; ///< of the mean square of a series on several GPUs
};

constexpr double several_gpus = 5; ///< of planted_scales(), all but the first

Refitted refit_without_each(const std::vector<SeriesData>& series, const StepFitOptions& options) {
  Refitted refitted;
  for (std::size_t s = 0; s < series.size(); ++s) {
    auto others = series;
    others[s].excluded = "left out"; // no parameter learns from it; its residuals are still known
    const auto points = fit_steps(others, options).series[s].points;
    for (const auto& point : points) {
      refitted.sum += std::abs(point.residual);
      if (point.gpus > 1) refitted.squares += point.residual * point.residual / several_gpus;
    }
  }
  return refitted;
}

/// Three models as the priors expect them, without noise.
std::vector<SeriesData> planted_models(const ReferenceData& reference) {
  auto series = planted_data(reference, {"small", "middle", "large"});
  const auto expected = find_free_parameters(series);
  const std::vector<double> medians(expected.all.size(), 0.0);
  for (std::size_t s = 0; s < series.size(); ++s) {
    const auto sample = sample_at(expected, series[s], s, medians);
    for (auto& point : series[s].points) point.measured_s = model_time_s(series[s], point, sample);
  }
  return series;
}

} // namespace

TEST_CASE("the errors of a calibration without each series are those of fits again without it", "[left-out]") {
  const auto reference = planted_reference();
  auto series = planted_data(reference, {"small", "middle", "large"});
  const auto options = without_noise_rounds();
  constexpr int seeds = 16; // of four the difference is 10 to 22 %, by what the priors draw
  double reported = 0;
  double squares = 0;
  Refitted refitted;
  for (int seed = 1; seed <= seeds; ++seed) {
    Normals normal(static_cast<std::uint64_t>(seed));
    plant(series, options.residual_process(), normal);
    const auto quality = fit_steps(series, options).quality;
    CHECK(quality.leave_one_out_points == 18);
    CHECK(quality.leave_one_out_error > quality.fit_error);
    CHECK(quality.unmeasured_models == 3); // a model a series
    reported += quality.leave_one_out_error * quality.leave_one_out_points;
    squares += quality.unmeasured_model_error * quality.unmeasured_model_error * quality.unmeasured_models;
    const auto again = refit_without_each(series, options);
    refitted.sum += again.sum;
    refitted.squares += again.squares;
  }
  INFO("reported " << reported << ", by refits " << refitted.sum);
  // The steps keep the slopes of the whole fit, and the model bends on the way; and they stay in its region, where a
  // fit again searches others, too: 12 and 16 % here.
  constexpr double apart = 0.2;
  CHECK(reported == Approx(refitted.sum).epsilon(apart));
  INFO("squares " << squares << ", by refits " << refitted.squares);
  CHECK(std::sqrt(squares) == Approx(std::sqrt(refitted.squares)).epsilon(apart));
}

TEST_CASE("a model that is off by itself shows in the error of models that were not measured", "[left-out]") {
  const auto reference = planted_reference();
  auto series = planted_models(reference);
  CHECK(fit_steps(series, {}).quality.unmeasured_model_error < 1e-3);
  constexpr double off = 0.3; // in ln
  for (auto& point : series[1].points) point.measured_s *= std::exp(off);
  const auto quality = fit_steps(series, {}).quality;
  // One of three models is off by 0.3; by how much the others' parameters give way, the error may differ.
  CHECK(quality.unmeasured_model_error == Approx(off / std::sqrt(3.0)).epsilon(0.25));
}

TEST_CASE("one model, or one-GPU times that nobody measured, inform nothing about other models", "[left-out]") {
  const auto reference = planted_reference();
  auto series = planted_models(reference);
  CHECK(fit_steps({series[0]}, {}).quality.unmeasured_models == 0);
  series[2].compute_prior = "compute_estimated";
  CHECK(fit_steps(series, {}).quality.unmeasured_models == 2);
  series[1].compute_prior = "compute_estimated";
  const auto quality = fit_steps(series, {}).quality;
  CHECK(quality.unmeasured_models == 0);
  CHECK(quality.leave_one_out_points == 18);
}
