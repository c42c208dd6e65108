#include "sim/page/html_text.hpp"
#include "sim/predict/page/prediction_html.hpp"
#include "sim/predict/report.hpp"
#include "tests/page/markup.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

PredictedPoint shown_point(int gpus, double efficiency) {
  PredictedPoint point;
  point.gpus = gpus;
  point.nodes = std::max(1, gpus / 4);
  point.efficiency = efficiency;
  point.efficiency_low = 0.9 * efficiency;
  point.efficiency_high = 1.1 * efficiency;
  point.samples_per_s = 100 * gpus * efficiency;
  point.samples_per_s_low = 0.9 * point.samples_per_s;
  point.samples_per_s_high = 1.1 * point.samples_per_s;
  point.iteration_s = 0.4 / efficiency;
  point.iteration_s_low = 0.9 * point.iteration_s;
  point.iteration_s_high = 1.1 * point.iteration_s;
  point.parts.compute_s = 0.4;
  point.parts.exposed_communication_s = point.iteration_s - 0.4;
  point.bottleneck = "communication";
  point.algorithm = "tree";
  point.fidelity = "full";
  return point;
}

StrategyAnswer shown_answer(StrategyName name, double efficiency) {
  StrategyAnswer answer;
  answer.strategy.name = name;
  answer.preset = "horovod";
  answer.transport = "nccl-ib";
  answer.library = "nccl 2.21.5";
  answer.points = {shown_point(1, 1), shown_point(8, efficiency), shown_point(64, efficiency * efficiency)};
  answer.largest_scale = {48, 40, 56, false, "straggling"};
  answer.measure_next = {"nic_efficiency", "all-reduces of 64 MB", 64, 0.2, 0.07};
  return answer;
}

/// Two strategies at 1, 8 and 64 GPUs, of which 16 exist.
Prediction shown_prediction() {
  Prediction prediction;
  auto& scenario = prediction.scenario;
  scenario.name = "plain";
  scenario.model = "resnet50";
  scenario.cluster = "iris";
  scenario.preset = "horovod";
  scenario.batch_per_gpu = 32;
  scenario.gpus = {1, 8, 64};
  prediction.gpu = "V100";
  prediction.one_gpu.text = "100 samples/s, measured";
  prediction.available_gpus = 16;
  prediction.growth_gpus = 256;
  prediction.strategies = {shown_answer(StrategyName::ring, 0.5), shown_answer(StrategyName::tree, 0.9)};
  prediction.warnings = {"the calibration is older than its records"};
  prediction.files = {{"platforms/iris/cluster.json", "0123456789abcdef"}};
  return prediction;
}

SweepPart shown_part(const std::string& name, const std::vector<std::string>& values) {
  SweepPart part{name, values, page_scenario(shown_prediction()), ""};
  part.scenario.name = name;
  return part;
}

std::size_t position(const std::string& page, const std::string& what) {
  const auto at = page.find(what);
  INFO(what);
  REQUIRE(at != std::string::npos);
  return at;
}

} // namespace

TEST_CASE("the page answers first, then draws, then lists every point", "[page]") {
  const auto page = prediction_html(shown_prediction());
  CHECK(flaw_in(markup_of(page)).empty());
  CHECK(loads(page).empty());
  const auto fastest =
      position(page, "Fastest at 64 GPUs (16 nodes): tree with horovod over nccl-ib, with 5184 samples/s");
  CHECK(fastest <
        position(page, "Efficiency stays at or above 80.0 % up to 48 GPUs (90 %: 40 .. 56); what costs most"));
  CHECK(position(page, "Measure next: all-reduces of 64 MB (nic_efficiency).") <
        position(page,
                 "Next: ring with horovod over nccl-ib, with 1600 samples/s (1440..1760). The two intervals do not"));
  CHECK(position(page, "At 8 GPUs, the largest scale asked for that is available, the fastest is tree") <
        position(page, "<figure>"));
  CHECK(position(page, "<figure>") < position(page, "<tr id=\"p0\">"));
}

TEST_CASE("each point has its row and a mark in both charts, and its figures stand in the row", "[page]") {
  const auto prediction = shown_prediction();
  const auto page = prediction_html(prediction);
  std::size_t row = 0;
  for (const auto& curve : page_scenario(prediction).curves) {
    for (const auto& point : curve.points) {
      CHECK(count(page, fmt::format(" data-p=\"{}\"", row)) == 2);
      const auto begin = position(page, fmt::format("<tr id=\"p{}\">", row));
      const auto text = page.substr(begin, page.find("</tr>", begin) - begin);
      CHECK(has(text, curve.name));
      for (const auto& cell : point.cells) CHECK(has(text, html_escaped(cell)));
      ++row;
    }
  }
  CHECK(row == 6);
}

TEST_CASE("what was measured at a point stands in its row and as an outline in both charts", "[page]") {
  auto prediction = shown_prediction();
  CHECK_FALSE(has(prediction_html(prediction), ">measured</th>"));
  MeasuredHere measured;
  measured.iteration_s = 0.5;
  measured.records = 1;
  prediction.strategies[1].points[1].measured = measured;
  const auto page = prediction_html(prediction);
  CHECK(flaw_in(markup_of(page)).empty());
  CHECK(has(page, ">measured</th>"));
  CHECK(has(page, ">500 ms, slower<"));
  CHECK(count(page, " ring\" data-p=\"4\"") == 2);
  CHECK(count(page, " ring\"") == 2);
}

