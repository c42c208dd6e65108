#include "sim/answer/text_table.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("a table is aligned and has no trailing blanks", "[table]") {
  const auto text = to_table({{"n"}, {"name", Align::left}, {"x"}}, {{"1", "ring", "10.5"}, {"64", "ps"}});
  CHECK(text == " n  name     x\n"
                " 1  ring  10.5\n"
                "64  ps\n");
}

} // namespace ddlsim
