#include "sim/base/table.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
TEST_CASE("a table is aligned and has no trailing blanks", "[table]") {
  const auto text = to_table({{"n"}, {"name", Align::left}, {"x"}}, {{"1", "ring", "10.5"}, {"64", "ps"}});
  CHECK(text == " n  name     x\n"
                " 1  ring  10.5\n"
                "64  ps\n");
}

TEST_CASE("a sentence is broken at blanks, what follows is indented", "[lines]") {
  CHECK(to_lines("one two three four", 9) == "one two\n  three\n  four\n");
  CHECK(to_lines("one two", 7) == "one two\n");
  CHECK(to_lines("", 7) == "\n");
}

TEST_CASE("a word that is longer than a line stays whole", "[lines]") {
  CHECK(to_lines("see platforms/iris/cluster.json for it", 12) == "see\n  platforms/iris/cluster.json\n  for it\n");
  CHECK(to_lines("platforms/iris/cluster.json", 12) == "platforms/iris/cluster.json\n");
}

TEST_CASE("a name that is too long is cut in the middle, never inside a character", "[lines]") {
  CHECK(cut_in_the_middle("abcdefgh", 8) == "abcdefgh");
  CHECK(cut_in_the_middle("abcdefghi", 8) == "abc...hi");
  CHECK(cut_in_the_middle("dlperf/dlperf/tf2-resnet50-b128-line268", 20) == "dlperf/dl...-line268");
  CHECK(cut_in_the_middle("abcdefghi", 3) == "...");
  CHECK(cut_in_the_middle("ab\xC3\xA9"
                          "defghi",
                          8) == "ab...hi");
  CHECK(cut_in_the_middle("abcdefgh\xC3\xA9", 8) == "abc...\xC3\xA9");
  CHECK(cut_in_the_middle("abcdefgh\xC3\xA9i", 8) == "abc...i");
}

TEST_CASE("a chart: one column a scale, a star where lines meet, nothing where nothing is", "[chart]") {
  const auto chart = to_chart({"1", "8", "64"}, {{'a', {1.0, 0.92, 0.5}}, {'b', {1.0, 0.31, -1}}});
  CHECK(chart == " 100 % |  *\n"
                 "  90 % |     a\n"
                 "  80 % |\n"
                 "  70 % |\n"
                 "  60 % |\n"
                 "  50 % |        a\n"
                 "  40 % |\n"
                 "  30 % |     b\n"
                 "  20 % |\n"
                 "  10 % |\n"
                 "   0 % |\n"
                 "          1  8 64\n");
}

namespace {

std::string in_one(const IntervalText& interval) {
  return interval.value + " " + interval.bounds;
}

} // namespace

TEST_CASE("progress: a bar, and as long again for each task as those took that ended now", "[progress]") {
  CHECK(ddlsim::progress_text({0, 0, 40}, "scenarios", 0.5, 80) == "[" + std::string(30, ' ') + "] 0 of 40 scenarios");
  CHECK(ddlsim::progress_text({0, 20, 40}, "scenarios", 100, 80) ==
        "[" + std::string(15, '=') + std::string(15, ' ') + "] 20 of 40 scenarios, 100 s left");
  CHECK(ddlsim::progress_text({10, 20, 40}, "options", 100, 80).ends_with("] 20 of 40 options, 4 min left"));
  CHECK(ddlsim::progress_text({0, 1, 100}, "parts", 100, 80).ends_with("] 1 of 100 parts, 2.8 h left"));
  CHECK(ddlsim::progress_text({40, 40, 40}, "parts", 1, 80) == "[" + std::string(30, '=') + "] 40 of 40 parts");
  CHECK(ddlsim::progress_text({0, 0, 0}, "parts", 1, 80).ends_with("] 0 of 0 parts"));
}

