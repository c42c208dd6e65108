#include "sim/compute/kernels/attention.hpp"
#include "tests/compute/planted_rates.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

using ddlsim_test::planted_rates;

/// 2 sequences of that many tokens, 8 heads of 128.
AttentionShape eight_heads(double tokens) {
  return {2, tokens, 8, 8, 128};
}

} // namespace

TEST_CASE("causal attention has half of the pairs, a window fewer", "[kernels]") {
  auto shape = eight_heads(4096);
  CHECK(attention_pairs(shape) == 4096.0 * 4096 / 2);
  shape.window = 1024;
  CHECK(attention_pairs(shape) == 1024.0 * (4096 - 512));
  shape.window = 8192; // wider than the sequence
  CHECK(attention_pairs(shape) == 4096.0 * 4096 / 2);
  shape.causal = false;
  CHECK(attention_pairs(shape) == 4096.0 * 4096);
  shape.window = 1024;
  CHECK(attention_pairs(shape) == 1024.0 * 4096);
}

TEST_CASE("forward takes the padded FLOP over the reached peak, backward 5 products", "[kernels]") {
  const auto rates = planted_rates();
  const double s = 4096;
  const double forward_s = 2 * 2.0 * 8 * s * s * 128 * (1 + 400 / s) / 25e12; // 2 B H s^2 d (1 + s0 / s)
  CHECK(attention_forward_s(eight_heads(s), AttentionKernel::flash2, rates) == Approx(4e-6 + forward_s));
  CHECK(attention_backward_s(eight_heads(s), AttentionKernel::flash2, rates) == Approx(4e-6 + 2.5 / 0.5 * forward_s));
  auto both_ways = eight_heads(s);
  both_ways.causal = false;
  CHECK(attention_forward_s(both_ways, AttentionKernel::flash2, rates) == Approx(4e-6 + 2 * forward_s));
}

TEST_CASE("small heads run slower, grouped keys move fewer bytes", "[kernels]") {
  auto rates = planted_rates();
  auto narrow = eight_heads(4096);
  narrow.head_size = 64;
  const double launch_s = rates.attention.launch_s;
  CHECK((attention_forward_s(eight_heads(4096), AttentionKernel::flash2, rates) - launch_s) / 2 / 0.8 ==
        Approx(attention_forward_s(narrow, AttentionKernel::flash2, rates) - launch_s));
  rates.peaks.attention_flop_per_s = 1e20; // bytes decide
  auto grouped = eight_heads(4096);
  grouped.kv_heads = 2;
  CHECK(attention_forward_s(grouped, AttentionKernel::flash2, rates) ==
        Approx(4e-6 + 4 * 2 * 4096.0 * 128 * (8 + 2) / 0.8e12));
}

TEST_CASE("attention grows with the sequence and the window, and is never faster than the peak", "[kernels]") {
  const auto rates = planted_rates();
  for (const auto kernel : values_of<AttentionKernel>())
    for (const double tokens : {128.0, 2048.0, 65536.0, 1048576.0}) {
      const auto shape = eight_heads(tokens);
      const double time_s = attention_forward_s(shape, kernel, rates);
      CHECK(time_s > attention_flop(shape) / rates.peaks.attention_flop_per_s);
      CHECK(attention_forward_s(eight_heads(2 * tokens), kernel, rates) > time_s);
      CHECK(attention_backward_s(shape, kernel, rates) > time_s);
      auto windowed = shape;
      windowed.window = tokens / 2;
      CHECK(attention_forward_s(windowed, kernel, rates) <= time_s);
    }
  CHECK(attention_forward_s(eight_heads(0), AttentionKernel::flash2, rates) == 0);
}

TEST_CASE("GPUs of a context group share the pairs, and each sees all keys", "[kernels]") {
  const auto rates = planted_rates();
  auto shared = eight_heads(65536);
  shared.context = 4;
  const double alone_s = attention_forward_s(eight_heads(65536), AttentionKernel::flash2, rates);
  const double one_of_four_s = attention_forward_s(shared, AttentionKernel::flash2, rates);
  CHECK(one_of_four_s > alone_s / 4); // four launches, and the padding of four parts
  CHECK(one_of_four_s < 1.05 * alone_s / 4);
}

TEST_CASE("plain attention moves every score", "[kernels]") {
  const auto rates = planted_rates();
  const double scores = 2 * 8 * 4096.0 * 4096;
  const double products_s = 4 * 128 * scores * 1.6 / 50e12;
  CHECK(attention_forward_s(eight_heads(4096), AttentionKernel::plain, rates) ==
        Approx(2 * 5e-6 + products_s + 11 * scores / 0.8e12));
  CHECK(attention_backward_s(eight_heads(4096), AttentionKernel::plain, rates) ==
        Approx(4 * 5e-6 + 2 * products_s + 19 * scores / 0.8e12));
}

TEST_CASE("older kernels are slower on newer GPUs", "[kernels]") {
  for (const auto generation : {GpuGeneration::hopper, GpuGeneration::blackwell, GpuGeneration::blackwell_ultra}) {
    CHECK(kernel_slowdown(AttentionKernel::flash3, generation) == 1);
    CHECK(kernel_slowdown(AttentionKernel::cudnn, generation) == 1);
    CHECK(kernel_slowdown(AttentionKernel::flash2, generation) == 1.9);
    CHECK(kernel_slowdown(AttentionKernel::flash1, generation) == 2.4);
  }
  CHECK(kernel_slowdown(AttentionKernel::flash2, GpuGeneration::ampere) == 1);
  CHECK(kernel_slowdown(AttentionKernel::flash1, GpuGeneration::ampere) == 1.35);
}

} // namespace ddlsim
