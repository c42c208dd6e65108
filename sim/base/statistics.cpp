#include "sim/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

namespace ddlsim {

double quantile(std::vector<double> values, double probability) {
  std::sort(values.begin(), values.end());
  const double place = probability * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

double width_left(double correlation) {
  return std::sqrt(std::max(0.0, 1 - correlation * correlation));
}

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

double normal_quantile(double probability) {
  double low = -40;
  double high = 40;
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) return middle;
    (normal_cdf(middle) < probability ? low : high) = middle;
  }
}

namespace {

/// Whether less than the share `probability` of the normals lies below `value`. It adds up normals until the answer is
/// certain.
bool is_smaller_share(const std::vector<double>& centres, double deviation, double value, double probability) {
  constexpr double rounding = 1e-9; // relative error of a sum; its actual rounding is far smaller
  const auto count = static_cast<double>(centres.size());
  const double wanted = probability * count;
  const double surely_smaller = wanted - rounding * count;
  double below = 0;
  double left = count;
  for (const double centre : centres) {
    below += normal_cdf((value - centre) / deviation);
    if (below >= wanted || below + --left < surely_smaller) break;
  }
  return below < wanted;
}

/// Values for which the answer is certain. Up to `below`, less than the requested share lies below the value; from
/// `above` on, at least the share does.
struct ShareBounds {
  double below = -std::numeric_limits<double>::infinity();
  double above = std::numeric_limits<double>::infinity();
};

/// Bounds the quantile by Newton's method. The second derivative of the sum is at most `steepest` for each normal, so
/// the sum and its slope at one value bound the sum at others. No bound is certain where differences of values are lost
/// in rounding.
ShareBounds near_quantile(const std::vector<double>& centres, double deviation, double probability) {
  constexpr double steepest = 0.24198; // largest slope of a normal's density; it is one deviation from the centre
  constexpr double rounding = 1e-9;    // relative error of a sum, as in is_smaller_share()
  constexpr double narrow = 1e-7;      // width in standard deviations
  constexpr double coarsest = 1e-5;    // least ratio of standard deviation to value
  constexpr int most_steps = 8;
  const auto count = static_cast<double>(centres.size());
  const double reach = std::hypot(deviation, standard_deviation(centres));
  double value = mean(centres) + reach * normal_quantile(probability);
  ShareBounds bounds;
  for (int i = 0; i < most_steps && deviation > coarsest * std::abs(value); ++i) {
    double below = 0;
    double slope = 0; // slope of the sum for each standard deviation
    for (const double centre : centres) {
      const double z = (value - centre) / deviation;
      below += normal_cdf(z);
      slope += std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    }
    const double step = (probability * count - below) / slope;
    const double uncertainty = 2 * (rounding * count + 0.5 * steepest * count * step * step) / slope;
    const double curvature = 0.5 * steepest * count * std::pow(std::abs(step) + uncertainty, 2);
    if (slope * uncertainty - curvature >= rounding * count)
      bounds = {value + deviation * (step - uncertainty), value + deviation * (step + uncertainty)};
    if (!(uncertainty > narrow) || !std::isfinite(step)) break;
    value += deviation * step;
  }
  return bounds;
}

} // namespace