TEST_CASE("progress is narrower than the terminal", "[progress]") {
  CHECK(ddlsim::progress_text({0, 20, 40}, "scenarios", 100, 40) == "20 of 40 scenarios, 100 s left");
  CHECK(ddlsim::progress_text({0, 20, 40}, "scenarios", 100, 9) == "20 of 40");
  CHECK(ddlsim::progress_text({0, 20, 40}, "scenarios", 100, 0).empty());
}

TEST_CASE("a time's bounds are in its unit, whatever their own would be", "[interval]") {
  CHECK(in_one(seconds_interval(0.3953, 0.36312, 0.4399)) == "395.3 ms (363..440)");
  CHECK(in_one(seconds_interval(0.4133, 0.386, 1.0142)) == "413.3 ms (386..1010)");
  CHECK(in_one(seconds_interval(1.3361, 0.8213, 2.9249)) == "1.336 s (0.82..2.92)");
  CHECK(in_one(seconds_interval(2.1, 0.9, 10.04)) == "2.100 s (0.90..10.0)");
  CHECK(in_one(seconds_interval(1962.6, 738, 6720)) == "32.71 min (12.3..112)");
  CHECK(in_one(seconds_interval(0.042, 0.042, 0.042)) == "42.00 ms (42.0..42.0)");
}

TEST_CASE("rates are never powers of ten: thousands and millions, the bounds with them", "[interval]") {
  CHECK(in_one(rate_interval(347.12, 336.4, 358.1)) == "347.1 (336..358)");
  CHECK(in_one(rate_interval(1295, 1164, 1410)) == "1295 (1160..1410)");
  CHECK(in_one(rate_interval(9999.4, 8607, 10535)) == "9999 (8610..10500)");
  CHECK(in_one(rate_interval(9999.6, 8607, 10535)) == "10.00k (8.61..10.5)");
  CHECK(in_one(rate_interval(28957, 25170, 31110)) == "28.96k (25.2..31.1)");
  CHECK(in_one(rate_interval(9'999'400, 2'870'000, 10'180'000)) == "9999k (2870..10200)");
  CHECK(in_one(rate_interval(12'345'678, 950'000, 20'000'000)) == "12.35M (0.95..20.0)");
}

TEST_CASE("what rounds up to one digit more keeps as many digits as asked for", "[interval]") {
  CHECK(in_one(rate_interval(99.996, 9.996, 99.96)) == "100.0 (10.0..100)");
  CHECK(in_one(rate_interval(999.96, 0.996, 999.6)) == "1000 (1.00..1000)");
  CHECK(in_one(rate_interval(0, 0, 0.004)) == "0 (0.00..0.00)");
}

TEST_CASE("efficiency has whole percents, tenths where those would say nothing", "[interval]") {
  CHECK(in_one(percent_interval(0.929, 0.8413, 1.014)) == "92.9 % (84..101)");
  CHECK(in_one(percent_interval(0.175, 0.0561, 0.43)) == "17.5 % (5.6..43)");
  CHECK(in_one(percent_interval(0.996, 0.9961, 0.9999)) == "99.6 % (99.6..100)");
  CHECK(in_one(percent_interval(0.0004, 0.0001, 0.0011)) == "0.0 % (0.0..0.1)");
}

TEST_CASE("three digits are enough for a small time", "[interval]") {
  CHECK(short_seconds_text(0) == "0 s");
  CHECK(short_seconds_text(1.8331e-6) == "1.83 us");
  CHECK(short_seconds_text(0.0242731) == "24.3 ms");
  CHECK(short_seconds_text(0.9018) == "902 ms");
}

TEST_CASE("cells of a column have values that end, and bounds that begin, at one place", "[interval]") {
  const auto cells = align_intervals({{"9.5 ms", "(9.10..9.9)"}, {"", ""}, {"110.2 ms", "(99..120)"}});
  CHECK(cells == std::vector<std::string>{"  9.5 ms (9.10..9.9)", "", "110.2 ms (99..120)  "});
}

} // namespace ddlsim
