#include "calibrate/calibrate.hpp"

#include "calibrate/collective_fit.hpp"
#include "calibrate/gather.hpp"
#include "calibrate/series.hpp"
#include "calibrate/suspicions.hpp"
#include "sim/answer/checksum.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {

namespace {

/// What one node sends over its fastest NIC: where the rate of a curve is looked for when it is not measured.
double link_rate_Bps(const Cluster& cluster) {
  double rate_Bps = 0;
  for (const auto& nic : cluster.nics) rate_Bps = std::max(rate_Bps, nic.bandwidth_Bps * nic.count);
  return rate_Bps;
}

void add_collectives(Calibration& calibration, const Cluster& cluster, const std::vector<MeasurementFile>& own) {
  const auto fits = fit_collectives(own, {link_rate_Bps(cluster), true});
  for (const auto& fit : fits.fits) {
    calibration.collectives.push_back(fit.curve);
    for (const auto& note : fit.set_aside) calibration.set_aside.push_back({note.what, note.why});
  }
  for (const auto& note : fits.set_aside) calibration.set_aside.push_back({note.what, note.why});
}

void tell(std::vector<SetAside>& all, const std::vector<SetAside>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

[[noreturn]] void refuse_without_evidence(const std::string& cluster, const std::vector<SetAside>& set_aside) {
  std::vector<Mistake> mistakes{
      {cluster, "",
       "no step record on more than one GPU that the simulator can time, and no all-reduce; measure some with "
       "ddltrain, or import a table with `ddlsim import`"}};
  for (const auto& one : set_aside) mistakes.push_back({one.what, "", one.why});
  throw UserError(mistakes);
}

} // namespace

Calibration calibrate(const Shelf& shelf, const std::string& cluster, const std::vector<MeasurementFile>& files) {
  const auto series = group_series(files);
  auto gathered = gather(shelf, cluster, series, files);
  tell(gathered.set_aside, misplaced_files(cluster, files));
  tell(gathered.set_aside, contradictory_repeats(cluster, series));
  tell(gathered.set_aside, take_out_unit_slips(gathered.evidence));
  tell(gathered.set_aside, thin_evidence(shelf.clusters.at(cluster), gathered.evidence));
  const bool any = std::any_of(gathered.evidence.begin(), gathered.evidence.end(),
                               [](const SeriesEvidence& one) { return !one.points.empty(); });
  if (!any) refuse_without_evidence(cluster, gathered.set_aside);
  auto calibration = fit_steps(gathered.evidence, {});
  calibration.cluster = cluster;
  calibration.set_aside = gathered.set_aside;
  tell(calibration.set_aside, mark_outliers(calibration));
  std::vector<MeasurementFile> own;
  for (const auto& file : files)
    if (file.context.cluster == cluster) own.push_back(file);
  add_collectives(calibration, shelf.clusters.at(cluster), own);
  for (const auto& file : own)
    calibration.files.push_back(fmt::format("{} {}", file.file.filename().string(), fnv1a_of_file(file.file)));
  return calibration;
}

} // namespace ddlsim
