#include "tests/validate/records.hpp"
#include "validate/validation.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

Series with(const std::string& model, const std::vector<double>& times) {
  auto series = known_series({{2, times[0]}, {4, times[1]}, {8, times[2]}});
  series.model = model;
  return series;
}

} // namespace

TEST_CASE("a stated spread decides, at more than one GPU") {
  auto series = known_series({{1, 1.0}, {2, 1.0}, {4, 1.0}});
  series.points[0].relative_spread = 0.5;
  const auto [spread, grade] =
      GENERATE(table<double, char>({{0.001, 'A'}, {0.02, 'A'}, {0.0201, 'B'}, {0.06, 'B'}, {0.0601, 'C'}}));
  series.points[2].relative_spread = spread;
  const auto noise = noise_of({series});
  CHECK(noise[0].grade == grade);
  CHECK(noise[0].relative == spread);
}

TEST_CASE("siblings of equal bytes show the noise of their whole set") {
  // ln ratios 0, 0, 0.03: the median is 0, so the mean distance over sqrt 2 is 0.01 / sqrt 2.
  auto vgg = with("vgg16", {1, 1, 1});
  const auto noise = noise_of({with("resnet50_v1", {1, 1, std::exp(0.03)}), with("resnet50_v2", {1, 1, 1}), vgg});
  for (const auto& one : noise) {
    CHECK(one.relative == Approx(0.01 / std::sqrt(2.0)));
    CHECK(one.grade == 'A');
    CHECK(one.basis == "siblings");
  }
  vgg.transport = "other";
  CHECK(noise_of({with("resnet50_v1", {1, 1, 1.03}), with("resnet50_v2", {1, 1, 1}), vgg})[2].basis == "unknown");
}

TEST_CASE("v1 and v1.5 differ in work and are no siblings") {
  CHECK(noise_of({with("resnet50_v1", {1, 1, 1}), with("resnet50_v1.5", {1, 1, 1})})[0].basis == "unknown");
}

TEST_CASE("without a spread: three repeats make a B, nothing makes a C") {
  auto series = known_series({{1, 1.0}, {2, 1.0}});
  CHECK(noise_of({series})[0].grade == 'C');
  series.points[1].repeats = 2;
  CHECK(noise_of({series})[0].grade == 'C');
  series.points[1].repeats = 3;
  CHECK(noise_of({series})[0].grade == 'B');
}

TEST_CASE("a set's spread stands in for a series that states none") {
  auto stated = known_series({{2, 1.0}});
  stated.points[0].relative_spread = 0.04;
  const auto noise = noise_of({stated, known_series({{2, 1.0}})});
  CHECK(noise[1].grade == 'B');
  CHECK(noise[1].basis == "spread of the same set");
}

} // namespace ddlsim
