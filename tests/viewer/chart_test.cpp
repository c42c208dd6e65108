#include "viewer/chart.hpp"
#include "viewer/chart_frame.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <regex>

using namespace ddlsim;

namespace {

ChartAxis log_axis(double low, double high, AxisUnit unit = AxisUnit::number) {
  return {"", AxisScale::logarithmic, unit, low, high};
}

/// Two lines that fall apart, with marks, rules and a strip.
Chart busy_chart(int lines = 4, const std::string& name = "a way of doing it") {
  Chart chart;
  chart.title = "busy";
  chart.x = log_axis(1, 65536, AxisUnit::count);
  chart.y = {"share", AxisScale::linear, AxisUnit::percent, 0, 1.1};
  for (int i = 0; i < lines; ++i) {
    PictureLine line{
        .name = name + " " + std::to_string(i), .value = "81 % (65 to 97 %)", .colour = i, .has_band = i == 0};
    for (double x = 1; x <= 65536; x *= 4) line.points.push_back({x, 1 / (1 + i * x / 1e4), 0.3, 1.1, "read me"});
    chart.lines.push_back(line);
  }
  for (double x = 2; x < 1e4; x *= 3)
    chart.marks.push_back(
        {.x = x, .y = 0.8, .glyph = Glyph::diamond, .label = "pays to " + std::to_string(x), .short_label = "pays"});
  chart.rules = {{true, 96, "you have 96", "you have"},
                 {true, 128, "may grow to 128", "growth"},
                 {false, 0.8, "your bound: 80 %", "bound", true}};
  chart.strip = ChartStrip{64, "measured here", "computed"};
  chart.band = "shaded: 90 % interval";
  return chart;
}

void check_labels(const ChartCanvas& canvas) {
  const auto& texts = canvas.occupied.texts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK(texts[i].left >= 0);
    CHECK(texts[i].top >= 0);
    CHECK(texts[i].left + texts[i].width <= canvas.width);
    CHECK(texts[i].top + texts[i].height <= canvas.height);
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(overlap(texts[i], texts[j]));
  }
}

std::vector<double> numbers_in(const std::string& svg, const std::string& attribute) {
  std::vector<double> numbers;
  const std::regex pattern(attribute + "=\"([-0-9.]+)\"");
  for (std::sregex_iterator found(svg.begin(), svg.end(), pattern), end; found != end; ++found)
    numbers.push_back(std::stod((*found)[1]));
  return numbers;
}

} // namespace

TEST_CASE("a value stands on its axis where its share says") {
  CHECK(share_of_axis(log_axis(1, 256), 16) == Approx(0.5));
  CHECK(share_of_axis(log_axis(10, 1000), 100) == Approx(0.5));
  CHECK(share_of_axis(log_axis(10, 1000), 0) == 0);
  CHECK(share_of_axis({"", AxisScale::linear, AxisUnit::number, -1, 3}, 0) == Approx(0.25));
  CHECK(share_of_axis({"", AxisScale::linear, AxisUnit::number, 0, 1}, 7) == 1);
  CHECK(share_of_axis({"", AxisScale::names, AxisUnit::number, 0, 1, {"a", "b"}}, 1) == Approx(0.75));
}

TEST_CASE("a point's pixel is between the edges of the plot") {
  const auto chart = busy_chart();
  const auto canvas = make_canvas(chart, wide_chart);
  CHECK(x_px(canvas, 1) == Approx(canvas.left));
  CHECK(x_px(canvas, 65536) == Approx(canvas.right));
  CHECK(x_px(canvas, 256) == Approx((canvas.left + canvas.right) / 2));
  CHECK(y_px(canvas, 0) == Approx(canvas.bottom));
  CHECK(y_px(canvas, 1.1) == Approx(canvas.top));
}

TEST_CASE("ticks are round figures inside the axis") {
  const auto texts = [](const ChartAxis& axis, std::size_t most) {
    std::string all;
    for (const auto& tick : axis_ticks(axis, most)) all += tick.text + "|";
    return all;
  };
  CHECK(texts(log_axis(1, 65536, AxisUnit::count), 9) == "1|4|16|64|256|1,024|4,096|16,384|65,536|");
  CHECK(texts(log_axis(65536, 1 << 30, AxisUnit::bytes), 4) == "64 KiB|2 MiB|64 MiB|");
  CHECK(texts({"", AxisScale::linear, AxisUnit::percent, 0, 1.06}, 8) == "0 %|20 %|40 %|60 %|80 %|100 %|");
  CHECK(texts({"", AxisScale::linear, AxisUnit::number, -1, 1}, 5) == "-1|-0.5|0|0.5|1|");
  CHECK(texts(log_axis(1e5, 7e5), 4) == "100k|200k|500k|");
}

TEST_CASE("ticks are never more than asked for and always inside") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> power(-6, 9);
  for (int i = 0; i < 300; ++i) {
    const double low = std::pow(10, power(random));
    const double high = low * (1 + std::pow(10, power(random) / 3));
    for (const auto scale : {AxisScale::linear, AxisScale::logarithmic})
      for (const auto unit : {AxisUnit::number, AxisUnit::count}) {
        const auto ticks = axis_ticks({"", scale, unit, low, high}, 6);
        CHECK(ticks.size() <= 6);
        for (const auto& tick : ticks) CHECK((tick.value >= low * (1 - 1e-6) && tick.value <= high * (1 + 1e-6)));
      }
  }
}

