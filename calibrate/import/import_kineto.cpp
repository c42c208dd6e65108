#include "calibrate/import/importers.hpp"
#include "calibrate/import/seen_steps.hpp"
#include "calibrate/import/trace_anatomy.hpp"
#include "calibrate/import/traces.hpp"
#include "sim/base/statistics.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

SeenSteps seen_in(const KinetoTrace& trace, const std::vector<TraceInterval>& steps, const std::string& note) {
  SeenSteps seen;
  for (const auto& step : steps) seen.values.push_back(step.end_s - step.begin_s);
  if (trace.is_whole_job) seen.stated["gpus"] = std::to_string(std::max(1, trace.world_size));
  if (trace.is_whole_job && trace.world_size <= 1) seen.stated["strategy"] = "none";
  seen.stated["note"] = note;
  seen.gpu = trace.device;
  return seen;
}

} // namespace

Resemblance resembles_kineto(std::string_view text) {
  const bool is_object = !text.empty() && text.front() == '{';
  const bool is_list = !text.empty() && text.front() == '[';
  const bool is_trace =
      (is_object && has_any(text, {"\"traceEvents\""})) || (is_list && has_any(text, {"\"ProfilerStep#"}));
  return is_trace ? Resemblance::structure : Resemblance::none;
}

/// The median of the steps, with what they waited for input and for NCCL. The trace says how many processes there were;
/// model and batch_per_gpu are of `stated.given`.
Imported import_kineto(const std::filesystem::path& file, const ImportContext& stated) {
  const auto trace = read_kineto(file);
  if (trace.steps.empty())
    throw UserError(file.string(), "",
                    "no ProfilerStep found in the trace; call profiler.step() after each iteration, with a schedule");
  auto steps = trace.steps;
  constexpr std::size_t enough = 3;
  const bool skips = steps.size() >= enough;
  if (skips) steps.erase(steps.begin());
  const auto sentences = to_sentences(anatomy_of(trace, steps));
  const auto seen = seen_in(trace, steps, sentences.front());
  Imported imported;
  imported.notes.push_back(fmt::format("{} steps were read{}; their median is {}", trace.steps.size(),
                                       skips ? ", the first left out as warm-up" : "",
                                       print_quantity(median(seen.values), Dimension::time)));
  imported.notes.insert(imported.notes.end(), sentences.begin(), sentences.end());
  imported.notes.emplace_back("steps were profiled: a profiler makes them longer");
  add_step_record(seen, file, stated, imported);
  return imported;
}

} // namespace ddlsim
