#include "sim/base/table.hpp"
#include "sim/base/units.hpp"
#include "sim/compute/kernels/kernel_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace ddlsim {

namespace {

std::string share_cell(double share) {
  return fmt::format("{:.3f}", share);
}

/// The level of the GPU as predicted from others; "" where nothing says anything.
std::string level_cell(const KernelBookFit& fit, const std::string& gpu, const std::string& kernels,
                       bool by_generation) {
  const auto found = std::find_if(fit.left_out.begin(), fit.left_out.end(), [&](const LeftOutGpu& one) {
    return one.gpu == gpu && one.kernels == kernels && one.by_generation == by_generation;
  });
  return found == fit.left_out.end() ? "" : fmt::format("{:+.1f} %", 100 * found->level);
}

std::vector<std::string> left_out_cells(const KernelBookFit& fit, const std::string& gpu, const std::string& kernels) {
  return {level_cell(fit, gpu, kernels, true), level_cell(fit, gpu, kernels, false)};
}

std::vector<std::string> error_cells(const KernelFitError& error) {
  return {std::to_string(error.rows), percent_text(error.median), percent_text(error.p90)};
}

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second,
                                const std::vector<std::string>& third) {
  first.insert(first.end(), second.begin(), second.end());
  first.insert(first.end(), third.begin(), third.end());
  return first;
}

std::string launch_cell(double launch_s) {
  return print_quantity(launch_s, Dimension::time);
}

std::string products_table(const KernelBookFit& fit) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& gpu : fit.book.gpus)
    for (const auto& [precision, rates, error] : gpu.products)
      rows.push_back(
          joined({gpu.gpu, to_text(precision), share_cell(rates.peak_share), fmt::format("{:.0f}", rates.half_depth),
                  launch_cell(rates.launch_s), fmt::format("{:.2f}", rates.cast_slowdown)},
                 error_cells(error), left_out_cells(fit, gpu.gpu, to_text(precision))));
  return to_table({{"matrix products", Align::left},
                   {"precision", Align::left},
                   {"peak share"},
                   {"half depth"},
                   {"launch"},
                   {"cast slowdown"},
                   {"rows"},
                   {"median error"},
                   {"p90"},
                   {"by generation"},
                   {"by others"}},
                  rows);
}

std::string attention_table(const KernelBookFit& fit) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& gpu : fit.book.gpus) {
    const auto& [rates, error] = gpu.attention;
    if (rates.peak_share <= 0) continue;
    rows.push_back(joined({gpu.gpu, share_cell(rates.peak_share), fmt::format("{:.0f}", rates.padded_tokens),
                           share_cell(rates.share_at_size_64), launch_cell(rates.launch_s),
                           fmt::format("{:.2f}", rates.cache_slowdown)},
                          error_cells(error), left_out_cells(fit, gpu.gpu, "attention")));
  }
  return to_table({{"attention", Align::left},
                   {"peak share"},
                   {"padded tokens"},
                   {"share at size 64"},
                   {"launch"},
                   {"cache slowdown"},
                   {"rows"},
                   {"median error"},
                   {"p90"},
                   {"by generation"},
                   {"by others"}},
                  rows);
}

} // namespace

std::string kernel_book_text(const KernelBookFit& fit) {
  const auto& [kin, others] = std::tie(fit.book.by_generation, fit.book.by_others);
  std::string text =
      products_table(fit) + "\n" + attention_table(fit) + "\n" +
      to_lines(fmt::format(
          "Errors are |ln(measured / fitted)|. The last two columns are the mean of ln(measured / predicted) "
          "with the rates of the GPU's generation and with those of all other generations. A GPU without "
          "tables has an error of {} for matrix products and {} for attention by its generation, {} and {} "
          "by others.",
          percent_text(kin.products), percent_text(kin.attention), percent_text(others.products),
          percent_text(others.attention)));
  for (const auto& note : fit.notes) text += to_lines("Note: " + note);
  return text;
}

} // namespace ddlsim
