#include "validate/score.hpp"

#include "validate/split.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace ddlsim {
namespace {

constexpr double interval_alpha = 0.1;

bool has_interval(const Forecast& forecast) {
  return forecast.low_s > 0 && forecast.high_s > 0;
}

bool covers(const Forecast& forecast, double measured_s) {
  return forecast.low_s <= measured_s && measured_s <= forecast.high_s;
}

/// Values of points, kept by cluster and series.
class Nested {
public:
  void add(const ScoredPoint& point, double value) {
    values_[point.group][point.series].push_back(value);
    site_of_[point.group] = point.site.empty() ? point.group : point.site;
    flat_.push_back(value);
  }
  const std::vector<double>& flat() const { return flat_; }
  int series() const {
    int count = 0;
    for (const auto& [cluster, of] : values_) count += static_cast<int>(of.size());
    return count;
  }
  std::vector<double> cluster_means() const {
    std::vector<double> means;
    for (const auto& [cluster, of] : values_) {
      std::vector<double> of_series;
      for (const auto& [series, values] : of) of_series.push_back(mean(values));
      means.push_back(mean(of_series));
    }
    return means;
  }
  /// The cluster means of each site.
  std::vector<std::vector<double>> means_by_site() const {
    std::map<std::string, std::vector<double>> by_site;
    const auto means = cluster_means();
    std::size_t next = 0;
    for (const auto& [cluster, site] : site_of_) by_site[site].push_back(means[next++]);
    std::vector<std::vector<double>> all;
    for (auto& [site, of_site] : by_site) all.push_back(std::move(of_site));
    return all;
  }

private:
  std::map<std::string, std::map<std::string, std::vector<double>>> values_;
  std::map<std::string, std::string> site_of_; ///< site of each cluster, in the order of values_
  std::vector<double> flat_;
};

/// The range that holds 90 % of the means over clusters when sites are resampled.
std::optional<Range> range_over_sites(const Nested& values, int draws, std::uint64_t seed) {
  const auto sites = values.means_by_site();
  if (sites.size() < static_cast<std::size_t>(fewest_sites) || draws < 1) return {};
  std::mt19937_64 random(seed);
  std::vector<double> means;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<double> drawn;
    // The distributions of std differ between libraries, so the remainder is used. Its bias is below 1e-16.
    for (std::size_t i = 0; i < sites.size(); ++i) {
      const auto& site = sites[random() % sites.size()];
      drawn.insert(drawn.end(), site.begin(), site.end());
    }
    means.push_back(mean(drawn));
  }
  return Range{quantile(means, low_tail), quantile(means, high_tail)};
}

using ByCluster = std::map<std::string, std::vector<double>>;

ByCluster residuals_by_cluster(const std::vector<ScoredPoint>& points, const std::string& split,
                               const std::string& method) {
  ByCluster residuals;
  for (const auto& point : points) {
    const auto found = point.forecasts.find(method);
    if (point.split == split && found != point.forecasts.end())
      residuals[point.group].push_back(std::log(point.measured_s / found->second.predicted_s));
  }
  return residuals;
}

/// ln of the interval's bounds over the prediction, from every cluster except one; nothing if there is no other.
std::optional<Range> bounds_without(const ByCluster& residuals, const std::string& left_out) {
  std::vector<Weighted> others;
  for (const auto& [cluster, values] : residuals) {
    if (cluster != left_out)
      for (const double value : values) others.emplace_back(value, 1.0 / static_cast<double>(values.size()));
  }
  if (others.empty()) return std::nullopt;
  return Range{std::min(0.0, weighted_quantile(others, low_tail)), std::max(0.0, weighted_quantile(others, high_tail))};
}

/// Bounds by split, method and cluster. They are computed when they are first needed.
class ResidualBounds {
public:
  explicit ResidualBounds(const std::vector<ScoredPoint>& points) : points_(points) {}
  const std::optional<Range>& of(const ScoredPoint& point, const std::string& method) {
    auto& of_method = bounds_[{point.split, method}];
    if (of_method.empty()) {
      const auto residuals = residuals_by_cluster(points_, point.split, method);
      for (const auto& [cluster, values] : residuals) of_method[cluster] = bounds_without(residuals, cluster);
    }
    return of_method.at(point.group);
  }

private:
  const std::vector<ScoredPoint>& points_;
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::optional<Range>>> bounds_;
};

std::vector<const ScoredPoint*> pick(const std::vector<const ScoredPoint*>& points,
                                     const std::function<bool(const ScoredPoint&)>& wanted) {
  std::vector<const ScoredPoint*> picked;
  for (const auto* point : points)
    if (wanted(*point)) picked.push_back(point);
  return picked;
}

