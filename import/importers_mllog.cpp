// Reads MLPerf training logs: the step time or throughput that they state, or else the rate that follows from their
// blocks or epochs.
#include "import/importers.hpp"
#include "import/measured_steps.hpp"
#include "import/mllog_rates.hpp"
#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// Adds the number of GPUs, which logs of MLPerf HPC state.
void add_gpus(const MlEvents& events, MeasuredSteps& measured) {
  const double of_nodes = events.number("number_of_nodes") * events.number("accelerators_per_node");
  const double gpus = of_nodes > 0 ? of_nodes : events.number("number_of_ranks");
  if (gpus > 0) measured.stated["gpus"] = fmt::format("{}", gpus);
}

void note_the_rest(const MlEvents& events, const MlBenchmark& benchmark, std::vector<std::string>& notes) {
  const auto name = events.text("submission_benchmark");
  if (!name.empty())
    notes.push_back(fmt::format(
        "the log is of benchmark {} on {}; {}", in_quotes(name), in_quotes(events.text("submission_platform")),
        benchmark.name == name ? fmt::format("its samples are {}", benchmark.samples)
                               : "the benchmark is not known, and its counts were taken for samples and epochs"));
  if (events.broken_lines > 0)
    notes.push_back(fmt::format("{} lines of :::MLLOG are not whole and were left out", events.broken_lines));
  if (events.old_lines > 0)
    notes.push_back(fmt::format("{} lines of MLPerf v0.5 or v0.6 were left out", events.old_lines));
  const auto runs = std::count_if(events.marks.begin(), events.marks.end(),
                                  [](const MlMark& mark) { return mark.kind == MlMarkKind::run_start; });
  if (runs > 1) notes.push_back(fmt::format("{} runs are in the file: their times were taken together", runs));
}

void complete_context(const MlEvents& events, ImportContext& context) {
  if (context.machine.empty()) context.machine = events.text("submission_platform");
  if (context.who.empty()) context.who = events.text("submission_org");
  if (context.date.empty()) context.date = events.date;
}

} // namespace

Resemblance resembles_mllog(std::string_view text) {
  return has_any(text, {":::MLL", ":::MLP"}) ? Resemblance::own_words : Resemblance::none;
}

/// Makes a record of the median step time or rate. What counts mean differs between benchmarks (mllog_benchmark.hpp).
/// `stated.given` has model and gpus. Throws UserError if statements of the log differ by more than 5 %.
Imported import_mllog(LogSource source, const ImportContext& stated) {
  const auto file = source.name();
  const auto events = read_mllog(source);
  const auto& benchmark = ml_benchmark(events.text("submission_benchmark"));
  if (const std::string why = benchmark.why_no_record; !why.empty())
    throw UserError(file.string(), "",
                    fmt::format("found a log of {}, of which no record can be made: {}", benchmark.name, why));
  auto speed = speed_of(events, benchmark, file.string());
  MeasuredSteps measured;
  measured.values = speed.values;
  measured.are_rates = speed.are_rates;
  measured.first_line = speed.first_line;
  measured.global_batch = events.number("global_batch_size");
  add_gpus(events, measured);
  measured.stated.emplace("data", "real");
  Imported imported;
  imported.notes = std::move(speed.notes);
  note_the_rest(events, benchmark, imported.notes);
  auto context = stated;
  complete_context(events, context);
  add_step_record(measured, file, context, imported);
  return imported;
}

} // namespace ddlsim
