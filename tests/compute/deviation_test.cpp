#include "sim/compute/deviation.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

/// A workload of convolutions alone on a site, GPU, stack and model.
TimedWorkload workload(int site, int gpu, int stack, int model, double batch) {
  TimedWorkload one;
  one.architecture = 0;
  one.site = site;
  one.gpu = gpu;
  one.stack = stack;
  one.family = 0;
  one.model = model;
  one.ln_batch = std::log(batch);
  one.shares = {1, 0, 0, 0, 0};
  return one;
}

double correlation(const TimedWorkload& a, const TimedWorkload& b) {
  const DeviationSizes sizes;
  return shared_deviation(sizes, a, b) / std::sqrt(shared_deviation(sizes, a, a) * shared_deviation(sizes, b, b));
}

} // namespace

TEST_CASE("the more two workloads have in common, the more of a deviation they share", "[deviation]") {
  const auto asked = workload(0, 0, 0, 0, 32);
  const double ladder[]{correlation(asked, workload(1, 1, 1, 1, 32)), correlation(asked, workload(1, 1, 0, 1, 32)),
                        correlation(asked, workload(1, 0, 0, 1, 32)), correlation(asked, workload(0, 0, 0, 1, 32)),
                        correlation(asked, workload(0, 0, 0, 0, 64)), correlation(asked, workload(0, 0, 0, 0, 33))};
  double last = 0;
  for (const double next : ladder) {
    CHECK(next > last);
    last = next;
  }
  CHECK(last < 1);
  CHECK(correlation(asked, asked) == Approx(1));
}

TEST_CASE("parts deviate apart: workloads without a common part share nothing", "[deviation]") {
  auto products = workload(0, 0, 0, 0, 32);
  products.shares = {0, 1, 0, 0, 0};
  CHECK(correlation(workload(0, 0, 0, 0, 32), products) == 0);
  products.shares = {0.5, 0.5, 0, 0, 0};
  CHECK(correlation(workload(0, 0, 0, 0, 32), products) > 0.5);
}

TEST_CASE("the size of a deviation: scopes add as squares, times the size of the part", "[deviation]") {
  DeviationSizes sizes;
  sizes.of_scope = {3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  sizes.of_part = {2, 0, 0, 0, 0};
  const auto one = workload(0, 0, 0, 0, 32);
  CHECK(shared_deviation(sizes, one, one) == Approx(25 * 4));
  auto half = one;
  half.shares = {0.5, 0.5, 0, 0, 0};
  CHECK(shared_deviation(sizes, one, half) == Approx(25 * 4 * 0.5));
  auto elsewhere = one;
  elsewhere.architecture = 7;
  CHECK(shared_deviation(sizes, one, elsewhere) == Approx(9 * 4));
}

TEST_CASE("other units share nothing, and a name that is not known is like no other", "[deviation]") {
  auto tensor = workload(0, 0, 0, 0, 32);
  tensor.unit = DeviationUnit::tensor_core;
  CHECK(correlation(workload(0, 0, 0, 0, 32), tensor) == 0);
  const auto nameless = workload(-1, -1, -1, -1, 32);
  CHECK(correlation(nameless, nameless) < correlation(workload(0, 0, 0, 0, 32), workload(0, 0, 0, 0, 32)) + 1e-12);
  CHECK(shared_deviation({}, nameless, nameless) <
        shared_deviation({}, workload(0, 0, 0, 0, 1), workload(0, 0, 0, 0, 1)));
}

TEST_CASE("Each scope and part of deviations has a name that sets its size to 0", "[deviation]") {
  CHECK(deviation_names().size() == deviation_scope_count + step_part_count);
  DeviationSizes sizes;
  leave_out_deviation(sizes, "scope-workload");
  leave_out_deviation(sizes, "part-convolution");
  CHECK(sizes.of_scope.back() == 0);
  CHECK(sizes.of_part.front() == 0);
  CHECK(sizes.of_scope.front() == DeviationSizes{}.of_scope.front());
  for (const auto& name : deviation_names()) leave_out_deviation(sizes, name);
  CHECK(shared_deviation(sizes, TimedWorkload{}, TimedWorkload{}) == 0);
}

TEST_CASE("two runs of a GPU of unknown rates share how much faster it is than its stand-in", "[deviation]") {
  auto one = workload(0, 3, 0, 0, 32);
  one.unknown_gpu = true;
  auto other = workload(0, 3, 0, 1, 64);
  other.unknown_gpu = true;
  CHECK(correlation(one, other) > 0.95);
  other.gpu = 4;
  CHECK(correlation(one, other) < 0.1);
}

} // namespace ddlsim
