#include "sim/page/cross_chart.hpp"
#include "sim/page/line_chart.hpp"
#include "sim/page/span_chart.hpp"
#include "sim/page/svg.hpp"
#include "tests/page/markup.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

LineChart chart_of(std::vector<ChartCurve> curves, CurveScale scale = CurveScale::logarithmic) {
  return {"how to read it", "GPUs", "samples/s", scale, 0, "", std::move(curves)};
}

LinePoint line_point(double x, double y, std::size_t row = 0) {
  return {x, y, 0.9 * y, 1.1 * y, row, "a point"};
}

} // namespace

TEST_CASE("a logarithmic axis ends at ticks of 1, 2, 5 that hold both values") {
  for (const auto& [low, high] : {std::pair{1.0, 1.0}, {3.0, 4.0}, {0.07, 800.0}, {1e5, 1e5 + 1}, {2.0, 5.0}}) {
    const auto axis = log_axis(low, high);
    CHECK(axis.from <= std::log10(low) + 1e-9);
    CHECK(axis.to >= std::log10(high) - 1e-9);
    CHECK(axis.to > axis.from);
    CHECK(std::pow(10, axis.to - axis.from) < 5 * 5 * high / low);
    CHECK(log_ticks(axis.from, axis.to).size() >= 2);
  }
  CHECK(tick_text(20'000) == "20k");
  CHECK(tick_text(0.05) == "0.05");
  CHECK(tick_text(3e6) == "3M");
}

TEST_CASE("a line has a mark for each point, a band around it, and a gap where a point cannot be") {
  const auto whole = line_chart(chart_of({{"a", "", {{line_point(1, 100), line_point(2, 190), line_point(4, 300)}}}}));
  CHECK(count(whole, "class=\"dot") == 3);
  CHECK(count(whole, "class=\"band") == 1);
  CHECK(count(whole, "class=\"curve") == 1);
  const auto broken =
      line_chart(chart_of({{"a", "", {{line_point(1, 100), line_point(2, 190)}, {line_point(8, 500)}}}}));
  CHECK(count(broken, "class=\"dot") == 3);
  CHECK(count(broken, "class=\"band") == 1);
  CHECK(count(broken, "class=\"reach") == 1); // the interval of the point that stands alone
  CHECK(flaw_in(whole).empty());
  CHECK(flaw_in(broken).empty());
  CHECK(line_chart(chart_of({})).empty());
  CHECK(line_chart(chart_of({{"a", "", {{}}}})).empty());
}

TEST_CASE("two lines differ by more than their colour, and twelve by colour, dash or shape") {
  std::vector<std::string> looks;
  for (std::size_t style = 0; style < 12; ++style) looks.push_back(svg_swatch(style));
  for (std::size_t a = 0; a < looks.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) CHECK(looks[a] != looks[b]);
  const auto without_colour = [](std::string look) {
    for (auto at = look.find('k'); at != std::string::npos; at = look.find('k', at + 1))
      if (at + 1 < look.size() && look[at + 1] >= '0' && look[at + 1] <= '9') look[at + 1] = '0';
    return look;
  };
  for (std::size_t style = 1; style < 20; ++style) // four dashes and five shapes
    CHECK(without_colour(svg_swatch(style)) != without_colour(svg_swatch(0)));
}

TEST_CASE("a higher figure stands higher, and a point stands inside the drawing whatever its interval") {
  auto wild = line_point(4, 0.5);
  wild.high = 40;
  const auto chart =
      line_chart(chart_of({{"a", "", {{line_point(1, 1), line_point(2, 0.9), wild}}}}, CurveScale::share));
  std::vector<double> heights;
  const std::regex place("translate\\(([-0-9.]+) ([-0-9.]+)\\)");
  for (std::sregex_iterator found(chart.begin(), chart.end(), place), end; found != end; ++found)
    heights.push_back(std::stod((*found)[2]));
  REQUIRE(heights.size() == 3);
  CHECK(heights[0] < heights[1]);
  CHECK(heights[1] < heights[2]);
  const std::regex corner("[ML]([-0-9.]+) ([-0-9.]+)");
  const auto band = chart.substr(chart.find("class=\"band"));
  const auto path = band.substr(0, band.find("/>"));
  for (std::sregex_iterator found(path.begin(), path.end(), corner), end; found != end; ++found) {
    CHECK(std::stod((*found)[2]) >= 0);
    CHECK(std::stod((*found)[2]) <= chart_height);
  }
}

TEST_CASE("names in charts are text, whatever they hold") {
  const auto& name = hostile_name();
  auto point = line_point(1, 1);
  point.title = name;
  auto lines = chart_of({{name, "0 1", {{point}}}});
  lines.caption = lines.x_title = lines.y_title = lines.bound_text = name;
  lines.bound = 1;
  CrossChart crosses{name, name, name, 1, 2, 2, name, name, {name}, {{1, 0.5, 2, 1, 0.5, 2, 0, true, 0, name}}};
  SpanChart spans{name, 0, 1, {{0, name}}, 0.5, true, {{name, 0.5, 0.4, 0.6, 0, 1, name, 0, name}}};
  for (const auto& drawn : {line_chart(lines), line_legend(lines.curves), cross_chart(crosses), span_chart(spans)}) {
    CHECK(flaw_in(drawn).empty());
    CHECK(has(drawn, hostile_name_escaped()));
  }
}

TEST_CASE("options: hollow without an interval, the front joined, limits drawn") {
  CrossChart chart{"c", "h", "USD", 3600, 7200, 0, "deadline", "", {"a", "b"}, {}};
  chart.marks = {{3600, 3000, 4000, 100, 90, 110, 0, true, 0, "x"}, {7200, 0, 0, 50, 0, 0, 1, true, 1, "y"}};
  const auto drawn = cross_chart(chart);
  CHECK(count(drawn, " open\"") == 1);
  CHECK(count(drawn, "class=\"front\"") == 1);
  CHECK(count(drawn, "class=\"bound\"") == 1);
  CHECK(count(drawn, "class=\"reach") == 2);
  CHECK(flaw_in(drawn).empty());
  chart.marks[1].on_front = false;
  CHECK(count(cross_chart(chart), "class=\"front\"") == 0);
  chart.marks.clear();
  CHECK(cross_chart(chart).empty());
}

} // namespace ddlsim
