#include "import/importers.hpp"
#include "import/kernel_kinds.hpp"
#include "import/measured_steps.hpp"
#include "import/trace_anatomy.hpp"
#include "import/trace_layers.hpp"
#include "import/traces.hpp"
#include "sim/base/statistics.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// Returns the precision of most convolutions and matrix products if that has 16 bits; "" if the trace does not show
/// it, as for fp32 and tf32, which have the same type in a trace. 16 bits with gradients in fp32 mean autocast.
std::string precision_of(const KinetoTrace& trace) {
  const auto most = [](const std::map<std::string, int>& types) {
    const auto at =
        std::max_element(types.begin(), types.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return at == types.end() ? std::string() : at->first;
  };
  const auto type = most(trace.product_types);
  if (type == "c10::BFloat16") return "bf16";
  if (type == "c10::Half") return most(trace.gradient_types) == type ? "fp16" : "amp";
  return "";
}

MeasuredSteps measured_in(const KinetoTrace& trace, const std::vector<TraceInterval>& steps, const std::string& note) {
  MeasuredSteps measured;
  for (const auto& step : steps) measured.values.push_back(step.end_s - step.begin_s);
  const bool is_alone = trace.is_whole_job && (trace.world_size == 1 || (trace.world_size == 0 && !trace.has_others));
  if (trace.is_whole_job && trace.world_size > 1) measured.stated["gpus"] = std::to_string(trace.world_size);
  if (is_alone) measured.stated["gpus"] = "1";
  if (is_alone) measured.stated["strategy"] = "none";
  measured.stated["note"] = note;
  if (const auto precision = precision_of(trace); !precision.empty()) measured.stated["precision"] = precision;
  return measured;
}

/// Returns the context with the name of the layer table as the model of the step.
ImportContext named_by_table(const ImportContext& stated) {
  auto named = stated;
  if (stated.table.empty()) return named;
  const auto& model = named.given.emplace("model", stated.table).first->second;
  if (model != stated.table)
    throw UserError("--set", "model",
                    fmt::format("{} found, but the layer table is called {}; a model file is called like its model",
                                in_quotes(model), in_quotes(stated.table)));
  return named;
}

/// Adds what this trace shows about the parameter `interference`.
void add_slowdown(const TraceAnatomy& anatomy, Imported& imported) {
  constexpr double least = 0.001;
  constexpr double most = 1000; // largest value that a record may state
  const auto slowdown = anatomy.slowdown_beside_nccl;
  if (!slowdown || *slowdown < least || *slowdown > most) return;
  auto& step = std::get<StepRecord>(imported.measurements.records.front());
  step.overlap_slowdown = *slowdown;
  step.overlap_kernels = anatomy.kernels_beside_nccl;
  imported.notes.push_back(fmt::format("the step's record keeps that as overlap_slowdown, of {} kernels: the model's "
                                       "interference is {:.2f} by it; calibrate does not read it yet",
                                       anatomy.kernels_beside_nccl, std::max(0.0, *slowdown - 1)));
}

void add_precision_note(const MeasuredSteps& measured, const ImportContext& stated, Imported& imported) {
  const auto ran = measured.stated.find("precision");
  if (ran == measured.stated.end()) return;
  const auto given = stated.given.find("precision");
  if (given == stated.given.end() || given->second != ran->second)
    imported.notes.push_back(fmt::format("convolutions and products of matrices ran in {}; the records say {}",
                                         ran->second,
                                         given == stated.given.end() ? "so" : given->second + ", as stated"));
}

/// Marks a time as suspect, and keeps it, if the profiler may have lengthened it.
void add_suspicion(const TraceAnatomy& anatomy, Imported& imported) {
  auto& step = std::get<StepRecord>(imported.measurements.records.front());
  const auto suspicion = suspicion_of(anatomy, step.iteration_s);
  if (!suspicion) return;
  step.head.suspect = true;
  step.head.note += "; " + *suspicion;
  imported.notes.push_back(*suspicion + "; the step's record is marked suspect: time steps without the profiler");
}

/// Notes what the kernels' time is spent on, with NCCL's kernels included.
void add_kernel_shares(const TraceAnatomy& anatomy, const KinetoTrace& trace, Imported& imported) {
  if (trace.kernels.empty()) return; // without kernels, the busiest names are operators on the processor
  std::vector<KernelTime> kernels{{"nccl", anatomy.nccl_s}};
  for (const auto& share : anatomy.busiest) kernels.push_back({share.name, share.time_s});
  if (auto text = kernel_shares_text(kernels); !text.empty()) imported.notes.push_back(std::move(text));
}

void add_layers(const KinetoTrace& trace, const std::vector<TraceInterval>& steps, const std::filesystem::path& file,
                Imported& imported) {
  auto made = traced_model(trace, steps, std::get<StepRecord>(imported.measurements.records.front()), file);
  imported.measurements.records.emplace_back(std::move(made.record));
  imported.notes.insert(imported.notes.end(), made.notes.begin(), made.notes.end());
  imported.model = std::move(made.model);
}

} // namespace

Resemblance resembles_kineto(std::string_view text) {
  const bool is_object = !text.empty() && text.front() == '{';
  const bool is_list = !text.empty() && text.front() == '[';
  const bool is_trace =
      (is_object && has_any(text, {"\"traceEvents\""})) || (is_list && has_any(text, {"\"ProfilerStep#"}));
  return is_trace ? Resemblance::structure : Resemblance::none;
}

/// Makes a record of the median of the steps, with the time that they waited for input and for NCCL. The trace states
/// the GPU. It states the number of processes if it has distributedInfo or shows a single process. `stated.given` has
/// model and batch_per_gpu.
Imported import_kineto(LogSource source, const ImportContext& stated) {
  const auto file = source.name();
  const auto trace = read_kineto(source);
  if (trace.steps.empty())
    throw UserError(file.string(), "",
                    "no ProfilerStep found in the trace; call profiler.step() after each iteration, with a schedule");
  auto steps = trace.steps;
  constexpr std::size_t enough = 3;
  const bool skips = steps.size() >= enough;
  if (skips) steps.erase(steps.begin());
  const auto anatomy = anatomy_of(trace, steps);
  const auto sentences = to_sentences(anatomy);
  const auto measured = measured_in(trace, steps, sentences.front());
  Imported imported;
  imported.notes.push_back(fmt::format(
      "{} {} read{}; their median is {}", trace.steps.size(), trace.steps.size() == 1 ? "step was" : "steps were",
      skips ? ", the first left out as warm-up" : "", print_quantity(median(measured.values), Dimension::time)));
  imported.notes.insert(imported.notes.end(), sentences.begin(), sentences.end());
  add_kernel_shares(anatomy, trace, imported);
  imported.notes.emplace_back("steps were profiled: a profiler makes them longer");
  add_precision_note(measured, stated, imported);
  auto context = named_by_table(stated);
  take_logged_gpu(trace.device, context, imported.notes);
  add_step_record(measured, file, context, imported);
  add_suspicion(anatomy, imported);
  add_slowdown(anatomy, imported);
  if (!stated.table.empty()) add_layers(trace, steps, file, imported);
  return imported;
}

} // namespace ddlsim