double quantile_of_normals(const std::vector<double>& centres, double deviation, double probability) {
  constexpr int steps = 30; // number of halvings of an interval of a few standard deviations
  if (!(deviation > 0)) return quantile(centres, probability);
  const auto [least, most] = std::minmax_element(centres.begin(), centres.end());
  const double reach = deviation * normal_quantile(probability);
  double low = *least + reach; // the quantile if all centres were the least one
  double high = *most + reach;
  const auto bounds = near_quantile(centres, deviation, probability);
  for (int step = 0; step < steps; ++step) {
    const double middle = 0.5 * (low + high);
    const bool is_smaller =
        middle <= bounds.below || (middle < bounds.above && is_smaller_share(centres, deviation, middle, probability));
    (is_smaller ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double quantile_of_floored_normals(const std::vector<double>& centres, const std::vector<double>& floors,
                                   double deviation, double probability) {
  constexpr int halvings = 50;
  constexpr double farthest = 9; // distance in standard deviations
  double low = *std::min_element(centres.begin(), centres.end()) - farthest * deviation;
  double high = std::max(*std::max_element(centres.begin(), centres.end()) + farthest * deviation,
                         *std::max_element(floors.begin(), floors.end()));
  const auto share_below = [&](double value, std::size_t i) {
    if (value < floors[i]) return 0.0;
    if (deviation > 0) return normal_cdf((value - centres[i]) / deviation);
    return value >= centres[i] ? 1.0 : 0.0;
  };
  for (int halving = 0; halving < halvings; ++halving) {
    const double middle = 0.5 * (low + high);
    double below = 0;
    for (std::size_t i = 0; i < centres.size(); ++i) below += share_below(middle, i);
    (below < probability * static_cast<double>(centres.size()) ? low : high) = middle;
  }
  return high;
}

namespace {

/// One point of the trapezoidal rule: z phi(z) times the step, and ln Phi(z).
struct Point {
  double weight = 0;
  double log_cdf = 0;
};

/// The trapezoidal rule on a smooth function that vanishes at both ends converges faster than any power of the step. A
/// step of 0.05 is fine enough for n = 1e6; the test compares it with exact values.
std::vector<Point> make_points() {
  constexpr double step = 0.05;
  constexpr int to_end = 180; // number of steps to 9 standard deviations
  std::vector<Point> points;
  for (int i = -to_end; i <= to_end; ++i) {
    const double z = i * step;
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    points.push_back({z * density * step, std::log(normal_cdf(z))});
  }
  return points;
}

double integrate_largest_normal(int n) {
  static const std::vector<Point> points = make_points();
  constexpr double negligible = -50; // ln of a term over the largest, below which terms do not matter
  double sum = 0;
  for (const Point& point : points) {
    const double log_power = (n - 1) * point.log_cdf;
    if (log_power > negligible) sum += n * point.weight * std::exp(log_power);
  }
  return sum;
}

} // namespace

double expected_largest_normal(int n) {
  if (n <= 1) return 0;
  thread_local int last_n = 0; // the last n, because samples of one scale need the same value again
  thread_local double last = 0;
  if (n != last_n) last = integrate_largest_normal(last_n = n);
  return last;
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

bool are_correlations(const std::vector<std::vector<double>>& rows, double rounding) {
  std::vector<std::vector<double>> factor(rows.size()); // rows of the Cholesky factor
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double left = 1 + rounding;
    for (std::size_t j = 0; j < i; ++j) {
      double entry = rows[i][j];
      for (std::size_t k = 0; k < j; ++k) entry -= factor[i][k] * factor[j][k];
      factor[i].push_back(entry / factor[j][j]);
      left -= factor[i][j] * factor[i][j];
    }
    if (!(left > 0)) return false;
    factor[i].push_back(std::sqrt(left));
  }
  return true;
}

double standard_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double weighted_quantile(std::vector<Weighted> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  double total = 0;
  for (const auto& [value, weight] : values) total += weight;
  // A little less than the requested share is enough, so that sums of thirds and tenths reach it despite rounding.
  const double wanted = share * total * (1 - 1e-12);
  double sum = 0;
  for (const auto& [value, weight] : values)
    if ((sum += weight) >= wanted) return value;
  return values.back().first;
}

std::vector<int> random_order(int count, std::mt19937_64& random) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random() % (i + 1)]);
  return order;
}

Range bootstrap_mean(const std::vector<double>& values, int draws, std::uint64_t seed) {
  if (values.size() < 2 || draws < 1) return {mean(values), mean(values)};
  std::mt19937_64 random(seed);
  std::vector<Weighted> means;
  for (int draw = 0; draw < draws; ++draw) {
    double sum = 0;
    // The distributions of std differ between libraries. The bias of the remainder is below 1e-16.
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[random() % values.size()];
    means.emplace_back(sum / static_cast<double>(values.size()), 1.0);
  }
  return {weighted_quantile(means, 0.05), weighted_quantile(means, 0.95)};
}

} // namespace ddlsim
