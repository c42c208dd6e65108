#include "import/measured_steps.hpp"

#include "import/plain_text.hpp"
#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

constexpr double ms_of_a_second = 1000;

void check_given_names(const ImportContext& stated, std::vector<Mistake>& mistakes) {
  const auto& known = rate_columns();
  for (const auto& [name, value] : stated.given)
    if (!is_in(known, name))
      mistakes.push_back({"--set", name, unknown_name_text("value of a step", name, known, known)});
}

/// Returns the cells of the command line, and those of the log that the command line does not state.
RateCells cells_of(const MeasuredSteps& measured, const ImportContext& stated) {
  RateCells cells(stated.given.begin(), stated.given.end());
  cells.insert(measured.stated.begin(), measured.stated.end());
  const auto gpus = cells.find("gpus");
  if (measured.global_batch > 0 && gpus != cells.end())
    if (const auto count = parse_number(gpus->second); count && count->value > 0)
      cells.emplace("batch_per_gpu", fmt::format("{}", measured.global_batch / count->value));
  return cells;
}

void add_figures(const MeasuredSteps& measured, RateCells& cells) {
  const double middle = median(measured.values);
  if (measured.are_rates) cells["rate"] = fmt::format("{}", middle);
  if (!measured.are_rates) cells["iteration_ms"] = fmt::format("{}", middle * ms_of_a_second);
  cells.emplace("statistic", "median");
  cells.emplace("repeats", std::to_string(measured.values.size()));
  const double spread =
      percent * measured.relative_spread.value_or(standard_deviation(measured.values) / mean(measured.values));
  if (spread > 0) cells.emplace("spread_percent", fmt::format("{}", spread));
}

} // namespace

void add_step_record(const MeasuredSteps& measured, const std::filesystem::path& file, const ImportContext& stated,
                     Imported& out) {
  std::vector<Mistake> mistakes;
  auto context = stated;
  fill_from_cluster(context);
  check_given_names(context, mistakes);
  out.measurements.file = file;
  out.measurements.context = context_record(context, file, mistakes);
  auto cells = cells_of(measured, context);
  for (const std::string needed : {"model", "gpus", "batch_per_gpu"})
    if (cells.count(needed) == 0)
      mistakes.push_back({file.string(), needed,
                          fmt::format("the log does not say it: give --set {}=VALUE{}", needed,
                                      needed == "batch_per_gpu" ? measured.batch_hint : "")});
  for (const auto& needed : measured.unknown)
    mistakes.push_back({file.string(), needed, fmt::format("the log does not say it: give --set {}=VALUE", needed)});
  throw_mistakes(mistakes);
  add_figures(measured, cells);
  RowMistakes row(measured.first_line > 0 ? at_line(file, measured.first_line) : file.string(), mistakes);
  auto record = step_record(cells, std::max(1, context.cluster_gpus_per_node), row);
  throw_mistakes(mistakes);
  record.head.file = file.string();
  record.head.line = measured.first_line;
  record.head.gpu = out.measurements.context.gpu;
  out.measurements.records.emplace_back(record);
}

} // namespace ddlsim
