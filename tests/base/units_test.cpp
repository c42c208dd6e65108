#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <string>

using ddlsim::Dimension;
using ddlsim::number_complaint;
using ddlsim::parse_quantity;
using ddlsim::print_quantity;

namespace {

std::string refusal(std::string_view text, Dimension dimension) {
  try {
    parse_quantity(text, dimension);
  } catch (const ddlsim::UserError& error) {
    return error.what();
  }
  return "accepted";
}

struct Read {
  const char* text;
  Dimension dimension;
  double si;
};

} // namespace

TEST_CASE("quantities are read into SI") {
  const Read all[] = {{"100 Gbps", Dimension::bandwidth, 12.5e9},
                      {"12.5 GB/s", Dimension::bandwidth, 12.5e9},
                      {"8 bps", Dimension::bandwidth, 1},
                      {"8 Kbps", Dimension::bandwidth, 1e3},
                      {"8 Mbps", Dimension::bandwidth, 1e6},
                      {"8 Tbps", Dimension::bandwidth, 1e12},
                      {"3 B/s", Dimension::bandwidth, 3},
                      {"3 KB/s", Dimension::bandwidth, 3e3},
                      {"3 MB/s", Dimension::bandwidth, 3e6},
                      {"3 TB/s", Dimension::bandwidth, 3e12},
                      {"1 MiB/s", Dimension::bandwidth, 1048576},
                      {"1 GiB/s", Dimension::bandwidth, 1073741824},
                      {"1.5 us", Dimension::time, 1.5e-6},
                      {"2 s", Dimension::time, 2},
                      {"2 ms", Dimension::time, 2e-3},
                      {"2 ns", Dimension::time, 2e-9},
                      {"2 min", Dimension::time, 120},
                      {"2 h", Dimension::time, 7200},
                      {"0 us", Dimension::time, 0},
                      {"16 GiB", Dimension::size, 17179869184.0},
                      {"16 GB", Dimension::size, 16e9},
                      {"7 B", Dimension::size, 7},
                      {"7 KB", Dimension::size, 7e3},
                      {"4 MB", Dimension::size, 4e6},
                      {"4 TB", Dimension::size, 4e12},
                      {"1 KiB", Dimension::size, 1024},
                      {"1 MiB", Dimension::size, 1048576},
                      {"1 TiB", Dimension::size, 1099511627776.0},
                      {"15.7 TFLOP/s", Dimension::compute_rate, 15.7e12},
                      {"1 PFLOP/s", Dimension::compute_rate, 1e15},
                      {"1 GFLOP/s", Dimension::compute_rate, 1e9},
                      {"8 GFLOP", Dimension::work, 8e9},
                      {"350 images/s", Dimension::rate, 350},
                      {"350 tokens/s", Dimension::rate, 350},
                      {"300 W", Dimension::power, 300},
                      {"6.5 kW", Dimension::power, 6500},
                      {"10000 USD", Dimension::price, 10000},
                      {"3.06 USD/h", Dimension::price, 3.06},
                      {"1e2Gbps", Dimension::bandwidth, 12.5e9}};
  for (const auto& one : all) {
    INFO(one.text);
    CHECK(parse_quantity(one.text, one.dimension) == Approx(one.si).epsilon(1e-15));
  }
}

TEST_CASE("quantities that are none are refused in words one can act on") {
  const std::string bandwidths = "bps, Kbps, Mbps, Gbps, Tbps, ";
  CHECK(refusal("100", Dimension::power) == "\"100\" has no unit; write one of W, kW, MW, like \"300 W\"");
  CHECK(refusal("", Dimension::power) == "\"\" does not begin with a number; write a number and a unit");
  CHECK(refusal("fast", Dimension::power) == "\"fast\" does not begin with a number; write a number and a unit");
  CHECK(refusal(" 3 W", Dimension::power) == "\" 3 W\" does not begin with a number; write a number and a unit");
  CHECK(refusal("-3 W", Dimension::power) == "\"-3 W\" is negative; give 0 or more");
  CHECK(refusal("-0 W", Dimension::power) == "\"-0 W\" is negative; give 0 or more");
  CHECK(refusal("nan W", Dimension::power) ==
        "\"nan W\" is not a finite number; leave the field out when it is not known");
  CHECK(refusal("inf W", Dimension::power) ==
        "\"inf W\" is not a finite number; leave the field out when it is not known");
  CHECK(refusal("1e999 W", Dimension::power) == "\"1e999 W\" is too large or too small a number to hold");
  CHECK(refusal("1e308 kW", Dimension::power) == "\"1e308 kW\" is too large or too small a number to hold");
  CHECK(refusal("3 kV", Dimension::power) == "\"3 kV\" has an unknown unit; known here: W, kW, MW; did you mean kW?");
  CHECK(refusal("3 horses", Dimension::power) == "\"3 horses\" has an unknown unit; known here: W, kW, MW");
  CHECK(refusal("3  W", Dimension::power) == "\"3  W\" has an unknown unit; known here: W, kW, MW; did you mean W?");
  CHECK(refusal("1,000 W", Dimension::power) == "\"1,000 W\" has an unknown unit; known here: W, kW, MW");
}

