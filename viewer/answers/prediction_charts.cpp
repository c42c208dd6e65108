#include "viewer/answers/prediction_charts.hpp"

#include "sim/base/plain_number.hpp"
#include "sim/predict/asked_machine.hpp"
#include "sim/predict/at_hand.hpp"
#include "sim/predict/prediction_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

enum class ShownFigure { efficiency, rate_per_gpu, rate, time };

/// A question's charts, which differ in the figure.
struct CurveChart {
  const Prediction& prediction;
  std::vector<const StrategyAnswer*> answers; ///< the recommended one first
  ShownFigure figure;
  double per_sample = 1; ///< tokens, where those are counted
  std::string unit;      ///< "images", "tokens"
};

struct ShownValue {
  double value = 0;
  double low = 0;
  double high = 0;
};

ShownValue value_at(const CurveChart& asked, const PredictedPoint& point) {
  const double factor = asked.figure == ShownFigure::rate_per_gpu ? asked.per_sample / point.gpus : asked.per_sample;
  switch (asked.figure) {
  case ShownFigure::efficiency:
    return {point.efficiency, point.efficiency_low, point.efficiency_high};
  case ShownFigure::time:
    return {point.iteration_s, point.iteration_s_low, point.iteration_s_high};
  case ShownFigure::rate_per_gpu:
  case ShownFigure::rate:
    break;
  }
  return {factor * point.samples_per_s, factor * point.samples_per_s_low, factor * point.samples_per_s_high};
}

/// The measured figure, which differs from the predicted one as the times differ.
double measured_at(const CurveChart& asked, const PredictedPoint& point) {
  const double ratio = point.iteration_s / point.measured->iteration_s;
  const double value = value_at(asked, point).value;
  return asked.figure == ShownFigure::time ? value / ratio : value * ratio;
}

std::string unit_of(const CurveChart& asked) {
  if (asked.figure == ShownFigure::efficiency) return "";
  return asked.figure == ShownFigure::time ? "" : " " + asked.unit + "/s";
}

std::string figure_text(const CurveChart& asked, double value) {
  if (asked.figure == ShownFigure::efficiency) return plain_percent(value);
  return asked.figure == ShownFigure::time ? plain_time(value) : cell_number(value);
}

std::string range_text(const CurveChart& asked, const ShownValue& shown) {
  return fmt::format("{} ({})", figure_text(asked, shown.value),
                     words_of_range(figure_text(asked, shown.low), figure_text(asked, shown.high)));
}

std::string short_name(const CurveChart& asked, const StrategyAnswer& answer) {
  auto name = strategy_in_words(answer);
  const auto same = std::count_if(asked.answers.begin(), asked.answers.end(),
                                  [&](const auto* other) { return strategy_in_words(*other) == name; });
  if (same > 1) name += " of " + answer.preset;
  for (const std::string article : {"the ", "a "})
    if (name.starts_with(article)) name.erase(0, article.size());
  return name;
}

std::string readout_of(const CurveChart& asked, const std::string& name, const PredictedPoint& point) {
  auto text = fmt::format("{}, {} GPU{}: {}{}", name, with_commas(point.gpus), point.gpus == 1 ? "" : "s",
                          range_text(asked, value_at(asked, point)), unit_of(asked));
  if (asked.figure == ShownFigure::rate_per_gpu) text += " a GPU";
  if (asked.figure == ShownFigure::rate_per_gpu && point.flop_utilisation > 0)
    text += fmt::format(", {} MFU", plain_percent(point.flop_utilisation));
  return point.measured ? text + "; measured " + figure_text(asked, measured_at(asked, point)) : text;
}

PictureLine line_of(const CurveChart& asked, std::size_t number) {
  const auto& answer = *asked.answers[number];
  PictureLine line;
  line.name = short_name(asked, answer);
  line.colour = static_cast<int>(number);
  line.has_band = number == 0;
  for (const auto& point : answer.points) {
    if (!point.error.empty()) continue;
    const auto shown = value_at(asked, point);
    line.points.push_back(
        {static_cast<double>(point.gpus), shown.value, shown.low, shown.high, readout_of(asked, line.name, point)});
    line.value = range_text(asked, shown);
  }
  if (!line.name.empty() && number == 0) line.name.front() = static_cast<char>(std::toupper(line.name.front()));
  return line;
}

