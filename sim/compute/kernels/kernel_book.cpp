#include "sim/compute/kernels/kernel_book.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/statistics.hpp"
#include "sim/compute/kernels/kernel_fit.hpp"
#include "sim/formats/kernel_table_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace ddlsim {

namespace {

/// Digits that a fitted rate is kept with; no table repeats to a thousandth.
constexpr int kept_digits = 4;

GpuPeaks peaks_for_fit(const Gpu& gpu, KernelPrecision precision) {
  return {kernel_peak_flop_per_s(gpu, precision), kernel_peak_flop_per_s(gpu, KernelPrecision::bf16),
          gpu.memory_bandwidth_Bps};
}

void round_off(KernelFitError& error) {
  constexpr double thousandths = 1e3;
  for (auto* one : {&error.median, &error.p90}) *one = std::round(*one * thousandths) / thousandths;
}

FittedProducts rounded(FittedProducts fitted) {
  auto& rates = fitted.rates;
  for (auto* one : {&rates.peak_share, &rates.half_depth, &rates.launch_s, &rates.cast_slowdown})
    *one = rounded_to(*one, kept_digits);
  round_off(fitted.error);
  return fitted;
}

FittedAttention rounded(FittedAttention fitted) {
  auto& rates = fitted.rates;
  for (auto* one : {&rates.peak_share, &rates.padded_tokens, &rates.share_at_size_64, &rates.launch_s})
    *one = rounded_to(*one, kept_digits);
  round_off(fitted.error);
  return fitted;
}

GpuKernelRates fit_gpu(const GpuKernelTables& tables, const Gpu& gpu) {
  GpuKernelRates rates;
  rates.gpu = gpu.name;
  for (const auto& table : tables.products)
    if (!table.rows.empty())
      rates.products.push_back(rounded(fit_products(table.precision, peaks_for_fit(gpu, table.precision), table.rows)));
  for (const auto& table : tables.attention)
    if (!table.rows.empty())
      rates.attention =
          rounded(fit_attention(generation_of(gpu), peaks_for_fit(gpu, KernelPrecision::bf16), table.rows));
  return rates;
}

LeftOutGpu left_out_by(const std::string& gpu, const std::string& kernels, const std::vector<double>& residuals) {
  std::vector<double> sizes;
  for (const double one : residuals) sizes.push_back(std::abs(one));
  return {gpu, kernels, mean(residuals), median(sizes)};
}

/// Predicts the tables of a GPU with the rates of the others, as for a GPU without tables. A precision that only this
/// GPU has says nothing.
void leave_out(const GpuKernelTables& tables, const Gpu& gpu, KernelRateBook book, const std::vector<Gpu>& gpus,
               std::vector<LeftOutGpu>& results) {
  std::erase_if(book.gpus, [&](const GpuKernelRates& one) { return one.gpu == gpu.name; });
  const auto lent = [&](KernelPrecision precision) -> std::optional<KernelRates> {
    try {
      return kernel_rates(book, gpus, gpu, precision);
    } catch (const UserError&) {
      return std::nullopt;
    }
  };
  for (const auto& table : tables.products)
    if (const auto rates = lent(table.precision); rates && !table.rows.empty())
      results.push_back(left_out_by(gpu.name, to_text(table.precision), residuals_of(*rates, table.rows)));
  for (const auto& table : tables.attention)
    if (const auto rates = lent(KernelPrecision::bf16); rates && !table.rows.empty())
      results.push_back(left_out_by(gpu.name, "attention", residuals_of(*rates, table.rows)));
}

double spread_of(const std::vector<LeftOutGpu>& results, bool of_attention) {
  double squares = 0;
  int count = 0;
  for (const auto& one : results)
    if ((one.kernels == "attention") == of_attention) {
      squares += one.level * one.level;
      ++count;
    }
  constexpr double thousandths = 1e3;
  return count == 0 ? 0 : std::round(std::sqrt(squares / count) * thousandths) / thousandths;
}

void refuse_twice(const KernelFile& file, const std::string& gpu, std::map<std::string, std::string>& seen) {
  const auto [found, is_new] = seen.emplace(gpu, file.name);
  if (!is_new)
    throw UserError(file.name, "/gpu",
                    fmt::format("{} has tables in {} already; keep one of the files", gpu, found->second));
}

} // namespace

KernelBookFit fit_kernel_book(const std::vector<KernelFile>& files, const std::vector<Gpu>& gpus) {
  KernelBookFit fit;
  std::vector<std::pair<GpuKernelTables, const Gpu*>> plausible;
  std::map<std::string, std::string> seen;
  for (const auto& file : files) {
    const auto& gpu = find_gpu(gpus, file.tables.gpu);
    refuse_twice(file, gpu.name, seen);
    auto kept = plausible_kernels(file.tables, gpu, file.name);
    fit.notes.insert(fit.notes.end(), kept.notes.begin(), kept.notes.end());
    auto rates = fit_gpu(kept.tables, gpu);
    if (!rates.products.empty() || rates.attention.rates.peak_share > 0) fit.book.gpus.push_back(std::move(rates));
    plausible.emplace_back(std::move(kept.tables), &gpu);
  }
  if (fit.book.gpus.empty()) throw UserError("", "", "no kernel table can be used; " + join_names(fit.notes, "; "));
  for (const auto& [tables, gpu] : plausible) leave_out(tables, *gpu, fit.book, gpus, fit.left_out);
  fit.book.borrowed = {spread_of(fit.left_out, false), spread_of(fit.left_out, true)};
  return fit;
}

} // namespace ddlsim