TEST_CASE("what can mean bits or bytes is refused with both ways to write it") {
  for (const char* open : {"10 GBps", "10 gbps", "10 gb/s", "10 gB", "200G", "200 g", "10 GB"})
    CHECK_THAT(refusal(open, Dimension::bandwidth), Catch::EndsWith("write GB/s (bytes) or Gb/s (bits)"));
  CHECK_THAT(refusal("10 MBps", Dimension::bandwidth), Catch::EndsWith("write MB/s (bytes) or Mb/s (bits)"));
  CHECK_THAT(refusal("10 kb/s", Dimension::bandwidth), Catch::EndsWith("write KB/s (bytes) or Kb/s (bits)"));
  CHECK(refusal("10 gb", Dimension::size) != "accepted"); // gigabits, for some
}

TEST_CASE("units are read as people write them") {
  constexpr double day = 86400;
  const Read all[] = {{"100 Gb/s", Dimension::bandwidth, 12.5e9},
                      {"100 Gbit/s", Dimension::bandwidth, 12.5e9},
                      {"100 GBit/s", Dimension::bandwidth, 12.5e9},
                      {"100 gbit/s", Dimension::bandwidth, 12.5e9},
                      {"100 Gbits/sec", Dimension::bandwidth, 12.5e9},
                      {"100Gb", Dimension::bandwidth, 12.5e9},
                      {"100 GBit", Dimension::bandwidth, 12.5e9},
                      {"100 gigabit per second", Dimension::bandwidth, 12.5e9},
                      {"12.5 GByte/s", Dimension::bandwidth, 12.5e9},
                      {"12.5 gbytes/s", Dimension::bandwidth, 12.5e9},
                      {"12.5 GB/sec", Dimension::bandwidth, 12.5e9},
                      {"8 Kib/s", Dimension::bandwidth, 1024},
                      {"2 KiB/s", Dimension::bandwidth, 2048},
                      {"5 kB/s", Dimension::bandwidth, 5e3},
                      {"5 kB", Dimension::size, 5e3},
                      {"5 GByte", Dimension::size, 5e9},
                      {"5 gibibyte", Dimension::size, 0},
                      {"90 d", Dimension::time, 90 * day},
                      {"90 days", Dimension::time, 90 * day},
                      {"1 Day", Dimension::time, day},
                      {"2 weeks", Dimension::time, 14 * day},
                      {"2w", Dimension::time, 14 * day},
                      {"1 year", Dimension::time, 365 * day},
                      {"3 years", Dimension::time, 1095 * day},
                      {"4 hours", Dimension::time, 14400},
                      {"5 \xC2\xB5s", Dimension::time, 5e-6},
                      {"989 TFLOPS", Dimension::compute_rate, 989e12},
                      {"989 tflops", Dimension::compute_rate, 989e12},
                      {"2 PFLOPs", Dimension::compute_rate, 2e15},
                      {"989 TF", Dimension::compute_rate, 989e12},
                      {"8 GFLOPs", Dimension::work, 8e9},
                      {"350 img/sec", Dimension::rate, 350},
                      {"3 kw", Dimension::power, 3e3},
                      {"300 watts", Dimension::power, 300},
                      {"2 MW", Dimension::power, 2e6},
                      {"$3M", Dimension::price, 3e6},
                      {"$ 3 million", Dimension::price, 3e6},
                      {"3M USD", Dimension::price, 3e6},
                      {"3 M$", Dimension::price, 3e6},
                      {"250k USD", Dimension::price, 250e3},
                      {"$1.2B", Dimension::price, 1.2e9},
                      {"$2.50/h", Dimension::price, 2.5},
                      {"2.5 $/hr", Dimension::price, 2.5},
                      {"3 dollars per hour", Dimension::price, 3},
                      {"300B", Dimension::count, 300e9},
                      {"1T", Dimension::count, 1e12},
                      {"300 billion tokens", Dimension::count, 300e9},
                      {"1.28 M samples", Dimension::count, 1.28e6},
                      {"512", Dimension::count, 512},
                      {"512 tokens", Dimension::count, 512}};
  for (const auto& one : all) {
    INFO(one.text);
    if (one.si == 0)
      CHECK(refusal(one.text, one.dimension) != "accepted");
    else
      CHECK(parse_quantity(one.text, one.dimension) == Approx(one.si).epsilon(1e-12));
  }
}

