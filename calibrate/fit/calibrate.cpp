#include "calibrate/fit/calibrate.hpp"

#include "calibrate/data/data_checks.hpp"
#include "calibrate/data/fit_data.hpp"
#include "calibrate/data/series.hpp"
#include "calibrate/fit/step_fit.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {

namespace {

constexpr std::size_t most_next = 3; ///< measurements to propose: more than a person would make are noise

/// What one node sends over its fastest NIC: where the rate of a curve is looked for when it is not measured.
double link_rate_Bps(const Cluster& cluster) {
  double rate_Bps = 0;
  for (const auto& nic : cluster.nics) rate_Bps = std::max(rate_Bps, nic.bandwidth_Bps * nic.count);
  return rate_Bps;
}

void tell(std::vector<SetAside>& all, const std::vector<SetAside>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void add_collectives(Calibrated& all) {
  for (const auto& fit : all.collectives.fits) {
    all.calibration.collectives.push_back(fit.curve);
    tell(all.calibration.set_aside, fit.set_aside);
  }
  tell(all.calibration.set_aside, all.collectives.set_aside);
}

void add_compute(Calibrated& all) {
  auto& calibration = all.calibration;
  calibration.compute = all.compute.lines;
  tell(calibration.set_aside, all.compute.set_aside);
}

std::vector<MeasurementFile> files_of(const std::string& cluster, const std::vector<MeasurementFile>& files) {
  std::vector<MeasurementFile> own;
  std::copy_if(files.begin(), files.end(), std::back_inserter(own),
               [&](const MeasurementFile& file) { return file.context.cluster == cluster; });
  return own;
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

Calibrated calibrate(const Shelf& shelf, const std::string& cluster, const std::vector<MeasurementFile>& files) {
  const auto series = group_series(files);
  const auto own = files_of(cluster, files);
  const auto& machine = shelf.clusters.at(cluster);
  auto gathered = gather(shelf, cluster, series, files);
  tell(gathered.set_aside, misplaced_files(cluster, files));
  tell(gathered.set_aside, contradictory_repeats(cluster, series));
  tell(gathered.set_aside, take_out_unit_slips(gathered.evidence));
  tell(gathered.set_aside, thin_evidence(machine, gathered.evidence));
  Calibrated all;
  all.compute = fit_compute(records_of<StepRecord>(own), shelf.gpus, shelf.models, machine.gpu);
  all.collectives = fit_collectives(own, {link_rate_Bps(machine), true});
  const bool any = std::any_of(gathered.evidence.begin(), gathered.evidence.end(),
                               [](const SeriesEvidence& one) { return !one.points.empty(); });
  if (!any && all.compute.lines.empty() && all.collectives.fits.empty())
    refuse_without_evidence(cluster, gathered.set_aside);
  all.calibration = fit_steps(gathered.evidence, {});
  all.calibration.cluster = cluster;
  all.calibration.set_aside = gathered.set_aside;
  tell(all.calibration.set_aside, mark_outliers(all.calibration));
  all.next = next_measurements(gathered.evidence, priors_without(shelf.priors, cluster), all.calibration, most_next);
  add_collectives(all);
  add_compute(all);
  for (const auto& file : own)
    all.calibration.files.push_back(fmt::format("{} {}", file.file.filename().string(), fnv1a_of_file(file.file)));
  return all;
}

} // namespace ddlsim
