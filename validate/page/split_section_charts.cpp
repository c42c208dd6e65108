#include "sim/base/table.hpp"
#include "sim/page/html_text.hpp"
#include "sim/page/svg.hpp"
#include "validate/page/split_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace ddlsim {
namespace {

constexpr double left = 62, right = 14, top = 12, bottom = 40;
constexpr double radius = 3.5;

std::string classes_of(const ChartPoint& point) {
  std::string classes = "m";
  if (point.family == StrategyName::ps) classes += " ps";
  if (point.family == StrategyName::ps_async) classes += " as";
  if (point.uncertain) classes += " c";
  return classes;
}

std::string mark(const ChartPoint& point, double x, double y, bool over, bool titled) {
  const auto start = fmt::format("<circle class=\"{}{}\" data-p=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"",
                                 classes_of(point), over ? " over" : "", point.id, x, y, radius);
  if (!titled) return start + "/>\n";
  return fmt::format("{}><title>{}</title></circle>\n", start, html_escaped(point.title));
}

double residual_of(const ChartPoint& point) {
  return std::log(point.predicted_s / point.measured_s);
}

/// The end of a residual axis: a round figure that holds 98 of 100 points and is at most 1.
double residual_limit(const std::vector<ChartPoint>& points) {
  constexpr double held = 0.98;
  std::vector<double> sizes;
  for (const auto& point : points) sizes.push_back(std::abs(residual_of(point)));
  std::sort(sizes.begin(), sizes.end());
  const double wanted = sizes[static_cast<std::size_t>(held * static_cast<double>(sizes.size() - 1))];
  for (const double round : {0.05, 0.1, 0.2, 0.3, 0.5, 0.75})
    if (wanted <= round) return round;
  return 1;
}

constexpr std::array<double, 5> residual_ticks{-1, -0.5, 0, 0.5, 1}; ///< ticks as shares of the limit

std::string residual_text(double residual) {
  return residual == 0 ? "0 %" : fmt::format("{:+.3g} %", 100 * residual);
}

Axis time_range(const std::vector<ChartPoint>& points) {
  double low = points.front().measured_s, high = low;
  for (const auto& point : points) {
    low = std::min({low, point.measured_s, point.predicted_s});
    high = std::max({high, point.measured_s, point.predicted_s});
  }
  constexpr double margin = 0.05; // share of a decade
  return {std::log10(low) - margin, std::log10(high) + margin};
}

std::string time_grid(const Axis& x, const Axis& y) {
  std::string grid;
  for (const double tick : log_ticks(x.from, x.to)) {
    const auto text = seconds_text(std::pow(10, tick));
    grid +=
        svg_line(x.at(tick), y.start, x.at(tick), y.end, "grid") + svg_text(x.at(tick), y.start + 15, "middle", text);
    grid +=
        svg_line(x.start, y.at(tick), x.end, y.at(tick), "grid") + svg_text(x.start - 5, y.at(tick) + 4, "end", text);
  }
  grid += svg_text((x.start + x.end) / 2, y.start + 32, "middle", "measured iteration");
  return grid + svg_text(x.start + 4, y.end + 10, "start", "predicted iteration");
}

/// A line parallel to the diagonal and `shift` decades above it, which is cut at the square.
std::string parallel(const Axis& x, const Axis& y, double shift, const char* kind) {
  const double from = std::max(x.from, x.from - shift), to = std::min(x.to, x.to - shift);
  return svg_line(x.at(from), y.at(from + shift), x.at(to), y.at(to + shift), kind);
}

/// Shifts marks so that those of one scale or group do not cover each other. The shift depends on the id, so that the
/// bytes can be reproduced.
double jitter(const ChartPoint& point, double reach) {
  constexpr std::size_t steps = 21, stride = 8;
  return reach * (static_cast<double>(point.id * stride % steps) / (steps - 1) - 0.5);
}

struct Group {
  std::string name;
  std::vector<const ChartPoint*> points;
  double mean_error = 0;
  double mean = 0;
};

std::vector<Group> groups_of(const std::vector<ChartPoint>& points) {
  std::map<std::string, std::vector<const ChartPoint*>> named;
  for (const auto& point : points) named[point.group].push_back(&point);
  std::vector<Group> groups;
  for (auto& [name, own] : named) {
    Group group{name, std::move(own)};
    const auto count = static_cast<double>(group.points.size());
    for (const auto* point : group.points) {
      group.mean_error += std::abs(residual_of(*point)) / count;
      group.mean += residual_of(*point) / count;
    }
    groups.push_back(std::move(group));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.mean_error > b.mean_error; });
  return groups;
}