TEST_CASE("strategies stand beside each other with preset and transport, and warnings, versions and files are reported",
          "[page]") {
  const auto page = prediction_html(shown_prediction());
  for (const auto& word : {"<th scope=\"row\">ring</th><td class=\"t\">horovod</td><td class=\"t\">nccl-ib</td>",
                           "48 (40..56)", "the calibration is older than its records", "0123456789abcdef",
                           "platforms/iris/cluster.json", "100 samples/s, measured", "seed 1, 800 samples"})
    CHECK(has(page, word));
  CHECK(has(page, version()));
  CHECK(has(page, simgrid_version()));
  CHECK(has(page, "80.0 %: the bound asked for"));
}

TEST_CASE("what cannot be is reported, and breaks the line", "[page]") {
  auto prediction = shown_prediction();
  auto& refused = prediction.strategies[1].points[2];
  refused = {};
  refused.gpus = 64;
  refused.error = "does not fit in <memory>";
  auto page = prediction_html(prediction);
  CHECK(has(page, "cannot be: does not fit in &lt;memory&gt;"));
  CHECK(has(page, "Fastest at 64 GPUs (16 nodes): ring"));
  CHECK(count(page, " data-p=\"5\"") == 0);
  prediction.strategies[0].points[2] = refused;
  page = prediction_html(prediction);
  CHECK(has(page, "64 GPUs cannot be; the table says why."));
  for (auto& answer : prediction.strategies)
    for (auto& point : answer.points) point.error = "no";
  for (auto& answer : prediction.strategies) answer.measure_next = {};
  page = prediction_html(prediction);
  CHECK(has(page, "None of the scales asked for is possible"));
  CHECK(flaw_in(markup_of(page)).empty());
}

TEST_CASE("hostile names stay text in both pages, and the same answer gives the same bytes", "[page]") {
  auto prediction = shown_prediction();
  auto& scenario = prediction.scenario;
  scenario.name = scenario.model = scenario.cluster = hostile_name();
  for (auto& answer : prediction.strategies)
    answer.preset = answer.transport = answer.library = answer.strategy.note = hostile_name();
  prediction.warnings = {hostile_name()};
  prediction.files[0].name = prediction.gpu = prediction.one_gpu.text = hostile_name();
  const auto page = prediction_html(prediction);
  CHECK(flaw_in(markup_of(page)).empty());
  CHECK(has(page, hostile_name_escaped()));
  CHECK(page == prediction_html(prediction));
  SweepPart part{hostile_name(), {hostile_name()}, page_scenario(prediction), ""};
  SweepPart other = shown_part("other", {"x"});
  SweepPart failed{hostile_name(), {hostile_name()}, {}, hostile_name()};
  const auto sweep = sweep_html({hostile_name()}, {part, other, failed});
  CHECK(flaw_in(markup_of(sweep)).empty());
  CHECK(sweep == sweep_html({hostile_name()}, {part, other, failed}));
}

TEST_CASE("a part that came from another process says the same", "[page]") {
  auto prediction = shown_prediction();
  prediction.strategies[0].points[1].error = "no";
  prediction.strategies[0].points[2].alone = IterationTime{0.3, 0.2, 0.4};
  prediction.scenario.name = hostile_name() + "\f\n\xFF:";
  const auto sent = page_part(page_scenario(prediction));
  CHECK(std::all_of(sent.begin(), sent.end(), [](char c) { return c >= 0x20 && c < 0x7F; }));
  CHECK(page_part(read_page_part(sent)) == sent);
  prediction.scenario.name = "plain";
  const auto back = read_page_part(page_part(page_scenario(prediction)));
  const SweepPart first{"a", {}, page_scenario(prediction), ""}, second{"a", {}, back, ""};
  CHECK(sweep_html({}, {first}) == sweep_html({}, {second}));
}

TEST_CASE("a sweep has a control for each thing that differs, and every curve in charts and tables", "[page]") {
  const auto page = sweep_html({"batch_per_gpu", "cluster"}, {shown_part("32 iris", {"32", "iris"}),
                                                              shown_part("32 p3", {"32", "p3"}),
                                                              shown_part("64 iris", {"64", "iris"}),
                                                              {"64 p3", {"64", "p3"}, {}, "no such cluster"}});
  CHECK(flaw_in(markup_of(page)).empty());
  CHECK(loads(page).empty());
  CHECK(count(page, "<select ") == 3); // and the strategy
  CHECK(has(page, "<option value=\"1\">64</option>"));
  CHECK(count(page, "<g data-k=\"0 1 1\">") == 2); // one a chart: 32, p3, tree
  CHECK(count(page, "<tr id=\"p") == 3 * 2 * 3);
  CHECK(has(page, "4 scenarios, 1 without an answer; 6 curves"));
  CHECK(has(page, "no such cluster"));
  CHECK(has(page, "Most samples/s at 64 GPUs: 32 iris, tree with horovod over nccl-ib"));
  CHECK(has(page,
            "hidden=\"hidden\" aria-label=\"which curves are shown\"")); // without script no control that does nothing
  CHECK(count(page, "class=\"off\"") == 0);                              // and nothing hidden
  const auto nothing = sweep_html({"cluster"}, {{"p3", {"p3"}, {}, "no"}});
  CHECK(flaw_in(markup_of(nothing)).empty());
  CHECK(has(nothing, "1 without an answer; 0 curves"));
}

} // namespace ddlsim
