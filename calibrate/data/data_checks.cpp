#include "calibrate/data/data_checks.hpp"

#include "sim/base/statistics.hpp"
#include "sim/base/units.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/predict/residual_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

std::string scale_text(int gpus, int nodes) {
  return fmt::format("{} GPU{} on {} node{}", gpus, gpus == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s");
}

/// ln(measured / model) with the parameters at the priors' medians.
double off_before(const SeriesData& series, const DataPoint& point) {
  Parameters median;
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k) median.*fields[k].value = series.priors[k].median;
  return std::log(point.measured_s / model_time_s(series, point, median));
}

/// ln of the one-GPU time over the time that the device would need; 0 if no device is named.
double compute_off(const SeriesData& series) {
  const auto& setup = series.setup;
  if (setup.gpu.name != setup.cluster.gpu || series.compute_prior != "compute_measured") return 0;
  return std::log(setup.one_gpu_s / roofline_iteration_s(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu));
}

Excluded unit_mistake_note(const std::string& what, const std::string& why, double off, const std::string& than) {
  return {what, why + unit_mistake_text(off, than) + " It is left out"};
}

/// Removes all points of a series if most of its times, or its one-GPU time, are far off.
Excluded clear_unit_mistakes(SeriesData& series, double compute, double middle_off) {
  series.points.clear();
  if (is_transfer(series)) return unit_mistake_note(series.id, "its times are ", middle_off, "the machine allows");
  const std::string why = "the one-GPU time is ";
  if (is_unit_mistake(compute)) return unit_mistake_note(series.id, why, compute, "the device allows");
  return unit_mistake_note(series.id, why, -middle_off, "the other scales allow");
}

std::string point_text(const SeriesData& series, const DataPoint& point) {
  return is_transfer(series) ? print_quantity(point.size_bytes, Dimension::size) : scale_text(point.gpus, point.nodes);
}

std::vector<Excluded> unit_mistakes_of(SeriesData& series) {
  std::vector<double> off;
  for (const auto& point : series.points) off.push_back(off_before(series, point));
  const double compute = is_transfer(series) ? 0 : compute_off(series);
  if (is_unit_mistake(compute) ||
      2 * std::count_if(off.begin(), off.end(), is_unit_mistake) > static_cast<long>(off.size()))
    return {clear_unit_mistakes(series, compute, median(off))};
  std::vector<Excluded> reported;
  std::vector<DataPoint> kept;
  for (std::size_t p = 0; p < off.size(); ++p) {
    const auto& point = series.points[p];
    if (!is_unit_mistake(off[p])) kept.push_back(point);
    if (is_unit_mistake(off[p]))
      reported.push_back(unit_mistake_note(fmt::format("{} at {}", series.id, point_text(series, point)), "", off[p],
                                           "the other points allow"));
  }
  series.points = kept;
  return reported;
}

struct Outlier {
  std::size_t point = 0;
  double off = 0;    ///< ln of the time over that expected from the other points
  double spread = 1; ///< standard deviation of that difference
  double deviation() const { return std::abs(off) / spread; }
};

/// The kept point that is farthest from the prediction by the other kept points.
Outlier farthest(const ResidualProcess& process, const CalibratedSeries& series, const std::vector<bool>& kept) {
  Outlier worst;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    if (!kept[i]) continue;
    std::vector<KnownResidual> others;
    for (std::size_t j = 0; j < series.points.size(); ++j) {
      const auto& other = series.points[j];
      if (j != i && kept[j]) others.push_back({{other.gpus, other.nodes}, other.residual, other.noise});
    }
    const auto& point = series.points[i];
    const auto stated = estimate_residual(process, others, {point.gpus, point.nodes});
    const Outlier one{i, point.residual - stated.mean, std::hypot(stated.spread, point.noise)};
    if (one.deviation() > worst.deviation()) worst = one;
  }
  return worst;
}

/// The outliers of one series, as long as at least two thirds of its points agree.
std::vector<Outlier> outliers_of(const ResidualProcess& process, const CalibratedSeries& series) {
  constexpr double far = 4; // number of standard deviations
  constexpr std::size_t least_scales = 3;
  const std::size_t count = series.points.size();
  std::vector<bool> kept(count, true);
  std::vector<Outlier> found;
  if (count < least_scales) return found;
  for (std::size_t taken = 0; 3 * taken < count; ++taken) {
    const auto worst = farthest(process, series, kept);
    if (worst.deviation() <= far) return found;
    kept[worst.point] = false;
    found.push_back(worst);
  }
  return {}; // the series as a whole is not explained, so no single point of it is an outlier
}

/// The usual error of a series over this transport.
double usual_spread(const Calibration& calibration, const std::string& transport) {
  std::vector<double> spreads;
  for (const auto& series : calibration.series)
    if (series.scope.transport == transport && !series.points.empty()) spreads.push_back(series.spread);
  return median(spreads);
}

} // namespace

std::vector<Excluded> remove_unit_mistakes(std::vector<SeriesData>& fit_data) {
  std::vector<Excluded> reported;
  for (auto& series : fit_data) {
    if (series.points.empty()) continue;
    const auto unit_mistakes = unit_mistakes_of(series);
    reported.insert(reported.end(), unit_mistakes.begin(), unit_mistakes.end());
  }
  return reported;
}

