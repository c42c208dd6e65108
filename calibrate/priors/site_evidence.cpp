#include "calibrate/priors/site_evidence.hpp"

#include "calibrate/fit/step_fit.hpp"
#include "sim/formats/learnt_parameter.hpp"
#include "sim/formats/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {

namespace {

constexpr double not_narrowed = 0.99; ///< share of the prior's width from which a parameter counts as not narrowed
constexpr double least_error = 0.03;  ///< least error of ln of a site's value; no network model is more exact

double three_digits(double value) {
  return std::stod(fmt::format("{:.3g}", value));
}

SiteValue mean_of(const PriorClass& of, const std::vector<SiteEstimate>& own) {
  double weight = 0;
  double mean = 0;
  double scatter = 0;
  const auto weight_of = [](const SiteEstimate& one) {
    return 1 / (one.error * one.error + least_error * least_error);
  };
  for (const auto& one : own) weight += weight_of(one);
  for (const auto& one : own) mean += weight_of(one) * one.mean / weight;
  for (const auto& one : own) scatter += weight_of(one) * (one.mean - mean) * (one.mean - mean) / weight;
  const double error = std::sqrt(std::max(1 / weight, scatter / static_cast<double>(own.size())));
  return {of, three_digits(std::exp(mean)), three_digits(error)};
}

double ln_value(const CalibratedParameter& parameter) {
  return std::log(prior_value(parameter.prior, parameter.z_score));
}

/// How much less likely the records are under `fit` than under `than`, in ln, with the spreads of `than`.
double less_likely(const Calibration& fit, const Calibration& than) {
  double sum = 0;
  for (const auto& known : than.series)
    for (const auto& series : fit.series) {
      if (series.id != known.id || series.scope != known.scope || series.points.size() != known.points.size()) continue;
      for (std::size_t i = 0; i < series.points.size(); ++i) {
        const double spread = std::hypot(known.spread, known.points[i].noise);
        sum += cost_of(Loss::student_t3, series.points[i].residual / spread) -
               cost_of(Loss::student_t3, known.points[i].residual / spread);
      }
    }
  return sum;
}

bool is_ceiling(const CalibratedParameter& parameter) {
  const auto* class_of_sites = learnt_parameter(parameter.name);
  return class_of_sites != nullptr && class_of_sites->ceiling;
}

} // namespace

Calibration without_bounds(Calibration calibration, const Calibration& raised) {
  if (less_likely(raised, calibration) > std::log(20.0)) return calibration;
  const double half_the_change = 0.5 * std::log(raised_ceilings);
  const auto is_bound = [&](const CalibratedParameter& one) {
    const auto same = std::find_if(raised.parameters.begin(), raised.parameters.end(), [&](const auto& other) {
      return other.name == one.name && other.scope == one.scope;
    });
    return is_ceiling(one) && (same == raised.parameters.end() || ln_value(*same) - ln_value(one) >= half_the_change);
  };
  std::erase_if(calibration.parameters, is_bound);
  calibration.correlation.clear(); // it is that of the earlier parameters, and the evidence uses the parameters alone
  return calibration;
}

void add_evidence(SiteEvidence& evidence, const Calibration& calibration, const Cluster& cluster, EvidenceRuns runs) {
  for (std::size_t at = 0; at < calibration.parameters.size(); ++at) {
    const auto& parameter = calibration.parameters[at];
    const auto* class_of_sites = learnt_parameter(parameter.name);
    const auto& prior = parameter.prior;
    if (class_of_sites == nullptr || class_of_sites->synthetic_only != (runs == EvidenceRuns::synthetic)) continue;
    if (parameter.borrowed_points > 0 || parameter.error >= not_narrowed) continue;
    if (is_share_of_assumed_rate(cluster, prior)) continue;
    const double all_information = 1 / (parameter.error * parameter.error);
    const double of_records = all_information - weight_of(step_prior_loss, parameter.z_score);
    const double error = 1 / std::sqrt(of_records);
    const double mean = std::log(prior.median) + prior.width * parameter.z_score * all_information / of_records;
    const bool at_ceiling = prior.highest && prior_value(prior, parameter.z_score) >= *prior.highest;
    if (at_ceiling || mean > std::log(class_of_sites->highest)) continue;
    evidence[cluster.site][class_of(prior)].push_back({mean, prior.width * error});
  }
}

std::vector<SiteSummary> summaries_of(const SiteEvidence& evidence) {
  std::vector<SiteSummary> summaries;
  for (const auto& [site, classes] : evidence) {
    summaries.push_back({site, {}});
    for (const auto& [of, own] : classes) summaries.back().values.push_back(mean_of(of, own));
  }
  return summaries;
}

} // namespace ddlsim
