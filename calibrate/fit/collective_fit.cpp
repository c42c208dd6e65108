#include "calibrate/fit/collective_fit.hpp"

#include "sim/base/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace ddlsim {
namespace {

/// Share of the prior's width above which a constant counts as not identified: the measurements left most of its width.
constexpr double identified_share = 0.7;

AlphaBetaConstant constant(const AlphaBetaFit& fit, const AlphaBetaPrior& prior, std::size_t which) {
  return {fit.value[which], fit.error[which], fit.error[which] < identified_share * prior.width[which]};
}

void put_table(const std::vector<TransferSample>& samples, CollectiveCurve& curve) {
  for (const auto& sample : samples) {
    const double alpha_beta_time_s = alpha_beta_s(curve, sample.size_bytes);
    curve.points.push_back({sample.size_bytes, std::log(sample.time_s / alpha_beta_time_s)});
  }
}

/// The alpha-beta law and its table, without error figures.
CollectiveCurve alpha_beta_and_table(const CollectiveKey& key, const std::vector<TransferSample>& samples,
                                     const AlphaBetaPrior& prior, const AlphaBetaFit& fit) {
  CollectiveCurve curve;
  curve.key = key;
  curve.latency_s = constant(fit, prior, 0);
  curve.rate_Bps = constant(fit, prior, 1);
  curve.pipelining = constant(fit, prior, 2);
  curve.correlation = fit.correlation;
  curve.noise = usual_table_noise;
  curve.fit_spread = std::max(fit.spread, fit.scale);
  put_table(samples, curve);
  return curve;
}

/// Number of sizes from which the law is not fitted again for each size left out, because one size does not change it.
constexpr std::size_t many_sizes = 64;

/// ln(predicted / measured) of every size, each predicted from the others.
std::vector<double> leave_one_out_errors(const CollectiveKey& key, const std::vector<TransferSample>& samples,
                                         const AlphaBetaPrior& prior, const AlphaBetaFit& whole) {
  std::vector<double> errors;
  const bool again = samples.size() < many_sizes;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    auto others = samples;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const auto curve = alpha_beta_and_table(key, others, prior, again ? fit_alpha_beta(others, prior, &whole) : whole);
    errors.push_back(std::log(collective_time_s(curve, samples[i].size_bytes) / samples[i].time_s));
  }
  return errors;
}

/// The median of the spreads that the records state; the usual noise if they state none.
double measured_noise(const CollectiveData& fit_data) {
  std::vector<double> spreads;
  for (const auto& sample : fit_data.samples)
    if (sample.spread > 0) spreads.push_back(sample.spread);
  return spreads.empty() ? usual_table_noise : median(spreads);
}

std::string source_text(const CollectiveData& fit_data) {
  std::vector<int> lines;
  for (const auto& sample : fit_data.samples) lines.insert(lines.end(), sample.lines.begin(), sample.lines.end());
  return fmt::format("{}:{}", std::filesystem::path(fit_data.file).filename().string(), lines_text(lines));
}

void report_thin_evidence(CollectiveFit& fit) {
  if (fit.samples.size() > 2) return;
  const char* why =
      fit.samples.size() == 1
          ? "one size only: latency and rate cannot be separated; they stay at their priors, and intervals "
            "are as wide as that; measure a second size"
          : "two sizes only: how the time bends between them is the prior's";
  fit.excluded.push_back({curve_name(fit.curve.key), why});
}

CollectiveFit fit_of(const CollectiveData& fit_data, const CollectiveFitOptions& options) {
  CollectiveFit fit;
  for (const auto& one : fit_data.samples) fit.samples.push_back(one.sample);
  fit.curve = fit_curve(fit_data.key, fit.samples, options);
  fit.curve.noise = measured_noise(fit_data);
  fit.curve.sources = {source_text(fit_data)};
  fit.excluded = fit_data.notes;
  report_thin_evidence(fit);
  return fit;
}

} // namespace

CollectiveCurve fit_curve(const CollectiveKey& key, const std::vector<TransferSample>& samples,
                          const CollectiveFitOptions& options) {
  const auto prior = collective_prior(key, options.link_rate_Bps);
  const auto fit = fit_alpha_beta(samples, prior);
  auto curve = alpha_beta_and_table(key, samples, prior, fit);
  curve.jumps = find_jumps(curve);
  std::vector<double> errors;
  if (options.leave_one_out && samples.size() > 2) errors = leave_one_out_errors(key, samples, prior, fit);
  put_leave_one_out_errors(errors, curve);
  return curve;
}

CollectiveFits fit_collectives(const std::vector<MeasurementFile>& files, const CollectiveFitOptions& options) {
  const auto fit_data = collective_data(files);
  CollectiveFits all;
  all.excluded = fit_data.notes;
  for (const auto& one : fit_data.curves) all.fits.push_back(fit_of(one, options));
  return all;
}

} // namespace ddlsim
