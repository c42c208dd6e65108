#include "calibrate/fit/calibrate.hpp"

#include "calibrate/data/data_checks.hpp"
#include "calibrate/data/fit_data.hpp"
#include "calibrate/data/series.hpp"
#include "calibrate/fit/step_fit.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/network/nic_rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ddlsim {

namespace {

constexpr std::size_t most_next = 3; ///< number of measurements to propose; people would not read more

/// The rate of a node's fastest NIC. A curve is assumed to have it before anything is measured.
double link_rate_Bps(const Cluster& cluster) {
  double rate_Bps = 0;
  for (const auto& nic : cluster.nics) rate_Bps = std::max(rate_Bps, line_Bps(nic));
  return rate_Bps;
}

void append(std::vector<Excluded>& all, const std::vector<Excluded>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void add_collectives(Calibrated& all) {
  for (const auto& fit : all.collectives.fits) {
    all.calibration.collectives.push_back(fit.curve);
    append(all.calibration.excluded, fit.excluded);
  }
  append(all.calibration.excluded, all.collectives.excluded);
}

void add_compute(Calibrated& all) {
  auto& calibration = all.calibration;
  calibration.compute = all.compute.lines;
  append(calibration.excluded, all.compute.excluded);
}

std::vector<MeasurementFile> files_of(const std::string& cluster, const std::vector<MeasurementFile>& files) {
  std::vector<MeasurementFile> own;
  std::copy_if(files.begin(), files.end(), std::back_inserter(own),
               [&](const MeasurementFile& file) { return file.context.cluster == cluster; });
  return own;
}

/// Checksums of the files that the fit reads: those in the folders of these clusters. A file elsewhere belongs to the
/// cluster that it names.
std::vector<std::string> checksums_of(const std::vector<MeasurementFile>& files,
                                      const std::vector<std::string>& clusters) {
  std::vector<std::string> checksums;
  for (const auto& file : files) {
    const auto folder = file.file.parent_path();
    const auto of =
        folder.filename() == "measurements" ? folder.parent_path().filename().string() : file.context.cluster;
    if (is_in(clusters, of)) checksums.push_back(records_checksum(of, file.file));
  }
  std::sort(checksums.begin(), checksums.end());
  return checksums;
}

/// Returns one sentence on why all records that could be timed are excluded; "" if none could be timed.
std::string left_out_text(const std::string& cluster, const std::vector<Excluded>& excluded) {
  std::vector<std::string> reasons;
  for (const auto& one : excluded)
    if (!one.why.starts_with(not_simulated) && !one.why.starts_with(no_preset_of_it))
      reasons.push_back(one.what == cluster ? one.why : one.what + ": " + one.why);
  return reasons.empty() ? "" : "nothing is left to fit, so that the priors hold: " + join_names(reasons, "; ");
}

[[noreturn]] void refuse_without_data(const std::string& cluster, const std::vector<Excluded>& excluded) {
  if (const auto text = left_out_text(cluster, excluded); !text.empty()) {
    NothingToFit nothing({{cluster, "", text}});
    nothing.all_left_out = true;
    throw nothing;
  }
  std::vector<Mistake> mistakes{
      {cluster, "",
       "no step record on more than one GPU that the simulator can time, and no all-reduce; measure some with "
       "ddltrain, or import a table with `ddlsim import`"}};
  for (const auto& one : excluded) mistakes.push_back({one.what, "", one.why});
  throw NothingToFit(mistakes);
}

} // namespace

ClusterFit fit_selected(const ReferenceData& reference, const std::string& cluster, SelectedFitData selected,
                        int threads) {
  ClusterFit fit{std::move(selected), {}};
  append(fit.selected.excluded, remove_suspect_times(reference.clusters.at(cluster), fit.selected.fit_data));
  append(fit.selected.excluded, remove_unit_mistakes(fit.selected.fit_data));
  append(fit.selected.excluded, remove_equal_times(fit.selected.fit_data));
  append(fit.selected.excluded, thin_evidence(reference.clusters.at(cluster), fit.selected.fit_data));
  fit.calibration = fit_steps(fit.selected.fit_data, {.constants = reference.constants, .threads = threads});
  fit.calibration.cluster = cluster;
  fit.calibration.excluded = fit.selected.excluded;
  append(fit.calibration.excluded, mark_outliers(fit.calibration));
  return fit;
}

ClusterFit fit_cluster(const ReferenceData& reference, const std::string& cluster, const std::vector<Series>& series,
                       const std::vector<MeasurementFile>& files, int threads) {
  auto selected = select_fit_data(reference, cluster, series, files);
  append(selected.excluded, misplaced_files(cluster, files));
  append(selected.excluded, conflicting_repeats(cluster, series));
  return fit_selected(reference, cluster, std::move(selected), threads);
}

Calibrated calibrate(const ReferenceData& reference, const std::string& cluster,
                     const std::vector<MeasurementFile>& files, int threads) {
  const auto own = files_of(cluster, files);
  const auto& machine = reference.clusters.at(cluster);
  auto fit = fit_cluster(reference, cluster, group_series(files), files, threads);
  const auto& selected = fit.selected;
  Calibrated all;
  all.compute = fit_compute(records_of<StepRecord>(own), reference.gpus, reference.models, machine.gpu);
  all.collectives = fit_collectives(own, {link_rate_Bps(machine), true});
  const bool any = std::any_of(selected.fit_data.begin(), selected.fit_data.end(),
                               [](const SeriesData& one) { return !one.points.empty(); });
  if (!any && all.compute.lines.empty() && all.collectives.fits.empty())
    refuse_without_data(cluster, selected.excluded);
  all.calibration = std::move(fit.calibration);
  all.next =
      next_measurements(selected.fit_data, priors_for(reference.priors, machine.site), all.calibration, most_next);
  add_collectives(all);
  add_compute(all);
  all.calibration.files = checksums_of(files, fitted_clusters(machine));
  return all;
}

} // namespace ddlsim