std::vector<Excluded> remove_equal_times(std::vector<SeriesData>& fit_data) {
  constexpr std::size_t least_scales = 3; // two equal times may be chance
  constexpr double same_digits = 1e-9;    // difference of ln below which times are equal
  std::vector<Excluded> reported;
  for (auto& series : fit_data) {
    std::set<int> scales;
    for (const auto& point : series.points) scales.insert(point.gpus);
    if (is_transfer(series) || scales.size() < least_scales) continue;
    const double first_s = series.points.front().measured_s;
    const bool all_equal = std::all_of(series.points.begin(), series.points.end(), [&](const DataPoint& point) {
      return std::abs(std::log(point.measured_s / first_s)) < same_digits;
    });
    if (!all_equal) continue;
    reported.push_back(
        {series.id, fmt::format("all {} times are {}, from {} to {} GPUs, and no run scales like that: a "
                                "column that was copied? They are left out",
                                series.points.size(), print_quantity(first_s, Dimension::time), *scales.begin(),
                                *scales.rbegin())});
    series.points.clear();
  }
  return reported;
}

std::vector<Excluded> remove_suspect_times(const Cluster& cluster, std::vector<SeriesData>& fit_data) {
  std::vector<Excluded> reported;
  std::vector<Excluded> of_others; // reasons for borrowed series and for transfers
  std::size_t own = 0, own_suspect = 0;
  for (auto& series : fit_data) {
    const bool is_own = !series.borrowed && !is_transfer(series);
    for (const auto& point : series.points) {
      if (!is_own || point.gpus < 2) continue;
      ++own;
      own_suspect += point.suspect ? 1 : 0;
    }
    const auto suspect = std::erase_if(series.points, [](const DataPoint& point) { return point.suspect; });
    if (suspect == 0) continue;
    const Excluded left_out{series.id, fmt::format("{}: {} of its {} times left out", marked_by_source, suspect,
                                                   suspect + series.points.size())};
    reported.push_back(left_out);
    if (!is_own) of_others.push_back(left_out);
  }
  if (own < 2 || own_suspect < own) return reported;
  of_others.push_back(
      {cluster.name,
       fmt::format("all {} step times are marked unreliable by their source, and none is fitted; measure them again",
                   own)});
  return of_others;
}

std::vector<Excluded> conflicting_repeats(const std::string& cluster, const std::vector<Series>& series) {
  constexpr double much = 0.1;
  std::vector<Excluded> reported;
  for (const auto& one : series) {
    if (one.cluster != cluster) continue;
    for (const auto& point : one.points) {
      if (point.records.size() < 2 || point.relative_spread < much) continue;
      reported.push_back(
          {fmt::format("{} at {}", one.id, scale_text(point.gpus, point.nodes)),
           fmt::format("measured {} times with times {:.0f} % apart (standard deviation): the middle is used, "
                       "as noisy as that; say what differed, as series of their own",
                       point.records.size(), 100 * point.relative_spread)});
    }
  }
  return reported;
}

std::vector<Excluded> thin_evidence(const Cluster& cluster, const std::vector<SeriesData>& fit_data) {
  std::set<std::pair<int, int>> scales;
  int points = 0;
  bool collectives = false;
  for (const auto& series : fit_data) {
    if (series.borrowed) continue;
    collectives = collectives || is_transfer(series);
    for (const auto& point : series.points) {
      if (point.gpus < 2 || is_transfer(series)) continue;
      scales.insert({point.nodes, point.gpus});
      ++points;
    }
  }
  if (scales.empty()) return {};
  const auto last = scales.rbegin();
  const std::string where = scale_text(last->second, last->first);
  if (points == 1)
    return {{cluster.name, fmt::format("one step time only, at {}: compute, network and software cannot be "
                                       "separated; measure other scales",
                                       where)}};
  if (scales.size() == 1)
    return {
        {cluster.name, fmt::format("all {} step times are at {}: how times change with scale is not in them; measure "
                                   "other scales",
                                   points, where)}};
  if (last->first == 1 && cluster.available_nodes > 1 && !collectives)
    return {
        {cluster.name, "no step time across nodes: what the network does to them stays assumed; measure two nodes"}};
  return {};
}

std::vector<Excluded> misplaced_files(const std::string& cluster, const std::vector<MeasurementFile>& files) {
  std::vector<Excluded> reported;
  for (const auto& file : files) {
    const auto folder = file.file.parent_path().parent_path().filename().string();
    if (folder != cluster || file.context.cluster == cluster) continue;
    reported.push_back(
        {file.file.filename().string(),
         fmt::format("its context says that the records are of {}: they count there, not for {}; move the "
                     "file, or correct its first line",
                     file.context.cluster, cluster)});
  }
  return reported;
}

std::vector<Excluded> mark_outliers(Calibration& calibration) {
  std::vector<Excluded> reported;
  for (auto& series : calibration.series) {
    if (series.borrowed) continue;
    ResidualProcess process;
    process.spread = usual_spread(calibration, series.scope.transport);
    for (const auto& one : outliers_of(process, series)) {
      auto& point = series.points[one.point];
      reported.push_back(
          {fmt::format("{} at {}", series.id, scale_text(point.gpus, point.nodes)),
           fmt::format("{:.0f} % {} than the other points say: an outlier; the fit gives it little weight; measure "
                       "it again",
                       100 * std::abs(std::expm1(one.off)), one.off > 0 ? "longer" : "shorter")});
      point.noise = std::max(point.noise, std::abs(one.off));
    }
  }
  return reported;
}

} // namespace ddlsim