void add_measured(const CurveChart& asked, Chart& chart) {
  for (const auto* answer : asked.answers)
    for (const auto& point : answer->points) {
      if (!point.error.empty() || !point.measured) continue;
      ChartMark mark{.x = static_cast<double>(point.gpus), .y = measured_at(asked, point), .colour = -1};
      mark.readout =
          fmt::format("measured, {} GPUs: {}{}", with_commas(point.gpus), figure_text(asked, mark.y), unit_of(asked));
      chart.marks.push_back(mark);
    }
}

/// The value of a line between its points, on an axis of powers.
double value_between(const std::vector<ChartPoint>& points, double x) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].x < x) continue;
    const auto& a = points[i - 1];
    const auto& b = points[i];
    return a.y + (b.y - a.y) * std::clamp(std::log(x / a.x) / std::log(b.x / a.x), 0.0, 1.0);
  }
  return points.empty() ? 0 : points.back().y;
}

/// The value at the largest scale at which growing pays. Efficiency there is not below the bound, as a straight line
/// between two distant scales may be.
double value_where_it_pays(const CurveChart& asked, const std::vector<ChartPoint>& points, double x) {
  const double between = value_between(points, x);
  if (asked.figure != ShownFigure::efficiency) return between;
  return std::max(between, asked.prediction.scenario.efficiency_bound);
}

/// Leads a line through the scale up to which it pays, if that lies above the straight line between its neighbours.
void bend_to(std::vector<ChartPoint>& points, double x, double y) {
  const double between = value_between(points, x);
  if (y <= between || between <= 0) return;
  const auto next = std::find_if(points.begin(), points.end(), [&](const ChartPoint& one) { return one.x > x; });
  if (next == points.begin() || next == points.end()) return;
  const double ratio = y / between;
  const auto& before = *(next - 1);
  const double share = std::log(x / before.x) / std::log(next->x / before.x);
  const auto end_at = [&](double a, double b) { return ratio * (a + (b - a) * share); };
  points.insert(next, {x, y, end_at(before.low, next->low), end_at(before.high, next->high), ""});
}

void add_pays_marks(const CurveChart& asked, Chart& chart) {
  if (asked.figure != ShownFigure::efficiency && asked.figure != ShownFigure::rate_per_gpu) return;
  for (std::size_t i = 0; i < asked.answers.size(); ++i) {
    const auto& scale = asked.answers[i]->largest_scale;
    auto& points = chart.lines[i].points;
    if (scale.beyond_growth || points.empty() || scale.gpus < points.front().x || scale.gpus > points.back().x)
      continue;
    const double x = scale.gpus;
    const double y = value_where_it_pays(asked, points, x);
    const auto text = "pays to " + with_commas(x);
    chart.marks.push_back({.x = x,
                           .y = y,
                           .glyph = Glyph::diamond,
                           .colour = static_cast<int>(i),
                           .label = text,
                           .short_label = with_commas(x),
                           .readout = fmt::format("{}: {} GPUs (90 %: {} to {})", chart.lines[i].name, text,
                                                  with_commas(scale.gpus_low), with_commas(scale.gpus_high))});
    bend_to(points, x, y);
  }
}

void add_point_at_hand(const CurveChart& asked, Chart& chart) {
  const auto* point = point_at(*asked.answers.front(), gpus_at_hand(asked.prediction));
  if (point == nullptr || point->measured) return;
  const auto shown = value_at(asked, *point);
  chart.marks.push_back({.x = static_cast<double>(point->gpus),
                         .y = shown.value,
                         .label = range_text(asked, shown),
                         .short_label = figure_text(asked, shown.value),
                         .readout = readout_of(asked, chart.lines.front().name, *point)});
}

void add_rules(const CurveChart& asked, Chart& chart) {
  const auto& prediction = asked.prediction;
  const auto add = [&](int gpus, const std::string& words, const std::string& short_words) {
    if (gpus < chart.x.low || gpus > chart.x.high) return;
    chart.rules.push_back({true, static_cast<double>(gpus), words + with_commas(gpus), short_words});
  };
  add(prediction.available_gpus, "you have ", "you have " + with_commas(prediction.available_gpus));
  if (prediction.growth_gpus > prediction.available_gpus) add(prediction.growth_gpus, "may grow to ", "may grow to");
  const double bound = prediction.scenario.efficiency_bound;
  if (asked.figure == ShownFigure::efficiency)
    chart.rules.push_back({false, bound, "your bound: " + plain_percent(bound), "bound", true});
}

