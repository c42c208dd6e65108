#include "sim/base/error.hpp"
#include "viewer/html_text.hpp"
#include "viewer/page.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ddlsim;

namespace {

Picture small_picture(const std::string& title = "a model on a cluster") {
  Picture picture;
  picture.title = title;
  set_verdict(
      picture,
      "Your 8 GPUs train about 900 images/s (90 %: 800 to 1,000), which is 93 % of perfect scaling. Growing pays.");
  picture.json = R"({"format": "ddlsim-prediction", "model": "</script><b>"})";
  Chart chart;
  chart.title = "Efficiency";
  chart.lines = {{.name = "ring", .value = "93 %", .points = {{1, 1, 1, 1, "one"}, {8, 0.9, 0.8, 1, "eight"}}}};
  chart.x = {"GPUs", AxisScale::logarithmic, AxisUnit::count, 1, 8};
  picture.charts = {chart, chart};
  picture.notes = {{"sure", "How sure", {"Known to +-20 %."}}};
  return picture;
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

/// The JSON of a page, as a browser would read it.
nlohmann::json json_in(const std::string& page) {
  const std::string open = "class=\"answer\">";
  const auto from = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

} // namespace

TEST_CASE("a verdict becomes a heading, its figure and sentences") {
  const auto picture = small_picture();
  CHECK(picture.heading == "Your 8 GPUs train about 900 images/s, which is 93 % of perfect scaling.");
  CHECK(picture.figure == "900 images/s");
  CHECK(picture.sentences == std::vector<std::string>{"90 % interval: 800 to 1,000.", "Growing pays."});
  Picture plain;
  set_verdict(plain, "Nothing keeps 14 d.");
  CHECK(plain.heading == "Nothing keeps 14 d.");
  CHECK(plain.sentences.empty());
}

TEST_CASE("sentences end at full stops, not inside figures") {
  CHECK(sentences_of("It is 18 % off (a new site. Priors taken away). The best is 20 %.").size() == 2);
  CHECK(after_label("How sure: runs here reach 8 GPUs.") == "Runs here reach 8 GPUs.");
  CHECK(after_label("no label") == "No label");
  CHECK(sentences_of("It takes 0.294 USD. It is 6.72 d (90 %: 4.06 to 13.5 d).") ==
        std::vector<std::string>{"It takes 0.294 USD.", "It is 6.72 d (90 %: 4.06 to 13.5 d)."});
}

TEST_CASE("verdict and charts stand in the page without a script") {
  const auto page = page_html(small_picture());
  CHECK(page.find("<h1>Your 8 GPUs train about <em>900 images/s</em>, which is 93&#160;% of perfect scaling.</h1>") !=
        std::string::npos);
  CHECK(count_of(page, "<svg") == 4); // two charts at two widths
  CHECK(page.find("Known to &#177;20&#160;%.") != std::string::npos);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find("http://") == page.find("http://www.w3.org/2000/svg"));
  CHECK(page.find("https://") == std::string::npos);
  CHECK(page == page_html(small_picture()));
}

TEST_CASE("a hostile name is text in the page, and its JSON reads as it was") {
  auto picture = small_picture("</script><b>{{script}}<!--");
  picture.notes.front().paragraphs = {"<img src=x onerror=alert(1)>", "{{answer}}"};
  const auto page = page_html(picture);
  CHECK(page.find("<b>{{") == std::string::npos);
  CHECK(page.find("<img") == std::string::npos);
  CHECK(count_of(page, "<script") == 2); // the JSON and the page's own
  CHECK(count_of(page, "</script>") == 2);
  CHECK(json_in(page).at("model") == "</script><b>");
}

TEST_CASE("an SVG file has its style and its ground") {
  const auto svg = picture_svg(small_picture());
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.find("<style>") != std::string::npos);
  CHECK(svg.find("class=\"ground\"") != std::string::npos);
  CHECK(picture_svg(Picture{}).empty());
}

TEST_CASE("an answer of a sweep survives its way between processes") {
  auto picture = small_picture("<x>");
  picture.figure_at_hand = PictureFigure{"images/s on 8 GPUs", 900, 800, 1000};
  SweptPicture read;
  read_swept_part(swept_part(picture), read);
  CHECK(read.answer == answer_html(picture));
  REQUIRE(read.figure);
  CHECK(read.figure->high == 1000);
  for (const char* other : {"", "{}", "[1]", R"({"answer": 1, "figure": null})"})
    CHECK_THROWS_AS(read_swept_part(other, read), UserError);
}

TEST_CASE("a sweep's page has every answer, and says where there is none") {
  SweptPicture good{
      "batch=32", {"32"}, answer_html(small_picture()), PictureFigure{"images/s on 8 GPUs", 900, 800, 1000}, ""};
  SweptPicture bad{"batch=</template>", {"</template>"}, "", {}, "it is not a number: </template>"};
  const Sweep sweep{{"batch"}, {good, bad}};
  const auto page = sweep_html(sweep);
  CHECK(count_of(page, "<template") == 2);
  CHECK(count_of(page, "</template>") == 2);
  CHECK(page.find("No answer") != std::string::npos);
  CHECK(page.find("All answers: images/s on 8 GPUs") != std::string::npos);
  CHECK(sweep_svg(sweep).find(">32<") != std::string::npos);
  CHECK_NOTHROW(sweep_html(Sweep{{"batch"}, {bad}}));
  CHECK_NOTHROW(sweep_html(Sweep{}));
}

TEST_CASE("escapes keep what they should") {
  CHECK(html_escaped("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(html_escaped("\xC3\xA9 \xFF\x01") == "\xC3\xA9 \xEF\xBF\xBD");
  CHECK(json_in_script(R"({"a": "<!--</script>"})") == R"({"a": "\u003c!--\u003c/script>"})");
}
