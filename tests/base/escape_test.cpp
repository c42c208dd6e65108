#include "sim/base/escape.hpp"

#include <catch2/catch.hpp>

using ddlsim::csv_cell;
using ddlsim::for_terminal;
using ddlsim::markdown_cell;
using ddlsim::without_tags;

TEST_CASE("a cell of CSV is never a formula") {
  CHECK(csv_cell("ring") == "\"ring\"");
  CHECK(csv_cell("a \"b\", c") == "\"a \"\"b\"\", c\"");
  CHECK(csv_cell("").size() == 2);
  for (const std::string begin : {"=", "+", "-", "@", "\t", "\r"})
    CHECK(csv_cell(begin + "1") == "\"'" + begin + "1\"");
  CHECK(csv_cell("a=1") == "\"a=1\"");
}

TEST_CASE("Markdown has no tag of HTML") {
  CHECK(without_tags("a <b>x</b> <!-- y --> <?z") == "a &lt;b>x&lt;/b> &lt;!-- y --> &lt;?z");
  CHECK(without_tags("3 < 4, <4 and <-") == "3 < 4, <4 and <-");
  CHECK(without_tags("<") == "<");
}

TEST_CASE("text for a terminal steers nothing and keeps its letters") {
  CHECK(for_terminal("a\n\tb") == "a\n\tb");
  CHECK(for_terminal("\x1b[31m\x07\r\x7f") == "?[31m???");
  CHECK(for_terminal("\xc2\x9b"
                     "31m \xc3\xa9 \xc2\xb5s") == "?31m \xc3\xa9 \xc2\xb5s");
}

TEST_CASE("a cell of a Markdown table holds no end of a cell, line, tag or control character") {
  CHECK(markdown_cell("a | b") == "a \\| b");
  CHECK(markdown_cell("one\ntwo\tthree") == "one two three");
  CHECK(markdown_cell("<b>bold</b>") == "&lt;b>bold&lt;/b>");
  CHECK(markdown_cell("\x1b[31mred") == "?[31mred");
}
