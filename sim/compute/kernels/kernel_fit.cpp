#include "sim/compute/kernels/kernel_fit.hpp"

#include "sim/base/robust_fit.hpp"
#include "sim/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ddlsim {

namespace {

/// Products of fewer tokens are of inference.
constexpr double fewest_tokens = 512;
/// Shortest product in blocks of fp8, seconds: Blackwell's tables have floors of 0.15 to 0.28 ms.
constexpr double shortest_in_blocks_s = 1e-3;
/// Bytes of a value of keys and of values that go to a cache: read and written, 2 each.
constexpr double cached_bytes = 4;
/// ln(measured / fitted) beyond which a row counts by its size, not by its square.
constexpr double usual_residual = 0.1;
/// Standard deviation of ln around the first guess: nothing but what rows say decides.
constexpr double wide = 5;

/// What a fit varies, in the units of the rates.
using Values = std::vector<double>;
using Residuals = std::function<std::vector<double>(const Values&)>;

/// Where an unknown starts, and the most that it may become, for tables that say nothing sensible of it.
struct Start {
  double value = 0;
  double most = 1;
};
constexpr double most_tokens = 1e5;
constexpr double longest_launch_s = 1;
constexpr double most_slowdown = 1e2;

Values values_at(const std::vector<double>& logarithms, const std::vector<Start>& starts) {
  Values values;
  for (std::size_t i = 0; i < starts.size(); ++i) values.push_back(std::min(std::exp(logarithms[i]), starts[i].most));
  return values;
}

/// Slopes of the residuals by differences.
Matrix slopes_at(const std::function<std::vector<double>(const std::vector<double>&)>& residuals,
                 std::vector<double> unknowns) {
  constexpr double step = 1e-5;
  const auto middle = residuals(unknowns);
  Matrix slopes(middle.size(), unknowns.size());
  for (std::size_t column = 0; column < unknowns.size(); ++column) {
    const double before = unknowns[column];
    unknowns[column] = before - step; // a share of 1 may only fall
    const auto lower = residuals(unknowns);
    unknowns[column] = before;
    for (std::size_t row = 0; row < middle.size(); ++row) slopes(row, column) = (middle[row] - lower[row]) / step;
  }
  return slopes;
}

/// Returns the values of least soft-L1 cost.
Values fit_values(const Residuals& residuals, const std::vector<Start>& starts) {
  RobustProblem problem;
  problem.loss = Loss::soft_l1;
  std::vector<double> first;
  for (const auto& start : starts) {
    first.push_back(std::log(start.value));
    problem.priors.push_back({std::log(start.value), wide});
  }
  problem.residuals = [&](const std::vector<double>& unknowns) {
    auto whitened = residuals(values_at(unknowns, starts));
    for (auto& one : whitened) one /= usual_residual;
    return whitened;
  };
  problem.slopes = [&](const std::vector<double>& unknowns) { return slopes_at(problem.residuals, unknowns); };
  RobustFitOptions options;
  options.tolerance = 1e-7;
  options.largest_step = 0.5;
  return values_at(fit_robust(problem, first, options).unknowns, starts);
}

KernelFitError error_of(const std::vector<double>& residuals) {
  std::vector<double> sizes;
  for (const double one : residuals) sizes.push_back(std::abs(one));
  constexpr double nine_of_ten = 0.9;
  return {static_cast<int>(sizes.size()), sizes.empty() ? 0 : median(sizes),
          sizes.empty() ? 0 : quantile(sizes, nine_of_ten)};
}

/// Rate at head size 64 over 128 where a table has one head size: FlashAttention 2's on L40S and RTX PRO 6000.
constexpr double share_at_64_by_flash2 = 0.87;

/// Whether inputs come in another format than the product's, as in fp8 tables.
bool converts(KernelPrecision precision) {
  return precision == KernelPrecision::fp8 || precision == KernelPrecision::fp8_block ||
         precision == KernelPrecision::nvfp4;
}

/// Backward over forward: 0.75 of FlashAttention 2, 0.55 of the kernels of Hopper, by steps of A100 and of H100. FlashAttention's
/// own tables have 0.87 (arXiv 2407.08608); a step's backward includes copies and causal ends. Blackwell as Hopper: an
/// assumption.
double usual_backward_share(GpuGeneration generation) {
  return is_since_hopper(generation) ? 0.55 : 0.75;
}

/// The time that keys and values take to the cache.
double cache_s(const AttentionTime& row, const KernelRates& rates) {
  const double values = 2 * row.sequences * row.tokens * row.kv_heads * row.head_size;
  return rates.attention.cache_slowdown * cached_bytes * values / (rates.peaks.memory_Bps * rates.memory_share);
}

bool is_fitted(KernelPrecision precision, const ProductTime& row) {
  const bool is_of_host = precision == KernelPrecision::fp8_block && row.time < shortest_in_blocks_s;
  return row.m >= fewest_tokens && !is_of_host;
}

KernelRates with_peaks(KernelPrecision precision, const GpuPeaks& peaks) {
  KernelRates rates;
  rates.precision = precision;
  rates.peaks = peaks;
  return rates;
}

} // namespace