std::string strip(const Group& group, const Axis& x, double limit, double y) {
  constexpr std::size_t longest_name = 36; // a letter takes about 6.3 units
  constexpr double reach = 11, half_bar = 8;
  auto drawn = svg_text(x.start - 8, y + 4, "end", cut_in_the_middle(group.name, longest_name), group.name);
  drawn += svg_text(x.end + 8, y + 4, "start",
                    fmt::format("{} % of {}", html_percent(group.mean_error), group.points.size()));
  for (const auto* point : group.points) {
    const double residual = residual_of(*point);
    drawn += mark(*point, x.at(std::clamp(residual, -limit, limit)), y + jitter(*point, reach),
                  std::abs(residual) > limit, false);
  }
  const double mean = x.at(std::clamp(group.mean, -limit, limit));
  return drawn + svg_line(mean, y - half_bar, mean, y + half_bar, "mean");
}

} // namespace

std::string scatter_chart(const std::vector<ChartPoint>& points, const std::string& caption) {
  if (points.empty()) return "";
  auto x = time_range(points), y = x;
  x.start = left, x.end = chart_width - right;
  y.start = chart_height - bottom, y.end = top;
  constexpr double near_error = 0.1;
  const double shift = std::log10(std::exp(near_error));
  auto drawing =
      time_grid(x, y) + parallel(x, y, 0, "zero") + parallel(x, y, shift, "near") + parallel(x, y, -shift, "near");
  for (const auto& point : points)
    drawing += mark(point, x.at(std::log10(point.measured_s)), y.at(std::log10(point.predicted_s)), false, true);
  return svg_figure(caption, chart_height, drawing);
}

std::string scale_chart(const std::vector<ChartPoint>& points, const std::string& caption) {
  if (points.empty()) return "";
  const double limit = residual_limit(points);
  const Axis y{-limit, limit, chart_height - bottom, top};
  int least = points.front().gpus, most = least;
  for (const auto& point : points) least = std::min(least, point.gpus), most = std::max(most, point.gpus);
  const double first = std::floor(std::log2(least)), last = std::ceil(std::log2(most));
  constexpr double margin = 0.4; // share of a doubling
  const Axis x{first - margin, last + margin, left, chart_width - right};
  std::string drawing;
  for (double tick = first; tick <= last; ++tick) {
    drawing += svg_line(x.at(tick), y.start, x.at(tick), y.end, "grid") +
               svg_text(x.at(tick), y.start + 15, "middle", fmt::format("{:.0f}", std::exp2(tick)));
  }
  for (const double part : residual_ticks) {
    const double tick = part * limit;
    drawing += svg_line(x.start, y.at(tick), x.end, y.at(tick), part == 0 ? "zero" : "grid") +
               svg_text(x.start - 5, y.at(tick) + 4, "end", residual_text(tick));
  }
  drawing += svg_text((x.start + x.end) / 2, y.start + 32, "middle", "GPUs");
  constexpr double reach = 16;
  for (const auto& point : points) {
    const double residual = residual_of(point);
    drawing += mark(point, x.at(std::log2(point.gpus)) + jitter(point, reach),
                    y.at(std::clamp(residual, -limit, limit)), std::abs(residual) > limit, false);
  }
  return svg_figure(caption, chart_height, drawing);
}

std::string strip_chart(const std::vector<ChartPoint>& points, const std::string& caption) {
  if (points.empty()) return "";
  constexpr double names = 236, figures = 96, row = 24, head = 26;
  const double limit = residual_limit(points);
  const Axis x{-limit, limit, names, chart_width - figures};
  const auto groups = groups_of(points);
  const double end = head + row * static_cast<double>(groups.size());
  std::string drawing;
  for (const double part : residual_ticks) {
    const double tick = part * limit;
    drawing += svg_line(x.at(tick), head, x.at(tick), end, part == 0 ? "zero" : "grid") +
               svg_text(x.at(tick), head - 8, "middle", residual_text(tick));
  }
  double y = head + row / 2;
  for (const auto& group : groups) {
    drawing += strip(group, x, limit, y);
    y += row;
  }
  return svg_figure(caption, end + 4, drawing);
}

} // namespace ddlsim
