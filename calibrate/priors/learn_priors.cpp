#include "calibrate/priors/learn_priors.hpp"

#include "calibrate/fit/calibrate.hpp"
#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// Whether any run that the cluster's fit sees loads real data.
bool sees_real_data(const Cluster& cluster, const std::vector<Series>& series) {
  const auto is_seen = [&](const std::string& from) {
    return from == cluster.name || std::any_of(cluster.borrows.begin(), cluster.borrows.end(),
                                               [&](const Borrow& borrow) { return borrow.cluster == from; });
  };
  return std::any_of(series.begin(), series.end(),
                     [&](const Series& one) { return one.data != "synthetic" && is_seen(one.cluster); });
}

SiteEvidence evidence_of_all(const ReferenceData& reference, const std::vector<MeasurementFile>& files, int threads) {
  const auto all = group_series(files);
  const auto synthetic = synthetic_of(all);
  std::set<std::string> measured;
  for (const auto& file : files) measured.insert(file.context.cluster);
  SiteEvidence evidence;
  for (const auto& [name, cluster] : reference.clusters) {
    if (measured.count(name) == 0) continue;
    const auto of_all = fit_cluster(reference, name, all, files, threads).calibration;
    add_evidence(evidence, of_all, cluster, EvidenceRuns::all);
    add_evidence(evidence,
                 sees_real_data(cluster, all) ? fit_cluster(reference, name, synthetic, files, threads).calibration
                                              : of_all,
                 cluster, EvidenceRuns::synthetic);
  }
  return evidence;
}

/// Of the judged ones of a class, the one that no cluster shaped: it stands last.
const Prior& judged_of(const std::vector<Prior>& judged, const PriorClass& of) {
  const auto found =
      std::find_if(judged.rbegin(), judged.rend(), [&](const Prior& prior) { return class_of(prior) == of; });
  return *found; // evidence has the class of a prior that the fit used
}

/// The clusters of the sites, and those that shaped the judged prior which the learnt one stands on: it leans on that
/// the more, the fewer the sites.
std::vector<std::string> shapers_of(const ReferenceData& reference, const Prior& judged,
                                    const std::vector<SiteValue>& sites) {
  std::set<std::string> names(judged.shaped_by.begin(), judged.shaped_by.end());
  for (const auto& [name, cluster] : reference.clusters)
    if (std::any_of(sites.begin(), sites.end(),
                    [&, &of = cluster](const SiteValue& one) { return one.site == of.site; }))
      names.insert(name);
  return {names.begin(), names.end()};
}

double three_digits(double value) {
  return std::stod(fmt::format("{:.3g}", value));
}

Prior learnt_from(const ReferenceData& reference, const Prior& judged, const std::vector<SiteValue>& sites) {
  const auto found = learn_prior(judged, sites, learnt_parameter(judged.parameter)->spread);
  Prior prior = judged;
  prior.median = three_digits(found.median);
  if (judged.highest) prior.median = std::min(prior.median, *judged.highest);
  prior.width = three_digits(found.width);
  prior.source =
      fmt::format("learnt from {} by `ddlsim calibrate --priors`; before: {:.3g}, {}",
                  sites.size() == 1 ? "one site" : fmt::format("{} sites", sites.size()), judged.median, judged.source);
  prior.shaped_by = shapers_of(reference, judged, sites);
  for (const auto& site : sites)
    prior.sites.push_back({site.site, three_digits(std::exp(site.mean)), three_digits(site.error)});
  return prior;
}

std::vector<SiteValue> without(std::vector<SiteValue> sites, const std::string& site) {
  sites.erase(std::remove_if(sites.begin(), sites.end(), [&](const SiteValue& one) { return one.site == site; }),
              sites.end());
  return sites;
}

} // namespace

std::vector<Prior> judged_priors(const std::vector<Prior>& priors) {
  std::vector<Prior> judged;
  std::copy_if(priors.begin(), priors.end(), std::back_inserter(judged),
               [](const Prior& prior) { return prior.sites.empty(); });
  return judged;
}

LearntPriors learn_priors(const ReferenceData& reference, const std::vector<MeasurementFile>& files, int threads) {
  auto judging = reference;
  judging.priors = judged_priors(reference.priors);
  LearntPriors learnt;
  for (const auto& [of, values] : evidence_of_all(judging, measured_files(files), threads)) {
    const auto sites = pooled(values);
    const auto& judged = judged_of(judging.priors, of);
    learnt.classes.push_back({judged, learnt_from(judging, judged, sites), sites});
    learnt.priors.push_back(learnt.classes.back().learnt);
    if (sites.size() == 1) continue; // without it nothing is learnt, and the judged prior holds
    for (const auto& site : sites) {
      const auto other = learnt_from(judging, judged, without(sites, site.site));
      if (!hides(learnt.classes.back().learnt, other)) learnt.priors.push_back(other);
    }
  }
  learnt.priors.insert(learnt.priors.end(), judging.priors.begin(), judging.priors.end());
  return learnt;
}

std::string learnt_priors_text(const LearntPriors& learnt) {
  std::string text = fmt::format("{:<52} {:>18} {:>18}  sites\n", "parameter", "judged", "learnt");
  const auto spread = [](const Prior& prior) {
    return fmt::format("{:.3g} x/ {:.2f}", prior.median, std::exp(prior.width));
  };
  for (const auto& one : learnt.classes) {
    std::vector<std::string> name{one.judged.parameter};
    for (const auto& part : {one.judged.transport, one.judged.preset, to_text(one.judged.path)})
      if (!part.empty()) name.push_back(part);
    std::vector<std::string> sites;
    for (const auto& site : one.sites) sites.push_back(fmt::format("{} {:.3g}", site.site, std::exp(site.mean)));
    text += fmt::format("{:<52} {:>18} {:>18}  {}\n", join_names(name), spread(one.judged), spread(one.learnt),
                        join_names(sites));
  }
  return text;
}

} // namespace ddlsim
