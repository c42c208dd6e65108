// Reads tables of total kernel times. They do not state the time of a step, but what it is spent on.
#include "import/importers.hpp"
#include "import/kernel_tables.hpp"
#include "import/measured_steps.hpp"
#include "import/plain_text.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace ddlsim {
namespace {

constexpr double ms_of_stated_step = 1000;
/// factor on the total that a table states, up to which the sum of its rows may lie
constexpr double most_above_total = 1.05;

/// Removes a number of the command line that is no column of tables of rates, and returns it; 0 if it is missing. It
/// must be positive.
double take_given(ImportContext& stated, const std::string& name) {
  const auto found = stated.given.find(name);
  if (found == stated.given.end()) return 0;
  const auto number = parse_number(found->second);
  if (!number || number->value <= 0)
    throw UserError("--set", name, fmt::format("{} found, a number above 0 expected", in_quotes(found->second)));
  stated.given.erase(found);
  return number->value;
}

void check_total(const KernelTables& tables, double total_s, const std::filesystem::path& file, Imported& imported) {
  if (tables.stated_total_s == 0) return;
  if (total_s > most_above_total * tables.stated_total_s)
    throw UserError(at_line(file, tables.first_line), "",
                    fmt::format("the kernels take {} together, but the table states {} in all; print it with all its "
                                "columns, and no row twice",
                                print_quantity(total_s, Dimension::time),
                                print_quantity(tables.stated_total_s, Dimension::time)));
  if (total_s * most_above_total < tables.stated_total_s)
    imported.notes.push_back(fmt::format("the rows are {:.0f} % of the time that the table states; print it with "
                                         "row_limit=-1 for all",
                                         percent * total_s / tables.stated_total_s));
}

} // namespace

Resemblance resembles_kernels(std::string_view text) {
  if (has_any(text, {"cuda_gpu_kern_sum", "gpukernsum", "CUDA GPU Kernel Summary", "CUDA Kernel Statistics:"}))
    return Resemblance::own_words;
  return has_any(text, {"Self CUDA time total:", "Total Time (ns)"}) ? Resemblance::phrase : Resemblance::none;
}

/// Notes what the kernels' time is spent on. Makes a record only if `stated.given` has the time of a step (iteration_ms
/// or iteration_s); its note then has the shares. With `steps`, the number of profiled steps, it states the kernels'
/// time for each step.
Imported import_kernels(LogSource source, const ImportContext& stated) {
  const auto file = source.name();
  const auto tables = read_kernel_tables(source);
  Imported imported;
  imported.measurements.file = file;
  const auto shares = kernel_shares_text(tables.kernels);
  if (shares.empty())
    throw UserError(file.string(), "",
                    "found no kernel with a time, expected a table of `nsys stats --report cuda_gpu_kern_sum`, or of "
                    "the PyTorch profiler's key_averages().table(sort_by=\"self_cuda_time_total\")");
  double total_s = 0;
  for (const auto& kernel : tables.kernels) total_s += kernel.time_s;
  imported.notes.push_back(
      fmt::format("{} kernels were read, {} in all", tables.kernels.size(), print_quantity(total_s, Dimension::time)));
  imported.notes.push_back(shares);
  check_total(tables, total_s, file, imported);
  if (tables.rows_not_read > 0)
    imported.notes.push_back(fmt::format("{} rows without a time were left out", tables.rows_not_read));
  auto context = stated;
  const double steps = take_given(context, "steps");
  if (steps > 0)
    imported.notes.push_back(fmt::format("kernels run for {} a step, all GPUs of the table together",
                                         print_quantity(total_s / steps, Dimension::time)));
  const double ms = take_given(context, "iteration_ms");
  const double step_s = ms > 0 ? ms / ms_of_stated_step : take_given(context, "iteration_s");
  if (step_s == 0) {
    imported.notes.emplace_back("no record is made of sums of kernels: they do not say how long a step takes; say it "
                                "with --set iteration_ms=TIME");
    return imported;
  }
  MeasuredSteps measured;
  measured.values = {step_s};
  measured.stated["note"] = shares;
  add_step_record(measured, file, context, imported);
  return imported;
}

} // namespace ddlsim
