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
/// ln(measured / fitted) beyond which a row counts by its size, not by its square.
constexpr double usual_residual = 0.1;
/// Standard deviation of ln around the first guess: nothing but what rows say decides.
constexpr double wide = 5;
constexpr double memory_share_of_fit = 0.8;

/// What a fit varies, in the units of the rates, and where it starts. The first is a share, at most 1.
using Values = std::vector<double>;
using Residuals = std::function<std::vector<double>(const Values&)>;

Values values_at(const std::vector<double>& logarithms) {
  Values values;
  for (const double one : logarithms) values.push_back(std::exp(one));
  values.front() = std::min(values.front(), 1.0);
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
Values fit_values(const Residuals& residuals, const Values& start) {
  RobustProblem problem;
  problem.loss = Loss::soft_l1;
  std::vector<double> first;
  for (const double value : start) {
    first.push_back(std::log(value));
    problem.priors.push_back({std::log(value), wide});
  }
  problem.residuals = [&](const std::vector<double>& unknowns) {
    auto whitened = residuals(values_at(unknowns));
    for (auto& one : whitened) one /= usual_residual;
    return whitened;
  };
  problem.slopes = [&](const std::vector<double>& unknowns) { return slopes_at(problem.residuals, unknowns); };
  RobustFitOptions options;
  options.tolerance = 1e-7;
  options.largest_step = 0.5;
  return values_at(fit_robust(problem, first, options).unknowns);
}

KernelFitError error_of(const std::vector<double>& residuals) {
  std::vector<double> sizes;
  for (const double one : residuals) sizes.push_back(std::abs(one));
  constexpr double nine_of_ten = 0.9;
  return {static_cast<int>(sizes.size()), sizes.empty() ? 0 : median(sizes),
          sizes.empty() ? 0 : quantile(sizes, nine_of_ten)};
}

/// Whether inputs come in another format than the product's, as in fp8 tables.
bool converts(KernelPrecision precision) {
  return precision == KernelPrecision::fp8 || precision == KernelPrecision::fp8_block ||
         precision == KernelPrecision::nvfp4;
}

/// Backward over forward: 0.75 of FlashAttention 2, 0.6 of the kernels of Hopper, by published steps. FlashAttention's
/// own tables have 0.87 (arXiv 2407.08608); a step's backward includes copies and causal ends. Blackwell as Hopper: an
/// assumption.
double usual_backward_share(GpuGeneration generation) {
  const bool is_new = generation == GpuGeneration::hopper || generation == GpuGeneration::blackwell;
  return is_new ? 0.6 : 0.75;
}

KernelRates with_peaks(KernelPrecision precision, const GpuPeaks& peaks) {
  KernelRates rates;
  rates.precision = precision;
  rates.peaks = peaks;
  rates.memory_share = memory_share_of_fit;
  return rates;
}

} // namespace

std::vector<double> residuals_of(const KernelRates& rates, const std::vector<ProductTime>& rows) {
  std::vector<double> residuals;
  for (const auto& row : rows) {
    if (row.m < fewest_tokens) continue;
    const MatrixShape shape{row.m, row.n, row.k};
    residuals.push_back(std::log(row.time / (matrix_product_s(shape, rates) + cast_s(shape, rates))));
  }
  return residuals;
}

std::vector<double> residuals_of(const KernelRates& rates, const std::vector<AttentionTime>& rows) {
  std::vector<double> residuals;
  for (const auto& row : rows) {
    const AttentionShape shape{row.sequences, row.tokens, row.heads, row.kv_heads, row.head_size};
    residuals.push_back(std::log(row.time / attention_forward_s(shape, AttentionKernel::cudnn, rates)));
  }
  return residuals;
}

FittedProducts fit_products(KernelPrecision precision, const GpuPeaks& peaks, const std::vector<ProductTime>& rows) {
  auto rates = with_peaks(precision, peaks);
  const auto set = [&](const Values& values) {
    rates.product = {values[0], values[1], values[2], values.size() > 3 ? values[3] : 0};
  };
  Values start{0.7, 200, 4e-6};
  if (converts(precision)) start.push_back(2);
  const auto best = fit_values(
      [&](const Values& values) {
        set(values);
        return residuals_of(rates, rows);
      },
      start);
  set(best);
  return {precision, rates.product, error_of(residuals_of(rates, rows))};
}

FittedAttention fit_attention(GpuGeneration generation, const GpuPeaks& peaks, const std::vector<AttentionTime>& rows) {
  auto rates = with_peaks(KernelPrecision::bf16, peaks);
  rates.generation = generation;
  const auto set = [&](const Values& values) {
    rates.attention = {values[0], values[1], std::min(values[2], 1.0), usual_backward_share(generation), values[3]};
  };
  const auto best = fit_values(
      [&](const Values& values) {
        set(values);
        return residuals_of(rates, rows);
      },
      {0.6, 500, 0.8, 5e-6});
  set(best);
  return {rates.attention, error_of(residuals_of(rates, rows))};
}

} // namespace ddlsim