void add_strip(const CurveChart& asked, Chart& chart) {
  const auto& answer = *asked.answers.front();
  const auto& reach = answer.measured;
  const bool here = reach.gpus > 0;
  const int elsewhere = reach.nodes_elsewhere * asked.prediction.machine.gpus_per_node;
  const double to = here ? reach.gpus : elsewhere;
  chart.strip = ChartStrip{to, here ? "measured here" : "measured on similar clusters", "computed"};
}

void set_axes(const CurveChart& asked, Chart& chart) {
  const bool powers = asked.figure == ShownFigure::rate || asked.figure == ShownFigure::time;
  std::vector<double> x;
  std::vector<double> y;
  for (const auto& line : chart.lines)
    for (const auto& point : line.points) {
      x.push_back(point.x);
      y.push_back(point.y);
      if (line.has_band) y.insert(y.end(), {point.low, point.high});
    }
  for (const auto& mark : chart.marks) y.push_back(mark.y);
  chart.x = {"number of GPUs", AxisScale::logarithmic, AxisUnit::count};
  chart.y.scale = powers ? AxisScale::logarithmic : AxisScale::linear;
  if (!powers) y.push_back(0);
  if (asked.figure == ShownFigure::efficiency) y.push_back(1);
  span_axis(chart.x, x);
  span_axis(chart.y, y);
  chart.y.unit = asked.figure == ShownFigure::efficiency ? AxisUnit::percent : AxisUnit::number;
}

void set_titles(const CurveChart& asked, Chart& chart) {
  const auto rate = asked.unit + "/s";
  switch (asked.figure) {
  case ShownFigure::efficiency:
    chart.name = "efficiency";
    chart.title = "Scaling efficiency over GPUs";
    return;
  case ShownFigure::rate_per_gpu:
    chart.name = "a GPU";
    chart.title = "Throughput a GPU, and MFU, over GPUs";
    chart.y.title = rate + " a GPU";
    return;
  case ShownFigure::rate:
    chart.name = asked.per_sample == 1 ? "throughput" : "all GPUs";
    chart.title = "Throughput over GPUs";
    chart.y.title = rate;
    return;
  case ShownFigure::time:
    chart.name = "iteration time";
    chart.title = "Time of an iteration over GPUs";
    chart.y.title = "seconds";
  }
}

/// MFU and tokens a second and GPU are proportional, so one line has both scales.
void add_second_scale(const CurveChart& asked, Chart& chart) {
  if (asked.figure != ShownFigure::rate_per_gpu) return;
  for (const auto& point : asked.answers.front()->points) {
    if (!point.error.empty() || point.flop_utilisation <= 0) continue;
    chart.second_y = point.flop_utilisation / value_at(asked, point).value;
    chart.second_title = "MFU";
  }
}

Chart curve_chart(const CurveChart& asked) {
  Chart chart;
  for (std::size_t i = 0; i < asked.answers.size(); ++i) chart.lines.push_back(line_of(asked, i));
  add_measured(asked, chart);
  set_axes(asked, chart);
  set_titles(asked, chart);
  add_second_scale(asked, chart);
  add_rules(asked, chart);
  add_point_at_hand(asked, chart);
  add_pays_marks(asked, chart);
  add_strip(asked, chart);
  chart.band = "shaded: 90 % interval";
  return chart;
}

} // namespace

std::vector<Chart> prediction_charts(const Prediction& prediction, const StrategyAnswer& recommended) {
  std::vector<const StrategyAnswer*> answers{&recommended};
  for (const auto& answer : prediction.strategies) {
    const bool any =
        std::any_of(answer.points.begin(), answer.points.end(), [](const auto& one) { return one.error.empty(); });
    if (any && &answer != &recommended) answers.push_back(&answer);
  }
  const auto& machine = prediction.machine;
  const bool tokens = machine.tokens_per_sample > 0;
  const auto main = tokens ? ShownFigure::rate_per_gpu : ShownFigure::efficiency;
  std::vector<Chart> charts;
  for (const auto figure : {main, ShownFigure::rate, ShownFigure::time})
    charts.push_back(curve_chart(
        {prediction, answers, figure, tokens ? machine.tokens_per_sample : 1, tokens ? "tokens" : machine.unit}));
  return charts;
}

} // namespace ddlsim
