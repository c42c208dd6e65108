#include "sim/base/error.hpp"
#include "sim/compute/layer_times.hpp"

#include <catch2/catch.hpp>

#include <numeric>

namespace ddlsim {

namespace {

Gpu test_gpu() {
  Gpu gpu;
  gpu.name = "test";
  gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 1e12}};
  gpu.memory_bandwidth_Bps = 1e11;
  return gpu;
}

Layer conv(const std::string& name, double flop, const std::vector<double>& tensor_bytes) {
  Layer layer{name, "conv", flop, 0, {}};
  for (const double bytes : tensor_bytes) layer.tensors.push_back({name + ".weight", {1}, bytes});
  return layer;
}

Model two_layers() {
  Model model;
  model.name = "two";
  model.layers = {conv("first", 1e9, {400, 40}), conv("second", 3e9, {800})};
  return model;
}

} // namespace

TEST_CASE("the profile's total and split are what was asked", "[compute]") {
  const auto profile = compute_profile(two_layers(), test_gpu(), Precision::fp32, 8, 0.3, 1.0 / 3, 4);
  CHECK(profile.forward_s == Approx(0.1));
  CHECK(profile.backward_s == Approx(0.2));
  CHECK(profile.total_s() == Approx(0.3));
}

TEST_CASE("gradients become ready in reverse order, the last at the end", "[compute]") {
  const auto profile = compute_profile(two_layers(), test_gpu(), Precision::fp32, 8, 0.4, 0.25, 4);
  REQUIRE(profile.tensors.size() == 3);
  // Backward takes 0.3 s; both layers are of one kind, so the second layer's share is 3/4 of it.
  CHECK(profile.tensors[0].tensor == 2);
  CHECK(profile.tensors[0].ready_s == Approx(0.1 + 0.3 * 0.75));
  CHECK(profile.tensors[0].size_bytes == 800);
  CHECK(profile.tensors[1].tensor == 1);
  CHECK(profile.tensors[2].tensor == 0);
  CHECK(profile.tensors[2].ready_s == Approx(0.4));
}

TEST_CASE("half precision on the wire halves every tensor", "[compute]") {
  const auto full = compute_profile(two_layers(), test_gpu(), Precision::fp32, 8, 0.4, 0.25,
                                    bytes_per_parameter(WirePrecision::fp32));
  const auto half = compute_profile(two_layers(), test_gpu(), Precision::fp32, 8, 0.4, 0.25,
                                    bytes_per_parameter(WirePrecision::fp16));
  for (std::size_t i = 0; i < full.tensors.size(); ++i)
    CHECK(half.tensors[i].size_bytes == full.tensors[i].size_bytes / 2);
}

TEST_CASE("the roofline grows with the batch by FLOP and bytes, not by launches", "[compute]") {
  const double one = roofline_iteration_s(two_layers(), test_gpu(), Precision::fp32, 1);
  const double two = roofline_iteration_s(two_layers(), test_gpu(), Precision::fp32, 2);
  const double three = roofline_iteration_s(two_layers(), test_gpu(), Precision::fp32, 3);
  CHECK(three - two == Approx(two - one));                 // affine in the batch
  CHECK(one - (two - one) == Approx(0.8 * 2 * 3 * 60e-6)); // intercept: 60 us a layer and pass
}

TEST_CASE("fp8: linear layers but the last run at the 8-bit rate, all else as in bf16", "[compute]") {
  Gpu gpu = test_gpu();
  gpu.peak_flop_per_s[ArithmeticUnit::fp16_tensor] = 1e12;
  gpu.peak_flop_per_s[ArithmeticUnit::fp8_tensor] = 2e12;
  Model model;
  const auto layer = [](const char* kind) { return Layer{kind, kind, 1e9, 1e6, {}}; };
  model.layers = {layer("linear"), layer("attention"), layer("linear"), layer("linear")};
  const auto wide = roofline_layer_times(model, gpu, Precision::bf16, 8);
  const auto narrow = roofline_layer_times(model, gpu, Precision::fp8, 8);
  const double touching_s = 2 * 8 * 1e6 / 2 / (0.5 * gpu.memory_bandwidth_Bps); // written and read, 16 bits
  CHECK(narrow[0].forward_s - touching_s == Approx((wide[0].forward_s - touching_s) / 2));
  CHECK(narrow[1].forward_s == wide[1].forward_s);
  CHECK(narrow[2].backward_s < wide[2].backward_s);
  CHECK(narrow[3].backward_s == wide[3].backward_s);
}

TEST_CASE("a device without a peak rate of the precision is a clear error", "[compute]") {
  CHECK_THROWS_AS(peak_flop_per_s(Gpu{}, Precision::fp32), UserError);
  CHECK_THROWS_WITH(roofline_iteration_s(two_layers(), test_gpu(), Precision::fp8, 8),
                    Catch::Contains("no peak rate of test for fp8"));
  CHECK(peak_flop_per_s(test_gpu(), Precision::amp) == 1e12); // no tensor cores: fp32 units do it
}

TEST_CASE("the wire's share is of the gradients' own bytes: half for a hook that compresses, 1 for a half model",
          "[profile]") {
  const auto share = [](Precision precision, double wire_bytes) {
    Gpu gpu = test_gpu();
    gpu.peak_flop_per_s[ArithmeticUnit::fp16_tensor] = 1e13;
    return backward_shape(two_layers(), gpu, precision, 8, wire_bytes).wire_share;
  };
  CHECK(share(Precision::fp32, 4) == 1);
  CHECK(share(Precision::fp32, 2) == 0.5);
  CHECK(share(Precision::amp, 2) == 0.5);
  CHECK(share(Precision::bf16, 2) == 0.5);
  CHECK(share(Precision::fp16, 2) == 1);
}

} // namespace ddlsim
