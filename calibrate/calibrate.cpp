#include "calibrate/calibrate.hpp"

#include "calibrate/collective_fit.hpp"
#include "calibrate/gather.hpp"
#include "calibrate/series.hpp"
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

} // namespace

Calibration calibrate(const Shelf& shelf, const std::string& cluster, const std::vector<MeasurementFile>& files) {
  const auto gathered = gather(shelf, cluster, group_series(files), files);
  const bool any = std::any_of(gathered.evidence.begin(), gathered.evidence.end(),
                               [](const SeriesEvidence& one) { return !one.points.empty(); });
  if (!any)
    throw UserError(cluster, "",
                    "no step record on more than one GPU that the simulator can time, and no all-reduce; measure some "
                    "with ddltrain, or import a table with `ddlsim import`");
  auto calibration = fit_steps(gathered.evidence, {});
  calibration.cluster = cluster;
  calibration.set_aside = gathered.set_aside;
  std::vector<MeasurementFile> own;
  for (const auto& file : files)
    if (file.context.cluster == cluster) own.push_back(file);
  add_collectives(calibration, shelf.clusters.at(cluster), own);
  for (const auto& file : own)
    calibration.files.push_back(fmt::format("{} {}", file.file.filename().string(), fnv1a_of_file(file.file)));
  return calibration;
}

} // namespace ddlsim
