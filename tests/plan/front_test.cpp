#include "plan/evaluation.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

Evaluation that_takes(double time_s, std::optional<double> usd, double kwh) {
  Evaluation evaluation;
  evaluation.likeliest = {time_s, usd, kwh};
  return evaluation;
}

} // namespace

TEST_CASE("a figure that nobody knows puts no option on the front", "[plan]") {
  CHECK(front_of({that_takes(3, 3, 0), that_takes(2, 2, 50)}) == std::vector<bool>{false, true});
  CHECK(front_of({that_takes(3, 3, 40), that_takes(2, 2, 0)}) == std::vector<bool>{false, true});
  CHECK(front_of({that_takes(3, 1, 0), that_takes(2, 2, 50)}) == std::vector<bool>{true, true});
  CHECK(front_of({that_takes(3, std::nullopt, 40), that_takes(2, 2, 50)}) == std::vector<bool>{true, true});
}

TEST_CASE("options are compared by the medians of their samples", "[plan]") {
  auto skewed = that_takes(1, 1, 1);
  skewed.samples = {{5, 5, 5}, {5, 5, 5}, {5, 5, 5}};
  auto plain = that_takes(2, 2, 2);
  plain.samples = {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}};
  CHECK(front_of({skewed, plain}) == std::vector<bool>{false, true});
}

} // namespace ddlsim