TEST_CASE("a unit that is near a known one is not taken for it") {
  for (const auto& [text, dimension] :
       {std::pair{"3 mW", Dimension::power}, std::pair{"3 mw", Dimension::power}, std::pair{"3M", Dimension::price},
        std::pair{"$M", Dimension::price}, std::pair{"3 Ms", Dimension::time}, std::pair{"3 months", Dimension::time},
        std::pair{"3 QFLOPS", Dimension::compute_rate}, std::pair{"3 parsecs", Dimension::count},
        std::pair{"3M USD/h", Dimension::price}, std::pair{"3 bps/s", Dimension::bandwidth}}) {
    INFO(text);
    CHECK(refusal(text, dimension) != "accepted");
  }
}

TEST_CASE("quantities are printed short") {
  CHECK(print_quantity(12.5e9, Dimension::bandwidth) == "12.5 GB/s");
  CHECK(print_quantity(1.5e-6, Dimension::time) == "1.5 us");
  CHECK(print_quantity(90, Dimension::time) == "90 s");
  CHECK(print_quantity(7200, Dimension::time) == "120 min");
  CHECK(print_quantity(0, Dimension::time) == "0 s");
  CHECK(print_quantity(0, Dimension::bandwidth) == "0 B/s");
  CHECK(print_quantity(0.99999, Dimension::time) == "1 s"); // not "1000 ms"
  CHECK(print_quantity(123456, Dimension::size) == "123.5 KB");
  CHECK(print_quantity(123456, Dimension::rate) == "123500 samples/s");
  CHECK(print_quantity(15.7e12, Dimension::compute_rate) == "15.7 TFLOP/s");
  CHECK(print_quantity(2.5e-10, Dimension::time) == "0.25 ns");
  CHECK(print_quantity(10000, Dimension::price) == "10000 USD");
  CHECK(print_quantity(3e6, Dimension::price) == "3.0 M USD");
  CHECK(print_quantity(1.234e9, Dimension::price) == "1.234 B USD");
  CHECK(print_quantity(999951, Dimension::price) == "1.0 M USD");
  CHECK(print_quantity(95 * 3600, Dimension::time) == "95 h");
  CHECK(print_quantity(2160 * 3600, Dimension::time) == "90 d");
  CHECK(print_quantity(300e9, Dimension::count) == "300B");
}

TEST_CASE("what is printed reads back to 4 digits, for any size") {
  std::mt19937_64 random(1);
  for (const auto dimension :
       {Dimension::time, Dimension::size, Dimension::bandwidth, Dimension::compute_rate, Dimension::work,
        Dimension::rate, Dimension::power, Dimension::price, Dimension::count}) {
    for (int i = 0; i < 500; ++i) {
      const double share = static_cast<double>(random() >> 11U) * 0x1p-53;
      const double value = std::pow(10, -9 + 24 * share);
      INFO(print_quantity(value, dimension));
      // half a unit of the 4th digit, 5e-4 of the leading one
      CHECK(parse_quantity(print_quantity(value, dimension), dimension) == Approx(value).epsilon(5.1e-4));
    }
  }
}

TEST_CASE("a record's unit is known by name") {
  CHECK(ddlsim::unit_in_si("ms", Dimension::time) == 1e-3);
  CHECK(ddlsim::unit_in_si("GB/s", Dimension::bandwidth) == 1e9);
  CHECK(ddlsim::unit_in_si("ms", Dimension::bandwidth) == 0);
  for (const auto dimension : {Dimension::time, Dimension::size, Dimension::bandwidth, Dimension::compute_rate,
                               Dimension::work, Dimension::rate, Dimension::power, Dimension::price, Dimension::count})
    CHECK(parse_quantity(ddlsim::example_quantity(dimension), dimension) > 0);
}

TEST_CASE("a bare number is held to what is expected, and what is wrong is reported in one line") {
  for (const auto* text : {"1e-300", "0.5", "7"}) CHECK(number_complaint(text, {.above_least = true}).empty());
  for (const auto* text : {"1", "2147483647"})
    CHECK(number_complaint(text, {.above_least = true, .whole = true}).empty());
  CHECK(number_complaint("0", {.above_least = true}) == "0 found, a number above 0 expected");
  CHECK(number_complaint("-0.5", {}) == "-0.5 found, a number of 0 or more expected");
  CHECK(number_complaint("inf", {}) == "inf found, a number of 0 or more expected");
  for (const std::string text : {"", "nan", "3 s", "0x10", " 1", "1e999", "one"})
    CHECK(number_complaint(text, {}) == "\"" + text + "\" found, a number of 0 or more expected");
  CHECK(number_complaint("1", {.most = 1, .below_most = true}) == "1 found, a number from 0 to below 1 expected");
  const ddlsim::ExpectedNumber ranks{.least = 2, .most = 1024, .whole = true};
  CHECK(number_complaint("2", ranks).empty());
  CHECK(number_complaint("1025", ranks) == "1025 found, a whole number from 2 to 1024 expected");
  CHECK(number_complaint("2.5", ranks) == "\"2.5\" found, a whole number from 2 to 1024 expected");
  CHECK(number_complaint("2147483648", {.whole = true}) ==
        "2147483648 found, a whole number from 0 to 2147483647 expected");
}
