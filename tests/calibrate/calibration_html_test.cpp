#include "calibrate/page/calibration_html.hpp"
#include "sim/page/html_text.hpp"
#include "tests/page/markup.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

CalibratedParameter shown_parameter(const std::string& name, double z_score, double error, bool identified) {
  CalibratedParameter one;
  one.name = name;
  one.scope.transport = "nccl-ib";
  one.prior.parameter = name;
  one.prior.median = 0.5;
  one.prior.width = 0.1;
  one.prior.unit = "1";
  one.prior.source = "a paper, table 3";
  one.prior.shaped_by = {"other-cluster"};
  one.z_score = z_score;
  one.error = error;
  one.identified = identified;
  one.points = 12;
  one.borrowed_points = 5;
  return one;
}

Calibrated shown_calibration() {
  Calibrated calibrated;
  auto& calibration = calibrated.calibration;
  calibration.cluster = "iris";
  calibration.parameters = {shown_parameter("nic_efficiency", 1, 0.2, true),
                            shown_parameter("operation_cost", 0, 1, false)};
  calibration.quality = {14, 0.031, 0.052, 14};
  CalibratedSeries series;
  series.id = "a series";
  series.strategy = "ring";
  series.borrowed = true;
  series.points = {{8, 2, 0.04, 0.01, false}, {16, 4, -0.02, 0.01, true}};
  calibration.series = {series};
  calibration.files = {"iris/few.jsonl 0123456789abcdef"};
  calibration.excluded = {{"few.jsonl:3", "milliseconds taken for seconds"}};
  calibrated.next = {{"a run on 8 nodes", "ring on 32 nodes", 0.3, 0.1}};
  return calibrated;
}

} // namespace

TEST_CASE("the calibration's page has before and after of every parameter, evidence and what to measure", "[page]") {
  const auto calibrated = shown_calibration();
  const auto page = calibration_html(calibrated);
  CHECK(flaw_in(markup_of(page)).empty());
  CHECK(loads(page).empty());
  CHECK(page == calibration_html(calibrated));
  for (const auto& sentence : calibration_sentences(calibrated))
    CHECK(page.find(html_escaped(sentence)) < page.find("<figure>"));
  for (const auto* word :
       {"fitted to 14 points of 1 series; after the fit the model is 3.1 % off", "1 of 2 parameters were learnt",
        "1 series are borrowed",
        "Measure next: a run on 8 nodes; ring on 32 nodes is then known to +-10 % instead of +-30 %.",
        ">0.5 (0.424..0.589)<", ">0.553 (0.535..0.571)<", ">20 %<", ">12 (5 borrowed)<", "a paper, table 3",
        "other-cluster", "0123456789abcdef", "milliseconds taken for seconds", ">3.0<", ">4.0<"}) {
    INFO(word);
    CHECK(has(page, word));
  }
}

TEST_CASE("only what was learnt is drawn, and all parameters have their row", "[page]") {
  const auto page = calibration_html(shown_calibration());
  CHECK(count(page, " data-p=\"0\"") == 1);
  CHECK(count(page, " data-p=\"1\"") == 0);
  CHECK(count(page, "<tr id=\"p0\">") == 1);
  CHECK(count(page, "<tr id=\"p1\">") == 1);
}

TEST_CASE("hostile names in a calibration stay text, and one without parameters is a page", "[page]") {
  auto calibrated = shown_calibration();
  auto& calibration = calibrated.calibration;
  calibration.cluster = calibration.parameters[0].name = calibration.parameters[0].scope.transport = hostile_name();
  calibration.parameters[0].prior.source = calibration.series[0].id = calibration.series[0].strategy = hostile_name();
  calibration.excluded[0].what = calibration.excluded[0].why = calibration.files[0] = hostile_name();
  calibrated.next[0].run = calibrated.next[0].predicted = hostile_name();
  const auto page = calibration_html(calibrated);
  CHECK(flaw_in(markup_of(page)).empty());
  CHECK(has(page, hostile_name_escaped()));
  CHECK(flaw_in(markup_of(calibration_html(Calibrated{}))).empty());
}

} // namespace ddlsim
