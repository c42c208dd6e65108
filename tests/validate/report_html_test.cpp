#include "sim/page/html_text.hpp"
#include "tests/page/markup.hpp"
#include "tests/validate/result.hpp"
#include "validate/page/report_html.hpp"
#include "validate/report.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

using namespace ddlsim::test;

namespace ddlsim {

TEST_CASE("the page is well-formed, whatever the names") {
  const auto page = validation_html(small_result(1.5));
  CHECK(page.rfind("<!DOCTYPE html>\n", 0) == 0);
  CHECK(flaw_in(markup_of(page)).empty());
  CHECK(page.find("b<&>") == std::string::npos);
  CHECK(page.find("b&lt;&amp;&gt;&quot;&#39;") != std::string::npos);
}

TEST_CASE("every scored point has its row, and every answered one its mark in four charts") {
  const auto result = small_result(1.5);
  const auto page = validation_html(result);
  REQUIRE_FALSE(result.points.empty());
  int silent = 0;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const bool answered = result.points[i].forecasts.count("ddlsim") != 0;
    silent += answered ? 0 : 1;
    CHECK(count(page, fmt::format("<tr id=\"p{}\">", i)) == 1);
    CHECK(count(page, fmt::format(" data-p=\"{}\"", i)) == (answered ? 4 : 0));
  }
  CHECK(silent > 0);
  CHECK(page.find("a/f/f, 16 GPUs: measured 1.05 s, predicted 1.5 s, off by +35.7 %") != std::string::npos);
}

TEST_CASE("what a person reads: heads stand over their cells, no signed zero, only series with points are counted") {
  const auto result = small_result(1.5);
  const auto page = validation_html(result);
  CHECK(count(page, "<th scope=\"col\" class=\"t\">series</th>") >= 1);
  CHECK(count(page, "<th scope=\"col\">series</th>") == 0);
  CHECK(count(page, ">0 %</text>") >= 3);
  CHECK(page.find("+0 %") == std::string::npos);
  std::set<std::string> series;
  for (const auto& point : result.points) series.insert(point.series);
  CHECK(page.find(fmt::format("{} points of {} series", result.points.size(), series.size())) != std::string::npos);
}

TEST_CASE("a source whose name is too long for its place is whole under the pointer") {
  auto result = small_result(1.5);
  for (auto& point : result.points) point.file = "a-file-of-a-name-that-nobody-would-read-beside-a-chart";
  const auto page = validation_html(result);
  const auto title = page.find("a-file-of-a-name-that-nobody-would-read-beside-a-chart</title>");
  REQUIRE(title != std::string::npos);
  const auto shown = page.find("</title>", title) + std::string("</title>").size();
  const auto end = page.find("</text>", shown);
  REQUIRE(end != std::string::npos);
  CHECK(page.substr(shown, end - shown).find("...") != std::string::npos);
  CHECK(page.substr(title, end - title).ends_with("chart")); // both ends of a name tell it from others'
}

TEST_CASE("the page loads nothing and is the same bytes twice") {
  const auto page = validation_html(small_result(1.5));
  for (const auto* outside : {"http", "//cdn", "src=", "url(", "@import", "<link"})
    CHECK(page.find(outside) == std::string::npos);
  CHECK(page == validation_html(small_result(1.5)));
}

TEST_CASE("a page of nothing is a page") {
  const auto page = validation_html(ValidationResult{});
  CHECK(flaw_in(markup_of(page)).empty());
  CHECK(page.find("nothing to predict") != std::string::npos);
}

TEST_CASE("text for a page: entities, no control characters") {
  CHECK(html_escaped("a\x01<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(html_off(1.1, 1.0) == "+9.5");
}

} // namespace ddlsim