bool can_be_fitted(KernelPrecision precision, const std::vector<ProductTime>& rows) {
  const auto count =
      std::count_if(rows.begin(), rows.end(), [&](const ProductTime& row) { return is_fitted(precision, row); });
  return count > (converts(precision) ? 4 : 3); // more than unknowns
}

bool can_be_fitted(const std::vector<AttentionTime>& rows) {
  return rows.size() > 5;
}

std::vector<double> residuals_of(const KernelRates& rates, const std::vector<ProductTime>& rows) {
  std::vector<double> residuals;
  for (const auto& row : rows) {
    if (!is_fitted(rates.precision, row)) continue;
    const MatrixShape shape{row.m, row.n, row.k};
    residuals.push_back(std::log(row.time / (matrix_product_s(shape, rates) + cast_s(shape, rates))));
  }
  return residuals;
}

std::vector<double> residuals_of(const KernelRates& rates, const std::vector<AttentionTime>& rows) {
  std::vector<double> residuals;
  for (const auto& row : rows) {
    const AttentionShape shape{row.sequences, row.tokens, row.heads, row.kv_heads, row.head_size};
    const double forward_s = attention_forward_s(shape, AttentionKernel::cudnn, rates);
    residuals.push_back(std::log(row.time / (forward_s + cache_s(row, rates))));
  }
  return residuals;
}

FittedProducts fit_products(KernelPrecision precision, const GpuPeaks& peaks, const std::vector<ProductTime>& rows) {
  auto rates = with_peaks(precision, peaks);
  const auto set = [&](const Values& values) {
    rates.product = {values[0], values[1], values[2], values.size() > 3 ? values[3] : 0};
  };
  std::vector<Start> starts{{0.7, 1}, {200, most_tokens}, {4e-6, longest_launch_s}};
  if (converts(precision)) starts.push_back({2, most_slowdown});
  const auto best = fit_values(
      [&](const Values& values) {
        set(values);
        return residuals_of(rates, rows);
      },
      starts);
  set(best);
  return {precision, rates.product, error_of(residuals_of(rates, rows))};
}

FittedAttention fit_attention(GpuGeneration generation, const GpuPeaks& peaks, const std::vector<AttentionTime>& rows) {
  auto rates = with_peaks(KernelPrecision::bf16, peaks);
  rates.generation = generation;
  const auto set = [&](const Values& values) {
    rates.attention = {values[0], values[1], values[2], usual_backward_share(generation), values[3], values[4]};
  };
  const auto best = fit_values(
      [&](const Values& values) {
        set(values);
        return residuals_of(rates, rows);
      },
      {{0.6, 1}, {500, most_tokens}, {share_at_64_by_flash2, 1}, {5e-6, longest_launch_s}, {1, most_slowdown}});
  set(best);
  return {rates.attention, error_of(residuals_of(rates, rows))};
}

} // namespace ddlsim
