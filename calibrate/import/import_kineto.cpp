#include "calibrate/import/csv_row.hpp"
#include "calibrate/import/importers.hpp"
#include "calibrate/import/kineto_trace.hpp"
#include "calibrate/import/plain_text.hpp"
#include "sim/base/names.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

constexpr double ms_in_s = 1000;

/// The parts of intervals inside the steps.
std::vector<TraceInterval> parts_inside(const std::vector<TraceInterval>& all, double begin_s, double end_s) {
  std::vector<TraceInterval> kept;
  for (const auto& one : all) {
    const TraceInterval part{std::max(one.begin_s, begin_s), std::min(one.end_s, end_s)};
    if (part.end_s > part.begin_s) kept.push_back(part);
  }
  return kept;
}

double median_length_s(const std::vector<TraceInterval>& steps) {
  std::vector<double> lengths_s;
  for (const auto& step : steps) lengths_s.push_back(step.end_s - step.begin_s);
  std::sort(lengths_s.begin(), lengths_s.end());
  const auto middle = lengths_s.size() / 2;
  return lengths_s.size() % 2 == 1 ? lengths_s[middle] : (lengths_s[middle - 1] + lengths_s[middle]) / 2;
}

/// What the steps were spent on, in words.
std::string anatomy(const KinetoTrace& trace, const std::vector<TraceInterval>& steps) {
  const double begin_s = steps.front().begin_s;
  const double end_s = steps.back().end_s;
  const auto count = static_cast<double>(steps.size());
  const auto compute = parts_inside(trace.compute, begin_s, end_s);
  const auto nccl = parts_inside(trace.nccl, begin_s, end_s);
  const auto shown = [&](double total_s) { return print_quantity(total_s / count, Dimension::time); };
  std::string text =
      fmt::format("a step waits {} for input", shown(covered_s(parts_inside(trace.input_waits, begin_s, end_s))));
  if (compute.empty() && nccl.empty()) return text + "; no kernel of a GPU is in the trace";
  return text + fmt::format("; kernels compute {}, NCCL's run {}, {} of it beside no other kernel (exposed)",
                            shown(covered_s(compute)), shown(covered_s(nccl)), shown(covered_s(nccl, compute)));
}

} // namespace

Imported import_kineto(const std::filesystem::path& file, const ImportContext& stated) {
  std::vector<Mistake> mistakes;
  Imported imported;
  const auto trace = read_kineto(file);
  if (trace.steps.empty())
    throw UserError(file.string(), "",
                    "no ProfilerStep found in the trace; call profiler.step() after each iteration, with a schedule");
  auto steps = trace.steps;
  constexpr std::size_t enough = 3;
  const bool skips = steps.size() >= enough;
  if (skips) steps.erase(steps.begin());
  auto context = stated;
  fill_from_cluster(context);
  if (context.gpu.empty()) context.gpu = catalogue_gpu_name(trace.device, context.catalogue);
  auto& out = imported.measurements;
  out.file = file;
  out.context = context_record(context, file, mistakes);
  RateCells cells(context.given.begin(), context.given.end());
  for (const auto& [name, value] : cells)
    if (!is_in(rate_columns(), name))
      mistakes.push_back({"--set", name, unknown_name_text("value of a step", name, rate_columns(), rate_columns())});
  cells.emplace("gpus", std::to_string(std::max(1, trace.world_size)));
  if (trace.world_size <= 1) cells.emplace("strategy", "none");
  for (const char* needed : {"model", "batch_per_gpu"})
    if (cells.count(needed) == 0)
      mistakes.push_back({file.string(), needed, fmt::format("a trace does not say it: give --set {}=VALUE", needed)});
  throw_mistakes(mistakes);
  const auto words = anatomy(trace, steps);
  cells.emplace("iteration_ms", fmt::format("{}", median_length_s(steps) * ms_in_s));
  cells.emplace("statistic", "median");
  cells.emplace("repeats", std::to_string(steps.size()));
  cells.emplace("note", words);
  RowMistakes row(file.string(), mistakes);
  auto record = step_record(cells, std::max(1, context.cluster_gpus_per_node), row);
  throw_mistakes(mistakes);
  record.head.file = file.string();
  record.head.gpu = out.context.gpu;
  out.records.emplace_back(record);
  imported.notes.push_back(fmt::format("{} steps were read{}; their median is {}", trace.steps.size(),
                                       skips ? ", the first left out as warm-up" : "",
                                       print_quantity(record.iteration_s, Dimension::time)));
  imported.notes.push_back(words);
  imported.notes.emplace_back("steps were profiled: a profiler makes them longer");
  return imported;
}

} // namespace ddlsim
