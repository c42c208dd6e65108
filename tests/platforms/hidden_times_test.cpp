#include "platforms/tools/hidden_times.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

HiddenTime hidden(Precision precision, double estimated_s, double width) {
  return {"A", "m", precision, false, 1.0, estimated_s, width};
}

} // namespace

TEST_CASE("the score of hidden times is of ln(estimated / measured)", "[hidden]") {
  const double e = std::exp(1.0);
  const auto score = score_of({hidden(Precision::fp32, e, 0.1), hidden(Precision::fp32, 1 / e, 1)});
  CHECK(score.times == 2);
  CHECK(score.mean == Approx(1));
  CHECK(score.bias == Approx(0).margin(1e-12));
  CHECK(score.held == 0.5); // 1.645 of 0.1 does not reach 1, of 1 it does
  CHECK(score.half_width == Approx(1.645 * 0.55));
  CHECK(score_of({}).times == 0);
}

TEST_CASE("16 bits and fp32 have rows of their own", "[hidden]") {
  const auto text = to_text({hidden(Precision::fp32, std::exp(0.1), 1), hidden(Precision::amp, std::exp(0.2), 1),
                             hidden(Precision::fp8, std::exp(0.3), 1)});
  CHECK_THAT(text, Catch::Contains("CNN and others, fp32               1    10.0"));
  CHECK_THAT(text, Catch::Contains("CNN and others, 16 and 8 bits      2    25.0"));
}

} // namespace ddlsim
