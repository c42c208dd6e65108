#include "calibrate/plain_text.hpp"
#include "tests/calibrate/import_support.hpp"

#include <catch2/catch.hpp>

using ddlsim::parse_number;
using ddlsim::test::mistakes_of;
using ddlsim::test::ScratchFile;

TEST_CASE("a printed number carries half a step of its last digit") {
  CHECK(parse_number("5.45")->value == 5.45);
  CHECK(parse_number("5.45")->half_step == Approx(0.005));
  CHECK(parse_number("271.3")->half_step == Approx(0.05));
  CHECK(parse_number("20006")->half_step == Approx(0.5));
  CHECK(parse_number("1.5e+06")->value == 1.5e6);
  CHECK(parse_number("1.5e+06")->half_step == Approx(0.5e5));
  CHECK(parse_number("5e-07")->half_step == Approx(0.5e-7));
}

TEST_CASE("what is no number alone is none") {
  for (const char* text : {"", "nan", "inf", "1,5", "12 ms", "0x10", "1e999", "--3", "N/A"}) {
    INFO(text);
    CHECK_FALSE(parse_number(text).has_value());
  }
}

TEST_CASE("lines end in any of the three ways") {
  CHECK(ddlsim::split_lines("a\nb\r\nc\rd") == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(ddlsim::split_lines("a\r\n\r\nb\n") == std::vector<std::string>{"a", "", "b"});
}

TEST_CASE("text is UTF-8 or refused with what it is") {
  const auto read = [](const std::string& content) {
    const ScratchFile file("a.csv", content);
    return mistakes_of([&] { ddlsim::read_utf8_file(file.path()); });
  };
  CHECK(read("\xEF\xBB\xBFmodel") == "");
  CHECK(read("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80") == "");
  CHECK_THAT(read("\xFF\xFEm\x01"), Catch::Contains("UTF-16"));
  CHECK_THAT(read(std::string("PK\0\x03", 4)), Catch::Contains("zero bytes"));
  CHECK_THAT(read(" \r\n\n"), Catch::Contains("empty file"));
  for (const char* bad : {"caf\xE9", "\xC0\xAF", "\xED\xA0\x80", "\xE0\x80\x80", "\xF4\x90\x80\x80", "\xE2\x82"})
    CHECK_THAT(read(bad), Catch::Contains("not UTF-8"));
}

TEST_CASE("a byte order mark is no text") {
  const ScratchFile file("a.csv", "\xEF\xBB\xBFmodel");
  CHECK(ddlsim::read_utf8_file(file.path()) == "model");
}
