#include "calibrate/priors/fit_priors.hpp"

#include "calibrate/fit/calibrate.hpp"
#include "calibrate/priors/site_evidence.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/learnt_parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ddlsim {

namespace {

std::vector<MeasurementFile> measured_files(const std::vector<MeasurementFile>& files) {
  std::vector<MeasurementFile> measured;
  std::copy_if(files.begin(), files.end(), std::back_inserter(measured),
               [](const MeasurementFile& file) { return !file.context.emulated; });
  return measured;
}

std::vector<Series> synthetic_of(const std::vector<Series>& series) {
  std::vector<Series> synthetic;
  std::copy_if(series.begin(), series.end(), std::back_inserter(synthetic),
               [](const Series& one) { return one.data == "synthetic"; });
  return synthetic;
}

/// Whether any run that the cluster's fit uses loads real data.
bool sees_real_data(const Cluster& cluster, const std::vector<Series>& series) {
  const auto is_seen = [&](const std::string& from) {
    return from == cluster.name || std::any_of(cluster.borrows.begin(), cluster.borrows.end(),
                                               [&](const Borrow& borrow) { return borrow.cluster == from; });
  };
  return std::any_of(series.begin(), series.end(),
                     [&](const Series& one) { return one.data != "synthetic" && is_seen(one.cluster); });
}

/// The priors, with ceilings raised by the factor raised_ceilings.
PriorBook with_raised_ceilings(PriorBook book) {
  for (auto& prior : book.expected)
    if (const auto* fitted = learnt_parameter(prior.parameter); fitted != nullptr && fitted->ceiling)
      prior.median *= raised_ceilings;
  return book;
}

bool has_ceilings(const Calibration& calibration) {
  return std::any_of(calibration.parameters.begin(), calibration.parameters.end(), [](const auto& parameter) {
    const auto* fitted = learnt_parameter(parameter.name);
    return fitted != nullptr && fitted->ceiling;
  });
}

SiteEvidence evidence_of_all(const ReferenceData& reference, const std::vector<MeasurementFile>& files, int threads) {
  const auto all = group_series(files);
  const auto synthetic = synthetic_of(all);
  std::set<std::string> measured;
  for (const auto& file : files) measured.insert(file.context.cluster);
  auto raised = reference;
  raised.priors = with_raised_ceilings(std::move(raised.priors));
  SiteEvidence evidence;
  for (const auto& [name, cluster] : reference.clusters) {
    if (measured.count(name) == 0) continue;
    auto of_all = fit_cluster(reference, name, all, files, threads).calibration;
    if (has_ceilings(of_all))
      of_all = without_bounds(std::move(of_all), fit_cluster(raised, name, all, files, threads).calibration);
    add_evidence(evidence, of_all, cluster, EvidenceRuns::all);
    add_evidence(evidence,
                 sees_real_data(cluster, all) ? fit_cluster(reference, name, synthetic, files, threads).calibration
                                              : of_all,
                 cluster, EvidenceRuns::synthetic);
  }
  return evidence;
}

std::string with_factor(const Prior& prior) {
  return fmt::format("{:.3g} x/ {:.2f}", prior.median, std::exp(prior.width));
}

/// The first prior of a class. The others of the class follow it.
const Prior& first_of(const std::vector<Prior>& priors, const PriorClass& of) {
  return *std::find_if(priors.begin(), priors.end(), [&](const Prior& prior) { return class_of(prior) == of; });
}

} // namespace

PriorBook fit_priors(const ReferenceData& reference, const std::vector<MeasurementFile>& files, int threads) {
  auto before = reference;
  before.priors.sites.clear();
  auto fitted = before.priors;
  fitted.model.clear(); // these values were fitted with the previous estimates of sites
  fitted.sites = summaries_of(evidence_of_all(before, measured_files(files), threads));
  return fitted;
}

std::string fitted_priors_text(const PriorBook& book) {
  std::string text = fmt::format("{:<52} {:>18} {:>18}  sites\n", "parameter", "expected", "learnt");
  std::map<PriorClass, std::vector<std::string>> sites;
  for (const auto& summary : book.sites)
    for (const auto& value : summary.values)
      sites[value.of].push_back(fmt::format("{} {:.3g}", summary.site, value.value));
  const auto priors = priors_for(book);
  for (const auto& [of, say] : sites)
    text += fmt::format("{:<52} {:>18} {:>18}  {}\n", to_text(of), with_factor(first_of(book.expected, of)),
                        with_factor(first_of(priors, of)), join_names(say));
  return text;
}

} // namespace ddlsim
