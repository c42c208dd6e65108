#include "sim/page/html_text.hpp"
#include "sim/page/page.hpp"
#include "sim/page/parts_bar.hpp"
#include "tests/page/markup.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim::test;

namespace ddlsim {

TEST_CASE("the tests' own check of markup finds what is wrong") {
  CHECK(flaw_in("<a><b></a></b>") == "closed out of turn: </a>");
  CHECK(flaw_in("<a b=\"1\"/>x &lt; y").empty());
  CHECK_FALSE(flaw_in("<a b=1/>").empty());
  CHECK_FALSE(flaw_in("<a>").empty());
  CHECK_FALSE(flaw_in("R&D").empty());
  CHECK(loads("<img src=\"x\"/>") == "src=");
}

TEST_CASE("an empty page is well-formed, loads nothing, and has light, dark and paper") {
  const auto page = html_page(hostile_name(), "");
  CHECK(flaw_in(markup_of(page)).empty());
  CHECK(loads(page).empty());
  CHECK(has(page, "<title>" + hostile_name_escaped() + "</title>"));
  for (const auto* media : {"prefers-color-scheme: dark", "@media print", "max-width: 640px"}) CHECK(has(page, media));
}

TEST_CASE("the script has nothing that would end it or its CDATA early") {
  const auto script = page_script();
  CHECK(count(script, "]]>") == 1);
  CHECK_FALSE(has(script, "</"));
}

TEST_CASE("what is no UTF-8, and what XML has no place for, does not reach the page") {
  const std::string nothing = "\xEF\xBF\xBD"; // U+FFFD
  CHECK(html_escaped("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") == "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(html_escaped("a\xFF") == "a" + nothing);
  CHECK(html_escaped("\xC3") == nothing);                             // cut short
  CHECK(html_escaped("\xC0\xBC") == nothing + nothing);               // "<" in two bytes
  CHECK(html_escaped("\xE0\x80\xBC") == nothing + nothing + nothing); // and in three
  CHECK(html_escaped("\xED\xA0\x80") == nothing + nothing + nothing); // half a pair of UTF-16
  CHECK(html_escaped("\xEF\xBF\xBF") == nothing + nothing + nothing); // U+FFFF
  CHECK(html_escaped("\xF4\x90\x80\x80") == nothing + nothing + nothing + nothing);
  CHECK(html_escaped("\xC3<") == nothing + "&lt;");
}

TEST_CASE("controls: a select for each dimension in which curves differ, and none twice") {
  std::vector<PageChoice> choices;
  const auto dimensions = find_dimensions({"file", "cluster", "batch", "model"},
                                          {{"a.json", "iris", "32", "m"},
                                           {"a.json", "iris", "64", "m"},
                                           {"b.json", "p3", "32", "m"},
                                           {"b.json", "p3", "64", "m"}},
                                          choices);
  REQUIRE(dimensions.size() == 2); // the cluster goes with the file, the model does not differ
  CHECK(dimensions[0].name == "file");
  CHECK(dimensions[1].values == std::vector<std::string>{"32", "64"});
  CHECK(choices == std::vector<PageChoice>{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  CHECK(page_key(choices[2]) == "1 0");
  CHECK(count(page_controls(dimensions, choices, 4), "selected=") == 0);
  CHECK(count(page_controls(dimensions, choices, 3), "selected=") == 1); // the first file's two
  CHECK(count(page_controls(dimensions, choices, 1), "selected=") == 2);
  CHECK(flaw_in(page_controls(dimensions, choices, 1)).empty());
  CHECK(page_controls({}, {{}}, 1).empty());
}

TEST_CASE("a bar of parts shows every part with its share, those that take away too") {
  const auto cell = parts_bar_cell({"compute", "rest", "gained", "none"}, {0.75, 0.5, -0.25, 0});
  CHECK(has(cell, "compute 75 %, rest 50 %, gained -25 %\""));
  CHECK(count(cell, "<rect") == 2);
  CHECK(has(cell, "width=\"96.0\"")); // 0.75 of the 1.25 that are drawn, of 160
  CHECK(flaw_in(cell).empty());
  CHECK(flaw_in(parts_bar_cell({"a"}, {0})).empty());
}

} // namespace ddlsim
