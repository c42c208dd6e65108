// Reads Horovod's timeline: the median step, and the part of a step in which gradients were negotiated and all-reduced.
#include "import/importers.hpp"
#include "import/measured_steps.hpp"
#include "import/traces.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

constexpr std::size_t tenth = 10; ///< one step in so many is left out at the beginning as warm-up

std::string anatomy_of(const HorovodTimeline& timeline) {
  const auto steps = static_cast<double>(timeline.steps_s.size() + 1);
  const auto shown = [&](const std::vector<TraceInterval>& all) {
    return print_quantity(covered_s(all) / steps, Dimension::time);
  };
  return fmt::format(
      "a step negotiates for {} and all-reduces for {} ({} inside {}), {} tensors; some of it beside backward",
      shown(timeline.negotiations), shown(timeline.all_reduces), shown(timeline.library_calls),
      timeline.library.empty() ? "the library" : timeline.library, timeline.tensors);
}

void note_timeline(const HorovodTimeline& timeline, std::size_t skipped, const std::string& anatomy,
                   std::vector<std::string>& notes) {
  notes.push_back(fmt::format(
      "{} steps were read, from one all-reduce of a tensor to its next{}; their median was taken",
      timeline.steps_s.size(), skipped == 0 ? "" : fmt::format(", the first {} left out as warm-up", skipped)));
  notes.push_back(anatomy);
  notes.emplace_back("single all-reduces were left out: in a training they wait for each other and for compute");
  if (timeline.is_cut) notes.emplace_back("the list is not closed: the job was killed, or is running yet");
}

} // namespace

Resemblance resembles_horovod(std::string_view text) {
  const bool is_list = !text.empty() && text.front() == '[';
  return is_list && has_any(text, {"\"NEGOTIATE_", "\"ALLREDUCE\""}) ? Resemblance::structure : Resemblance::none;
}

/// Reads the timeline that rank 0 writes, which may be cut off. `stated.given` has model and batch_per_gpu.
Imported import_horovod(LogSource source, const ImportContext& stated) {
  const auto file = source.name();
  const auto timeline = read_horovod_timeline(source);
  if (timeline.steps_s.empty())
    throw UserError(
        file.string(), "",
        "found no tensor that was all-reduced twice (ALLREDUCE), so that steps cannot be separated; let the job take "
        "more steps");
  const auto skipped = timeline.steps_s.size() / tenth;
  MeasuredSteps measured;
  measured.values.assign(timeline.steps_s.begin() + static_cast<std::ptrdiff_t>(skipped), timeline.steps_s.end());
  if (timeline.ranks > 0) measured.stated["gpus"] = std::to_string(timeline.ranks);
  measured.stated["preset"] = "horovod";
  if (timeline.library == "nccl" || timeline.library == "gloo") measured.stated["library"] = timeline.library;
  const auto anatomy = anatomy_of(timeline);
  measured.stated["note"] = anatomy;
  Imported imported;
  note_timeline(timeline, skipped, anatomy, imported.notes);
  add_step_record(measured, file, stated, imported);
  return imported;
}

} // namespace ddlsim
