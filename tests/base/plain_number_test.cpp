#include "sim/base/plain_number.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("numbers of a first screen have three digits, commas and a letter from a million on", "[plain-number]") {
  CHECK(with_commas(65536) == "65,536");
  CHECK(with_commas(999) == "999");
  CHECK(with_commas(-1234567) == "-1,234,567");
  CHECK(plain_number(28514) == "28,500");
  CHECK(plain_number(0.3514) == "0.351");
  CHECK(plain_number(9.996) == "10");
  CHECK(plain_number(18.443e6) == "18.4M");
  CHECK(plain_number(999'600) == "1M");
  CHECK(plain_number(0) == "0");
  CHECK(cell_number(4770) == "4,770");
  CHECK(cell_number(28514) == "28.5k");
  CHECK(cell_number(4.38e6) == "4.38M");
}

TEST_CASE("times of a first screen are in the unit that people use", "[plain-number]") {
  CHECK(plain_time(0.82) == "820 ms");
  CHECK(plain_time(55) == "55 s");
  CHECK(plain_time(2160) == "36 min");
  CHECK(plain_time(47 * 3600.0) == "47 h");
  CHECK(plain_time(9.21 * 86400) == "9.21 d");
}

TEST_CASE("shares of a first screen have no decimals but below a percent", "[plain-number]") {
  CHECK(plain_percent(0.862) == "86 %");
  CHECK(plain_percent(0.0032) == "0.3 %");
  CHECK(plain_percent(0) == "0 %");
  CHECK(plain_range(20500, 40300) == "20,500 to 40,300");
}

} // namespace ddlsim
