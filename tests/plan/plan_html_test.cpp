#include "plan/page/plan_charts.hpp"
#include "plan/page/plan_html.hpp"
#include "plan/plan.hpp"
#include "plan/report.hpp"
#include "sim/page/html_text.hpp"
#include "tests/page/markup.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

Estimate estimate(double value) {
  return {value, value, 0.8 * value, 1.3 * value};
}

PlannedOption shown_option(const std::string& candidate, int gpus, double hours, double usd) {
  PlannedOption option;
  option.candidate = candidate;
  option.cluster = "cluster of " + candidate;
  option.strategy.name = StrategyName::ring;
  option.gpus = gpus;
  option.nodes = gpus / 8;
  option.time_s = estimate(3600 * hours);
  option.usd = estimate(usd);
  option.kwh = estimate(10 * hours);
  option.chance = 0.93;
  option.on_front = true;
  option.simulated = true;
  option.bottleneck = "compute";
  return option;
}

Plan shown_plan() {
  Plan plan;
  plan.request.name = "a plan";
  plan.request.workload.model = "resnet50";
  plan.request.limits.deadline_s = 7 * 3600;
  plan.request.limits.budget_usd = 700;
  plan.options = {shown_option("cheap", 8, 5, 100), shown_option("quick", 64, 1, 400),
                  shown_option("cheap", 16, 3, 120)};
  plan.options[2].simulated = plan.options[2].on_front = false;
  plan.limits_met = true;
  plan.runner_up = 1;
  plan.refused = {{"cheap", "ring", 4096, "too many GPUs"}};
  plan.prices = {"cheap: 20 USD a node-hour, of a price list"};
  plan.warnings = {"the calibration is old"};
  return plan;
}

} // namespace

TEST_CASE("the plan's page says its sentences first and has every option, refusal, price and warning", "[page]") {
  const auto plan = shown_plan();
  const auto page = plan_html(plan);
  CHECK(flaw_in(markup_of(page)).empty());
  CHECK(loads(page).empty());
  CHECK(page == plan_html(plan));
  for (const auto& sentence : plan_sentences(plan)) CHECK(page.find(html_escaped(sentence)) < page.find("<figure>"));
  for (std::size_t i = 0; i < plan.options.size(); ++i) {
    const auto begin = page.find(fmt::format("<tr id=\"p{}\"", i));
    REQUIRE(begin != std::string::npos);
    const auto row = page.substr(begin, page.find("</tr>", begin) - begin);
    auto cells = option_cells(plan, plan.options[i]);
    cells.erase(cells.begin()); // a star is a word here
    for (const auto& cell : cells) CHECK(has(row, ">" + html_escaped(cell) + "<"));
    CHECK(has(page, ">" + plan.options[i].cluster + "<"));
  }
  CHECK(page.find("too many GPUs") > page.find("<details>"));
  for (const auto* word : {"20 USD a node-hour, of a price list", "the calibration is old", "1 refused options"})
    CHECK(has(page, word));
}

TEST_CASE("cost over time: every option a mark, the front joined, limits drawn, hollow where timed by formula",
          "[page]") {
  auto plan = shown_plan();
  const auto chart = plan_cost_chart(plan);
  CHECK(count(chart, " data-p=") == 3);
  CHECK(count(chart, " open\"") == 1);
  CHECK(count(chart, "class=\"front\"") == 1);
  CHECK(count(chart, "class=\"bound\"") == 2);
  CHECK(has(chart, "cost, USD"));
  for (auto& option : plan.options) option.usd.reset();
  CHECK(has(plan_cost_chart(plan), "energy, kWh"));
  for (auto& option : plan.options) option.kwh = {};
  CHECK(has(plan_cost_chart(plan), ">nodes<"));
  CHECK(count(plan_cost_chart(plan), " data-p=") == 3);
}

TEST_CASE("an option without a price is in the table, and the chart says so", "[page]") {
  auto plan = shown_plan();
  plan.options[1].usd.reset();
  CHECK(count(plan_cost_chart(plan), " data-p=") == 2);
  CHECK(has(plan_cost_chart(plan), "1 options without that figure are in the table only"));
  CHECK(has(plan_html(plan), "<tr id=\"p1\">"));
}

TEST_CASE("the chance is drawn where a limit can be missed", "[page]") {
  auto plan = shown_plan();
  CHECK(count(plan_chance_chart(plan), " data-p=") == 2); // of those that are simulated
  CHECK(has(plan_chance_chart(plan), "93 %"));
  plan.request.limits = {};
  CHECK(plan_chance_chart(plan).empty());
}

TEST_CASE("hostile names in a plan stay text", "[page]") {
  auto plan = shown_plan();
  for (auto& option : plan.options) option.candidate = option.cluster = option.bottleneck = hostile_name();
  plan.request.name = plan.refused[0].candidate = plan.refused[0].why = hostile_name();
  plan.prices = plan.warnings = {hostile_name()};
  const auto page = plan_html(plan);
  CHECK(flaw_in(markup_of(page)).empty());
  CHECK(has(page, hostile_name_escaped()));
}

} // namespace ddlsim
