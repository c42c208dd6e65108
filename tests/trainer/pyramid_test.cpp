// Layers of feature pyramids and of U-Nets against the same sums done place by place.

#include "trainer/layers/detection.hpp"
#include "trainer/layers/unit.hpp"
#include "trainer/layers/units.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <catch2/catch.hpp>

#include <cmath>

namespace {

using namespace ddltrain;

const MapSides two_maps = {4, 2};

at::Tensor parameter_of(const UnitPtr& unit, const std::string& name) {
  return unit->named_parameters()[name];
}

} // namespace

TEST_CASE("A shared convolution sees each map by itself, with the same weights") {
  const UnitPtr shared = shared_convolution(3, 5, two_maps, /*bias=*/true);
  const at::Tensor fine = at::rand({2, 3, 4, 4});
  const at::Tensor coarse = at::rand({2, 3, 2, 2});
  const at::Tensor places = call_layer(join_places(), {fine, coarse});
  REQUIRE(places.sizes().vec() == std::vector<std::int64_t>{2, 3, 20, 1});
  const at::Tensor output = shared->forward(places);
  REQUIRE(output.sizes().vec() == std::vector<std::int64_t>{2, 5, 20, 1});
  const auto alone = [&](const at::Tensor& map) {
    return at::conv2d(map, parameter_of(shared, "weight"), parameter_of(shared, "bias"), 1, 1).flatten(2);
  };
  CHECK(at::equal(output.narrow(2, 0, 16).squeeze(-1), alone(fine)));
  CHECK(at::equal(output.narrow(2, 16, 4).squeeze(-1), alone(coarse)));
}

TEST_CASE("Each map of a pyramid has a gamma and a beta of its own, and statistics that no step moves") {
  const UnitPtr norm = norm_of_each_map(1, two_maps, /*epsilon=*/0);
  {
    const at::NoGradGuard no_gradient;
    parameter_of(norm, "map0_weight").fill_(2);
    parameter_of(norm, "map1_bias").fill_(7);
  }
  norm->train();
  const at::Tensor places = at::full({1, 1, 20, 1}, 3.0);
  const at::Tensor output = norm->forward(places); // mean 0 and variance 1, whatever comes in
  CHECK(output.narrow(2, 0, 16).eq(6).all().item<bool>());
  CHECK(output.narrow(2, 16, 4).eq(10).all().item<bool>());
  CHECK(norm->named_buffers()["map0_mean"].item<float>() == 0);
}

TEST_CASE("A batch norm with fixed statistics trains gamma and beta alone") {
  const UnitPtr norm = batch_norm(1, {.epsilon = 0, .first_scale = 0.5, .fixed_statistics = true});
  norm->train();
  const at::Tensor output = norm->forward(at::full({2, 1, 2, 2}, 3.0));
  CHECK(output.eq(1.5).all().item<bool>());
  CHECK(norm->named_buffers()["running_mean"].item<float>() == 0);
  output.sum().backward();
  CHECK(parameter_of(norm, "weight").grad().item<float>() == 24); // eight values of 3
  CHECK(parameter_of(norm, "bias").grad().item<float>() == 8);
}

TEST_CASE("A 2x2 convolution keeps the size: beyond the lower and the right edge there are zeros") {
  const UnitPtr unit = convolution_2x2(1, 1);
  {
    const at::NoGradGuard no_gradient;
    parameter_of(unit, "weight").fill_(1);
  }
  const at::Tensor map = at::arange(4, at::kFloat).view({1, 1, 2, 2}); // 0 1, 2 3
  const at::Tensor expected = at::tensor({6.0F, 4.0F, 5.0F, 3.0F}).view({1, 1, 2, 2});
  CHECK(at::equal(unit->forward(map), expected));
}

TEST_CASE("Focal loss counts what is nearly right less") {
  const UnitPtr loss = focal_loss();
  const auto of = [&](float logit, float target) {
    return call_layer(loss, {at::full({1, 1}, logit), at::full({1, 1}, target)}).item<double>();
  };
  // At a logit of 0 p is 1/2: alpha_t (1/2)^2 ln 2.
  CHECK(of(0, 1) == Approx(0.25 * 0.25 * std::log(2.0)));
  CHECK(of(0, 0) == Approx(0.75 * 0.25 * std::log(2.0)));
  const double p = 1 / (1 + std::exp(-2.0));
  CHECK(of(2, 1) == Approx(-0.25 * (1 - p) * (1 - p) * std::log(p)));
  CHECK(of(2, 0) == Approx(-0.75 * p * p * std::log(1 - p)));
}
