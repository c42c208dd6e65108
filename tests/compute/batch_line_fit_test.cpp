#include "sim/base/error.hpp"
#include "sim/compute/batch_line_fit.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double fixed_s = 0.03;
constexpr double per_sample_s = 0.005;

std::vector<BatchTime> on_the_line(const std::vector<double>& batches) {
  std::vector<BatchTime> points;
  for (const double batch : batches) points.push_back({batch, fixed_s + per_sample_s * batch});
  return points;
}

} // namespace

TEST_CASE("points on a line give that line", "[line]") {
  const auto fit = fit_line(on_the_line({1, 4, 16, 64}), {fixed_s});
  CHECK(fit.fixed_s == Approx(fixed_s).epsilon(1e-6)); // the descent ends at a relative gain of 1e-14
  CHECK(fit.per_sample_s == Approx(per_sample_s).epsilon(1e-6));
  CHECK(fit.relative_error < affine_residual); // four exact points say that the scatter is smaller than usual
}

TEST_CASE("a wrong expectation barely counts against two batches", "[line]") {
  const auto fit = fit_line(on_the_line({4, 32}), {2 * fixed_s});
  // The expectation pulls with (0.03 / 1.0)^2 of the weight of one point on ln fixed: below 1 % here.
  CHECK(fit.fixed_s == Approx(fixed_s).epsilon(0.01));
  CHECK(fit.time_s(16) == Approx(fixed_s + 16 * per_sample_s).epsilon(0.005));
}

TEST_CASE("one batch keeps its time and takes the fixed part that is expected", "[line]") {
  const auto fit = fit_line({{32, 0.2}}, {0.05});
  CHECK(fit.fixed_s == 0.05);
  CHECK(fit.time_s(32) == Approx(0.2));
  CHECK(fit.time_s(64) == Approx(0.05 + 0.3));
  CHECK(fit.relative_error == Approx(affine_residual));
  // sd of ln((t - a) / b) by propagation: t 3 % and a 30 %
  CHECK(fit.per_sample_error == Approx(std::hypot(0.2 / 0.15 * 0.03, 0.05 / 0.15 * 0.3)));
  CHECK(fit_line({{1, 0.01}}, {0.05}).fixed_s == Approx(0.009));             // never all of the time
  CHECK(fit_line({{32, 0.1}, {32, 0.4}}, {0.05}).time_s(32) == Approx(0.2)); // the geometric mean
}

TEST_CASE("one wrong point does not pull the line away", "[line]") {
  auto points = on_the_line({1, 2, 4, 8, 16, 32});
  points[3].time_s *= 2;
  const auto fit = fit_line(points, {fixed_s});
  // Least squares would be off by up to 13 %; soft-L1 leaves the pull of one unit residual among five points.
  for (const double batch : {1.0, 8.0, 32.0})
    CHECK(fit.time_s(batch) == Approx(fixed_s + per_sample_s * batch).epsilon(0.025));
  CHECK(fit.relative_error > 1.5 * affine_residual); // and the scatter says that something is wrong
}

TEST_CASE("the order of points does not matter", "[line]") {
  auto points = on_the_line({1, 2, 8, 32});
  points[1].time_s *= 1.05;
  const auto fit = fit_line(points, {fixed_s});
  std::reverse(points.begin(), points.end());
  const auto again = fit_line(points, {fixed_s});
  CHECK(fit.fixed_s == again.fixed_s);
  CHECK(fit.per_sample_s == again.per_sample_s);
}

TEST_CASE("a batch left out of a true line is predicted, and two batches cannot be left out", "[line]") {
  CHECK(leave_one_batch_out(on_the_line({1, 4, 16, 64}), {fixed_s}) < 0.001);
  CHECK(leave_one_batch_out(on_the_line({4, 16}), {fixed_s}) == 0);
}

TEST_CASE("a line without points, or with a time of nothing, is refused", "[line]") {
  CHECK_THROWS_AS(fit_line({}, {fixed_s}), UserError);
  CHECK_THROWS_AS(fit_line({{32, 0}}, {fixed_s}), UserError);
  CHECK_THROWS_AS(fit_line({{0, 1}, {2, 1}}, {fixed_s}), UserError);
}

TEST_CASE("steps that the host paced give its pace, and the line is of the others", "[line]") {
  auto points = on_the_line({16, 64, 256});
  const double host_s = 1.5 * points[0].time_s;
  points.push_back({4, 0.99 * host_s, true});
  points.push_back({8, host_s, true});
  const auto fit = fit_line(points, {fixed_s, 10 * host_s});
  CHECK(fit.per_sample_s == Approx(per_sample_s).epsilon(1e-6));
  CHECK(fit.least_s == host_s);
  CHECK(fit.time_s(1) == host_s);
  CHECK(fit.time_s(64) == Approx(points[1].time_s));
}

TEST_CASE("where nobody saw the host's pace, it is what is expected, but no more than was measured", "[line]") {
  CHECK(fit_line({{32, 0.2}}, {0.01, 0.05}).time_s(1) == 0.05);
  CHECK(fit_line({{32, 0.2}}, {0.01, 0.5}).time_s(16) == 0.2);
}

TEST_CASE("one step that the host paced says the same of smaller batches, and little of larger ones", "[line]") {
  const auto fit = fit_line({{32, 0.2, true}}, {0.01});
  CHECK(fit.time_s(1) == 0.2);
  CHECK(fit.time_s(64) == Approx(0.2 * 1.1)); // a tenth of it is taken to grow
}

TEST_CASE("of a time without the optimizer nothing is expected for it", "[line]") {
  const FixedTime expected{0.03, 0, 0.02};
  CHECK(fit_line({{8, 0.11}}, expected).time_s(16) == Approx(0.03 + 2 * 0.08));
  CHECK(fit_line({{8, 0.11, false, false}}, expected).time_s(16) == Approx(0.01 + 2 * 0.10));
  CHECK(fit_line({{8, 0.11, false, false}, {8, 0.11}}, expected).time_s(16) == Approx(0.03 + 2 * 0.08));
}

TEST_CASE("the expected fixed part is layers and the optimizer, beside the host's launches", "[line]") {
  Gpu gpu;
  gpu.memory_bandwidth_Bps = 1e11;
  CHECK(expected_fixed({100, 0}, gpu).gpu_s == Approx(100 * 3 * 60e-6)); // its peak is not known
  CHECK(expected_fixed({100, 1e8}, gpu).gpu_s == Approx(100 * 3 * 60e-6 + 5 * 1e8 / 0.5e11));
  CHECK(expected_fixed({100, 1e8}, gpu).update_s == Approx(5 * 1e8 / 0.5e11));
  CHECK(expected_fixed({100, 0}, gpu).host_s == Approx(100 * 3 * 40e-6));
  gpu.peak_flop_per_s[ArithmeticUnit::fp32] = 64e12;
  gpu.memory_bandwidth_Bps = 4e12; // root of 2.56e26: 1.6e13
  CHECK(expected_fixed({100, 0}, gpu).gpu_s == Approx(100 * 3 * 10e-6));
  CHECK(expected_fixed({100, 1e8}, Gpu{}).host_s == 0); // a processor launches nothing
}

} // namespace ddlsim