void set_interval_figures(Score& score, const std::vector<const ScoredPoint*>& points, const std::string& method,
                          int draws, std::uint64_t seed) {
  Nested inside, width, scores;
  for (const auto* point : points) {
    if (point->refusals.count(method) != 0) inside.add(*point, 0);
    const auto found = point->forecasts.find(method);
    if (found == point->forecasts.end() || !has_interval(found->second)) continue;
    inside.add(*point, covers(found->second, point->measured_s) ? 1 : 0);
    width.add(*point, 0.5 * std::log(found->second.high_s / found->second.low_s));
    scores.add(*point, interval_score(found->second, point->measured_s));
  }
  score.points_with_interval = static_cast<int>(scores.flat().size());
  score.coverage = mean(inside.cluster_means());
  score.half_width = mean(width.cluster_means());
  score.interval_score = mean(scores.cluster_means());
  if (score.points_with_interval > 0) score.coverage_range = range_over_sites(inside, draws, seed);
}

} // namespace

double error_of(const Forecast& forecast, double measured_s) {
  return std::abs(std::log(forecast.predicted_s / measured_s));
}

std::optional<double> counted_error(const ScoredPoint& point, const std::string& method) {
  constexpr double least_of_refusal = 0.5;
  if (const auto found = point.forecasts.find(method); found != point.forecasts.end())
    return error_of(found->second, point.measured_s);
  if (point.refusals.count(method) == 0) return {};
  const auto line = point.forecasts.find("straight-line");
  return line == point.forecasts.end() ? least_of_refusal
                                       : std::max(least_of_refusal, error_of(line->second, point.measured_s));
}

double interval_score(const Forecast& forecast, double measured_s) {
  const double low = std::log(forecast.low_s), high = std::log(forecast.high_s), x = std::log(measured_s);
  return (high - low) + 2 / interval_alpha * (std::max(0.0, low - x) + std::max(0.0, x - high));
}

void add_residual_intervals(std::vector<ScoredPoint>& points) {
  ResidualBounds bounds(points);
  for (auto& point : points) {
    for (auto& [method, forecast] : point.forecasts) {
      if (has_interval(forecast)) continue;
      const auto& range = bounds.of(point, method);
      if (!range) continue;
      forecast.low_s = forecast.predicted_s * std::exp(range->low);
      forecast.high_s = forecast.predicted_s * std::exp(range->high);
    }
  }
}

Score score_points(const std::vector<const ScoredPoint*>& points, const std::string& method, int draws,
                   std::uint64_t seed) {
  Nested errors;
  Score score;
  for (const auto* point : points) {
    if (const auto error = counted_error(*point, method)) errors.add(*point, *error);
    if (point->refusals.count(method) != 0) ++score.refused;
  }
  if (errors.flat().empty()) return score;
  const auto clusters = errors.cluster_means();
  score.points = static_cast<int>(errors.flat().size());
  score.series = errors.series();
  score.clusters = static_cast<int>(clusters.size());
  score.mean_error = mean(clusters);
  score.median_error = median(errors.flat());
  score.worst_error = *std::max_element(errors.flat().begin(), errors.flat().end());
  score.sites = static_cast<int>(errors.means_by_site().size());
  score.mean_error_range = range_over_sites(errors, draws, seed);
  set_interval_figures(score, points, method, draws, seed);
  return score;
}

SplitScore score_split(const std::vector<const ScoredPoint*>& all, const std::string& split, const std::string& method,
                       int draws, std::uint64_t seed) {
  const auto of_split = pick(all, [&](const ScoredPoint& p) { return p.split == split; });
  const auto points = pick(of_split, [&](const ScoredPoint& p) { return !p.emulated || !is_new_site(split); });
  SplitScore score{split, method, score_points(points, method, draws, seed), {}, {}, {}};
  score.classes_a_b =
      score_points(pick(points, [](const ScoredPoint& p) { return p.grade != 'C'; }), method, draws, seed);
  for (const char grade : {'A', 'B', 'C'}) {
    score.by_class[grade] =
        score_points(pick(points, [&](const ScoredPoint& p) { return p.grade == grade; }), method, draws, seed);
  }
  std::map<std::string, std::vector<const ScoredPoint*>> clusters;
  for (const auto* point : of_split) clusters[point->group].push_back(point);
  for (const auto& [cluster, own] : clusters)
    if (const auto one = score_points(own, method, draws, seed); one.points > 0) score.by_cluster[cluster] = one;
  return score;
}

PairedDifference compare(const std::vector<const ScoredPoint*>& points, const std::string& split,
                         const std::string& method, const std::string& baseline, int draws, std::uint64_t seed) {
  Nested differences;
  for (const auto* point : points) {
    if (point->split != split || (point->emulated && is_new_site(split))) continue;
    const auto error = counted_error(*point, method), baseline_error = counted_error(*point, baseline);
    if (error && baseline_error) differences.add(*point, *error - *baseline_error);
  }
  const auto clusters = differences.cluster_means();
  return {split,
          method,
          baseline,
          static_cast<int>(differences.flat().size()),
          static_cast<int>(clusters.size()),
          mean(clusters),
          bootstrap_mean(clusters, draws, seed)};
}

} // namespace ddlsim
