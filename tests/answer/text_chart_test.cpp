#include "sim/answer/text_chart.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

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

} // namespace ddlsim
