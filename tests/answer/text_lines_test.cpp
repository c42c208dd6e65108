#include "sim/answer/text_lines.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("a sentence is broken at blanks, what follows is indented", "[lines]") {
  CHECK(to_lines("one two three four", 9) == "one two\n  three\n  four\n");
  CHECK(to_lines("one two", 7) == "one two\n");
  CHECK(to_lines("", 7) == "\n");
}

TEST_CASE("a word that is longer than a line stays whole", "[lines]") {
  CHECK(to_lines("see platforms/iris/cluster.json for it", 12) == "see\n  platforms/iris/cluster.json\n  for it\n");
  CHECK(to_lines("platforms/iris/cluster.json", 12) == "platforms/iris/cluster.json\n");
}

} // namespace ddlsim
