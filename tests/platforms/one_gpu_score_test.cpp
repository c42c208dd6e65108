#include "platforms/tools/one_gpu_score.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

HiddenTime hidden(const std::string& gpu, Precision precision, double estimated_s, double width) {
  return {gpu, "m", precision, "p", 32, 1.0, estimated_s, width, "compute_other_gpus"};
}

} // namespace

TEST_CASE("the score of hidden GPUs is of ln(estimated / measured)", "[hidden-gpu]") {
  const double e = std::exp(1.0);
  const auto score = score_of({hidden("A", Precision::fp32, e, 0.1), hidden("A", Precision::fp32, 1 / e, 1)});
  CHECK(score.times == 2);
  CHECK(score.mean == Approx(1));
  CHECK(score.bias == Approx(0).margin(1e-12));
  CHECK(score.held == 0.5); // 1.645 of 0.1 does not reach 1, of 1 it does
  CHECK(score_of({}).times == 0);
}

TEST_CASE("each GPU counts once in the mean over GPUs, and 16 bits stand apart", "[hidden-gpu]") {
  const double tenth = std::exp(0.1);
  const double third = std::exp(0.3);
  const auto text = to_text({hidden("A", Precision::fp32, tenth, 1), hidden("A", Precision::tf32, tenth, 1),
                             hidden("B", Precision::fp32, third, 1), hidden("B", Precision::amp, 1, 1)});
  CHECK_THAT(text, Catch::Contains("all times                3    16.7     30.0    16.7     100"));
  CHECK_THAT(text, Catch::Contains("mean over GPUs           2    20.0     30.0    20.0     100"));
}

} // namespace ddlsim
