#include "sim/compute/kernels/rates.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"

#include <algorithm>
#include <functional>

namespace ddlsim {

namespace {

/// Longest launch of a kernel that waits in a queue, seconds. Judgement: tables have 0.3 to 24 us for a kernel alone.
constexpr double longest_queued_launch_s = 6e-6;
/// The precision whose tables tell the share of the peak. Our own products on H100 and H200 reach nearly the same share
/// in fp32, TF32 and bf16: 0.72, 0.68 and 0.71.
KernelPrecision tabled(KernelPrecision precision) {
  const bool has_no_tables = precision == KernelPrecision::fp32 || precision == KernelPrecision::tf32;
  return has_no_tables ? KernelPrecision::bf16 : precision;
}

/// Whose rates a GPU takes.
enum class Lender { own, generation, others };

/// The rows that speak of a GPU, and whose they are.
template <class Row> struct Lent {
  std::vector<const Row*> rows;
  Lender lender = Lender::others;
};

const BorrowedRateErrors& errors_by(const KernelRateBook& book, Lender lender) {
  static const BorrowedRateErrors none;
  if (lender == Lender::own) return none;
  return lender == Lender::generation ? book.by_generation : book.by_others;
}

/// `rows_of` returns what a GPU of the book has.
template <class Row>
Lent<Row> lent_to(const Gpu& gpu, const KernelRateBook& book, const std::vector<Gpu>& gpus,
                  const std::function<const Row*(const GpuKernelRates&)>& rows_of) {
  Lent<Row> kin{{}, Lender::generation}, all;
  for (const auto& one : book.gpus) {
    const Row* row = rows_of(one);
    if (row == nullptr) continue;
    if (one.gpu == gpu.name) return {{row}, Lender::own};
    all.rows.push_back(row);
    if (generation_of(find_gpu(gpus, one.gpu)) == generation_of(gpu)) kin.rows.push_back(row);
  }
  return kin.rows.empty() ? all : kin;
}

template <class Row>
double median_of(const std::vector<const Row*>& rows, const std::function<double(const Row&)>& part) {
  std::vector<double> values;
  for (const auto* row : rows) values.push_back(part(*row));
  return median(values);
}

void lend_products(KernelRates& rates, const Lent<FittedProducts>& lent, const KernelRateBook& book) {
  const auto of = [&](double ProductRates::*part) {
    return median_of<FittedProducts>(lent.rows, [part](const FittedProducts& one) { return one.rates.*part; });
  };
  rates.product = {of(&ProductRates::peak_share), of(&ProductRates::half_depth), of(&ProductRates::launch_s),
                   of(&ProductRates::cast_slowdown)};
  const bool is_other_precision = lent.lender == Lender::own && tabled(rates.precision) != rates.precision;
  rates.product_error = errors_by(book, is_other_precision ? Lender::generation : lent.lender).products;
}

void lend_attention(KernelRates& rates, const Lent<FittedAttention>& lent, const KernelRateBook& book) {
  const auto of = [&](double AttentionRates::*part) {
    return median_of<FittedAttention>(lent.rows, [part](const FittedAttention& one) { return one.rates.*part; });
  };
  rates.attention = {of(&AttentionRates::peak_share),       of(&AttentionRates::padded_tokens),
                     of(&AttentionRates::share_at_size_64), of(&AttentionRates::backward_share),
                     of(&AttentionRates::launch_s),         of(&AttentionRates::cache_slowdown)};
  rates.attention_error = errors_by(book, lent.lender).attention;
}

[[noreturn]] void refuse(const Gpu& gpu, const std::string& what) {
  throw UserError("", "",
                  "the catalogue has no " + what + " of " + gpu.name + ", so its kernels cannot be timed; add it to " +
                      "platforms/gpus.json, or name another GPU");
}

GpuPeaks peaks_of(const Gpu& gpu, KernelPrecision precision) {
  const double product = kernel_peak_flop_per_s(gpu, precision);
  if (product <= 0) refuse(gpu, "peak rate for " + to_text(precision));
  if (gpu.memory_bandwidth_Bps <= 0) refuse(gpu, "memory bandwidth");
  const double narrow = kernel_peak_flop_per_s(gpu, KernelPrecision::bf16);
  return {product, narrow > 0 ? narrow : product, gpu.memory_bandwidth_Bps};
}

} // namespace

KernelPrecision kernel_precision(Precision precision) {
  switch (precision) {
  case Precision::fp32:
    return KernelPrecision::fp32;
  case Precision::tf32:
    return KernelPrecision::tf32;
  case Precision::fp8:
  case Precision::mxfp8: // its scales are read by the tensor cores; no table of its own is published
    return KernelPrecision::fp8;
  case Precision::fp8_block:
    return KernelPrecision::fp8_block;
  case Precision::nvfp4:
    return KernelPrecision::nvfp4;
  case Precision::amp:
  case Precision::bf16:
  case Precision::fp16:
    break;
  }
  return KernelPrecision::bf16;
}

KernelRates kernel_rates(const KernelRateBook& book, const std::vector<Gpu>& gpus, const Gpu& gpu,
                         KernelPrecision precision) {
  KernelRates rates;
  rates.precision = precision;
  rates.generation = generation_of(gpu);
  rates.peaks = peaks_of(gpu, precision);
  const auto products = lent_to<FittedProducts>(gpu, book, gpus, [&](const GpuKernelRates& one) {
    const auto found = std::find_if(one.products.begin(), one.products.end(),
                                    [&](const FittedProducts& table) { return table.precision == tabled(precision); });
    return found == one.products.end() ? nullptr : &*found;
  });
  const auto attention = lent_to<FittedAttention>(gpu, book, gpus, [](const GpuKernelRates& one) {
    return one.attention.rates.peak_share > 0 ? &one.attention : nullptr;
  });
  if (products.rows.empty() || attention.rows.empty())
    throw UserError("", "",
                    "no GPU has kernel rates for " + to_text(precision) +
                        "; give its table to `ddlsim calibrate --kernels`, or another precision");
  lend_products(rates, products, book);
  lend_attention(rates, attention, book);
  return rates;
}

KernelRates queued(KernelRates rates) {
  rates.product.launch_s = std::min(rates.product.launch_s, longest_queued_launch_s);
  rates.attention.launch_s = std::min(rates.attention.launch_s, longest_queued_launch_s);
  return rates;
}

} // namespace ddlsim
