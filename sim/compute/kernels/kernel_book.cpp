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

double rounded_time_s(double time_s) {
  constexpr double us = 1e-6; // as the file has it
  return rounded_to(time_s / us, kept_digits) * us;
}

void round_off(KernelFitError& error) {
  constexpr double thousandths = 1e3;
  for (auto* one : {&error.median, &error.p90}) *one = std::round(*one * thousandths) / thousandths;
}

FittedProducts rounded(FittedProducts fitted) {
  auto& rates = fitted.rates;
  for (auto* one : {&rates.peak_share, &rates.half_depth, &rates.cast_slowdown}) *one = rounded_to(*one, kept_digits);
  rates.launch_s = rounded_time_s(rates.launch_s);
  round_off(fitted.error);
  return fitted;
}

FittedAttention rounded(FittedAttention fitted) {
  auto& rates = fitted.rates;
  for (auto* one : {&rates.peak_share, &rates.padded_tokens, &rates.share_at_size_64, &rates.cache_slowdown})
    *one = rounded_to(*one, kept_digits);
  rates.launch_s = rounded_time_s(rates.launch_s);
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

/// Leaves out tables that have too few rows for a fit.
void drop_short_tables(PlausibleKernels& kept) {
  const auto drop = [&](auto& rows, const char* kind, std::size_t table) {
    if (rows.empty()) return; // said already
    rows.clear();
    kept.notes.push_back(fmt::format("/{}/{}: too few rows that a fit can use; give ten or more", kind, table));
  };
  for (std::size_t i = 0; i < kept.tables.products.size(); ++i)
    if (auto& table = kept.tables.products[i]; !can_be_fitted(table.precision, table.rows))
      drop(table.rows, "products", i);
  for (std::size_t i = 0; i < kept.tables.attention.size(); ++i)
    if (auto& table = kept.tables.attention[i]; !can_be_fitted(table.rows)) drop(table.rows, "attention", i);
}

LeftOutGpu left_out_by(const Gpu& gpu, bool by_generation, const std::string& kernels,
                       const std::vector<double>& residuals) {
  std::vector<double> sizes;
  for (const double one : residuals) sizes.push_back(std::abs(one));
  return {gpu.name, by_generation, kernels, mean(residuals), median(sizes)};
}

/// Returns the rates that a GPU takes from a book; nothing where the book has none of that precision.
std::optional<KernelRates> lent_rates(const KernelRateBook& book, const std::vector<Gpu>& gpus, const Gpu& gpu,
                                      KernelPrecision precision) {
  try {
    return kernel_rates(book, gpus, gpu, precision);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

/// Predicts the tables of a GPU from a book without it.
void predict_tables(const GpuKernelTables& tables, const Gpu& gpu, bool by_generation, const KernelRateBook& book,
                    const std::vector<Gpu>& gpus, std::vector<LeftOutGpu>& results) {
  for (const auto& table : tables.products)
    if (const auto rates = lent_rates(book, gpus, gpu, table.precision); rates && !table.rows.empty())
      results.push_back(left_out_by(gpu, by_generation, to_text(table.precision), residuals_of(*rates, table.rows)));
  for (const auto& table : tables.attention)
    if (const auto rates = lent_rates(book, gpus, gpu, KernelPrecision::bf16); rates && !table.rows.empty())
      results.push_back(left_out_by(gpu, by_generation, "attention", residuals_of(*rates, table.rows)));
}

/// Predicts the tables of a GPU from the others of its generation, if there are any, and from all other generations.
void leave_out(const GpuKernelTables& tables, const Gpu& gpu, const KernelRateBook& book, const std::vector<Gpu>& gpus,
               std::vector<LeftOutGpu>& results) {
  KernelRateBook kin, others;
  for (const auto& one : book.gpus) {
    const bool is_kin = generation_of(find_gpu(gpus, one.gpu)) == generation_of(gpu);
    if (one.gpu != gpu.name) (is_kin ? kin : others).gpus.push_back(one);
  }
  predict_tables(tables, gpu, true, kin, gpus, results);
  predict_tables(tables, gpu, false, others, gpus, results);
}

/// Root mean square of the levels.
double spread_of(const std::vector<LeftOutGpu>& results, bool by_generation, bool of_attention) {
  double squares = 0;
  int count = 0;
  for (const auto& one : results) {
    if (one.by_generation != by_generation || (one.kernels == "attention") != of_attention) continue;
    squares += one.level * one.level;
    ++count;
  }
  constexpr double thousandths = 1e3;
  return count == 0 ? 0 : std::round(std::sqrt(squares / count) * thousandths) / thousandths;
}

BorrowedRateErrors errors_of(const std::vector<LeftOutGpu>& results, bool by_generation) {
  return {spread_of(results, by_generation, false), spread_of(results, by_generation, true)};
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
    auto kept = plausible_kernels(file.tables, gpu);
    drop_short_tables(kept);
    for (const auto& note : kept.notes) fit.notes.push_back(file.name + ": " + note);
    auto rates = fit_gpu(kept.tables, gpu);
    if (!rates.products.empty() || rates.attention.rates.peak_share > 0) fit.book.gpus.push_back(std::move(rates));
    plausible.emplace_back(std::move(kept.tables), &gpu);
  }
  if (fit.book.gpus.empty()) throw UserError("", "", "no kernel table can be used; " + join_names(fit.notes, "; "));
  for (const auto& [tables, gpu] : plausible) leave_out(tables, *gpu, fit.book, gpus, fit.left_out);
  fit.book.by_generation = errors_of(fit.left_out, true);
  fit.book.by_others = errors_of(fit.left_out, false);
  return fit;
}

} // namespace ddlsim
