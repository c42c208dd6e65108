// Step times in the lines that training programs print, under any launcher. One step record a file: the median over the
// lines of one form.
#include "import/importers.hpp"
#include "import/plain_text.hpp"
#include "import/seen_steps.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

constexpr std::size_t warm_up = 10; ///< of so many lines the first is left out: kernels are chosen, caches fill

void note_lines(const StepLines& log, std::size_t skipped, std::vector<std::string>& notes) {
  notes.push_back(fmt::format("{} lines of {} were read{}; their median was taken", log.values.size(), log.form,
                              skipped == 0 ? "" : fmt::format(", the first {} left out as warm-up", skipped)));
  if (log.of_other_ranks > 0)
    notes.push_back(fmt::format("{} lines of other ranks were left out: they say the same again", log.of_other_ranks));
  if (log.of_other_work > 0)
    notes.push_back(
        fmt::format("{} states of progress bars of other work than training were left out", log.of_other_work));
}

SeenSteps steps_of(const StepLines& log, std::size_t skipped) {
  SeenSteps seen;
  seen.values.assign(log.values.begin() + static_cast<std::ptrdiff_t>(skipped), log.values.end());
  seen.are_rates = log.are_rates;
  seen.first_line = log.first_line;
  seen.global_batch = log.global_batch;
  if (log.batch_per_gpu > 0) seen.stated["batch_per_gpu"] = fmt::format("{}", log.batch_per_gpu);
  if (log.gpus > 0) seen.stated["gpus"] = std::to_string(log.gpus);
  return seen;
}

} // namespace

Resemblance resembles_steps(std::string_view text) {
  return has_any(text, {"elapsed time per iteration (ms):", "images/sec:", "CurrSamplesPerSec=", "s/step", "Epoch: [",
                        "it/s", "s/it"})
             ? Resemblance::phrase
             : Resemblance::none;
}

/// The median of the step times that a training program printed, as one step record. `stated.given` has what the log
/// does not say: model, gpus, batch_per_gpu and any other column of a table of rates.
Imported import_steps(LogSource source, const ImportContext& stated) {
  const auto file = source.name();
  const auto log = read_step_lines(split_lines(source.text()));
  if (log.values.empty())
    throw UserError(file.string(), "",
                    fmt::format("found no line with a step's time, expected one as of {}", step_form_names()));
  Imported imported;
  const auto skipped = log.values.size() / warm_up;
  note_lines(log, skipped, imported.notes);
  add_step_record(steps_of(log, skipped), file, stated, imported);
  return imported;
}

} // namespace ddlsim