TEST_CASE("an axis spans its values, and an axis of equal values has a length") {
  ChartAxis axis{"", AxisScale::logarithmic};
  span_axis(axis, {8, 0, -3, 512, NAN});
  CHECK(axis.low == 8);
  CHECK(axis.high == 512);
  span_axis(axis, {4});
  CHECK(axis.low < 4);
  CHECK(axis.high > 4);
  span_axis(axis, {});
  CHECK(axis.low < axis.high);
}

TEST_CASE("boxes that are spread do not overlap and keep their order") {
  std::vector<TextBox> boxes{{0, 50, 10, 12}, {0, 52, 10, 12}, {0, 51, 10, 30}, {0, 95, 10, 12}};
  spread_boxes(boxes, 0, 100);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(overlap(boxes[i], boxes[j]));
  CHECK(boxes[0].top < boxes[2].top);
  CHECK(boxes[2].top < boxes[1].top);
  for (const auto& box : boxes) CHECK(box.top + box.height <= 100);
}

TEST_CASE("labels of a chart neither overlap nor leave it") {
  for (const int width : {wide_chart, narrow_chart})
    for (const int lines : {1, 2, 4, 9, 30})
      for (const std::string name :
           {"ring", "a strategy with a very long name that goes on", "unbreakablywidenameofasinglewordthatgoeson"})
        check_labels(drawn_chart(busy_chart(lines, name), width));
}

TEST_CASE("labels of random marks neither overlap nor leave the chart") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> share(0, 1);
  for (int i = 0; i < 40; ++i) {
    Chart chart;
    chart.x = {"across", AxisScale::linear, AxisUnit::number, 0, 1};
    chart.y = {"up", AxisScale::linear, AxisUnit::number, 0, 1};
    for (int mark = 0; mark < 12; ++mark)
      chart.marks.push_back(
          {.x = share(random), .y = share(random), .letter = "A", .label = "128 B200", .short_label = "B200"});
    chart.rules = {{true, share(random), "deadline 14 d", "deadline"}, {false, share(random), "budget", "budget"}};
    chart.box = "inside both limits";
    check_labels(drawn_chart(chart, i % 2 == 0 ? wide_chart : narrow_chart));
  }
}

TEST_CASE("ten thousand points are drawn as far as pixels tell them apart") {
  Chart chart;
  chart.x = log_axis(1, 1e4, AxisUnit::count);
  chart.y = {"", AxisScale::linear, AxisUnit::number, 0, 1};
  PictureLine line{.name = "one", .has_band = true};
  for (int i = 1; i <= 10'000; ++i) {
    line.points.push_back({static_cast<double>(i), 0.5, 0.4, 0.6, "a point"});
    chart.marks.push_back({.x = static_cast<double>(i), .y = 0.5, .readout = "a mark"});
  }
  chart.lines = {line};
  CHECK(chart_svg(chart, wide_chart).size() < 200'000);
  CHECK(chart_svg(chart, wide_chart, "a caption").find("class=\"hit\"") == std::string::npos); // no readouts in a file
  CHECK(chart_svg(chart, wide_chart, "a <caption>").find(">a &lt;caption&gt;</text>") != std::string::npos);
}

TEST_CASE("a line keeps its first and last point, and hits lie on it") {
  const auto chart = busy_chart(1);
  const auto canvas = drawn_chart(chart, wide_chart);
  const auto x = numbers_in(canvas.hits, "cx");
  REQUIRE_FALSE(x.empty());
  CHECK(x.front() == Approx(canvas.left).margin(0.06));
  CHECK(x.back() == Approx(canvas.right).margin(0.06));
}

TEST_CASE("every line has one of four colours, and only the first has the first one") {
  const auto svg = chart_svg(busy_chart(9), wide_chart);
  for (const char* unknown : {"line c4", "line c8"}) CHECK(svg.find(unknown) == std::string::npos);
  const auto first = svg.find("line c0");
  REQUIRE(first != std::string::npos);
  CHECK(svg.find("line c0", first + 1) == std::string::npos);
}

TEST_CASE("only the line that has a band is drawn with one") {
  const auto svg = chart_svg(busy_chart(3), wide_chart);
  const auto first = svg.find("class=\"band\"");
  REQUIRE(first != std::string::npos);
  CHECK(svg.find("class=\"band\"", first + 1) == std::string::npos);
}

TEST_CASE("a slanted bar joins the lower ends with the upper ends") {
  Chart chart;
  chart.x = log_axis(1, 100);
  chart.y = log_axis(1, 100);
  chart.marks = {{.x = 10, .y = 10, .x_low = 1, .x_high = 100, .y_low = 1, .y_high = 100}};
  const auto canvas = drawn_chart(chart, wide_chart);
  const std::regex bar("class=\"bar c0\" d=\"M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)\"");
  std::smatch ends;
  REQUIRE(std::regex_search(canvas.svg, ends, bar));
  CHECK(std::stod(ends[1]) == Approx(canvas.left).margin(0.06));
  CHECK(std::stod(ends[2]) == Approx(canvas.bottom).margin(0.06));
  CHECK(std::stod(ends[3]) == Approx(canvas.right).margin(0.06));
  CHECK(std::stod(ends[4]) == Approx(canvas.top).margin(0.06));
}

TEST_CASE("names of lines and points are text, whatever they are") {
  auto chart = busy_chart(1, "</script><b>&\"'");
  chart.lines.front().points.front().readout = "</title><script>";
  const auto svg = chart_svg(chart, wide_chart);
  CHECK(svg.find("<b>") == std::string::npos);
  CHECK(svg.find("<script>") == std::string::npos);
  CHECK(svg.find("&lt;/script&gt;&lt;b&gt;&amp;") != std::string::npos);
}
