#include "sim/formats/kernel_table_checks.hpp"

#include "sim/base/statistics.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {

namespace {

/// No table in the right unit has a median rate of less of the peak; the lowest published ones have 0.1.
constexpr double least_median_share = 0.01;

double flop_of(const ProductTime& row) {
  return 2 * row.m * row.n * row.k;
}
double flop_of(const AttentionTime& row) {
  return 2 * row.sequences * row.heads * row.tokens * row.tokens * row.head_size; // causal: half of the square
}

/// What is wrong with a whole table; "" for nothing.
std::string complaint_of(const std::vector<double>& shares, const std::string& peak) {
  const double middle = median(shares);
  if (middle > 1)
    return fmt::format("half of the times mean more than {:.3g} times {}; if they are in ms or s, say so in \"unit\"",
                       middle, peak);
  if (middle < least_median_share)
    return fmt::format("half of the times mean less than {:.2g} of {}; if they are in us, say so in \"unit\"", middle,
                       peak);
  return "";
}

/// The peak that a table is held to, and what it is called.
struct TablePeak {
  double flop_per_s = 0;
  std::string text;
};

TablePeak peak_for(const Gpu& gpu, KernelPrecision precision) {
  const double rate = kernel_peak_flop_per_s(gpu, precision);
  return {rate, fmt::format("the peak of {}, {} for {}", gpu.name,
                            print_quantity(std::max(rate, 1.0), Dimension::compute_rate), to_text(precision))};
}

/// Returns a note; "" when every row stays.
template <class Table> std::string keep_plausible(Table& table, const TablePeak& peak) {
  std::vector<double> shares;
  for (auto& row : table.rows) {
    row.time *= table.head.unit_s;
    shares.push_back(flop_of(row) / row.time / peak.flop_per_s);
  }
  table.head.unit_s = 1;
  if (auto complaint = complaint_of(shares, peak.text); !complaint.empty()) {
    table.rows.clear();
    return complaint + "; the table is not used";
  }
  const auto fastest = std::max_element(shares.begin(), shares.end()) - shares.begin();
  const auto before = table.rows.size();
  std::vector<typename decltype(table.rows)::value_type> kept;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i] <= 1) kept.push_back(table.rows[i]);
  table.rows = std::move(kept);
  if (table.rows.size() == before) return "";
  return fmt::format("{} of {} rows are faster than {} allows, row {} by a factor {:.3g}; they are not used",
                     before - table.rows.size(), before, peak.text, fastest, shares[static_cast<std::size_t>(fastest)]);
}

template <class Table>
void check_table(Table& table, const Gpu& gpu, KernelPrecision precision, const std::string& place,
                 std::vector<std::string>& notes) {
  const auto peak = peak_for(gpu, precision);
  std::string note;
  if (gpu.memory_bandwidth_Bps <= 0 || peak.flop_per_s <= 0) {
    table.rows.clear();
    note = fmt::format("the catalogue has no {} of {}, so the table is not used; add it to platforms/gpus.json",
                       peak.flop_per_s <= 0 ? "peak rate for " + to_text(precision) : "memory bandwidth", gpu.name);
  } else {
    note = keep_plausible(table, peak);
  }
  if (!note.empty()) notes.push_back(place + ": " + note);
}

} // namespace

PlausibleKernels plausible_kernels(const GpuKernelTables& tables, const Gpu& gpu) {
  PlausibleKernels result{tables, {}};
  for (std::size_t i = 0; i < tables.products.size(); ++i)
    check_table(result.tables.products[i], gpu, tables.products[i].precision, fmt::format("/products/{}", i),
                result.notes);
  for (std::size_t i = 0; i < tables.attention.size(); ++i)
    check_table(result.tables.attention[i], gpu, KernelPrecision::bf16, fmt::format("/attention/{}", i), result.notes);
  return result;
}

} // namespace ddlsim
