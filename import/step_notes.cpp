#include "import/step_notes.hpp"

#include "import/plain_text.hpp"
#include "import/run_claims.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"
#include "sim/formats/stand_in_preset.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

const char* coverage_text(Covers covers) {
  switch (covers) {
  case Covers::steps:
  case Covers::micro_step:
    return "";
  case Covers::all_until_now:
    return "each is a mean of all steps until then, so that their spread is not that of steps";
  case Covers::part_of_step:
    return "the program's timer leaves out what stands between steps, as reading the input: a step takes longer";
  }
  return "";
}

/// Notes where the log differs from the command line, which has precedence.
void note_difference(const StatedWord& word, const char* name, const ImportContext& stated,
                     std::vector<std::string>& notes) {
  const auto given = stated.given.find(name);
  if (given == stated.given.end() || word.value.empty() || word.is_disputed || given->second == word.value) return;
  notes.push_back(
      fmt::format("line {} says {} {}, and --set {}={} was taken", word.line, name, word.value, name, given->second));
}

} // namespace

void note_steps(const ChosenSteps& chosen, const SteadySteps& steady, std::vector<std::string>& notes) {
  notes.push_back(fmt::format(
      "{} lines of {} were read ({}){}; their median, {:.6g}, was taken", chosen.figures->count(), chosen.program,
      to_text(chosen.unit),
      steady.warm_up == 0 ? "" : fmt::format(", the first {} left out as warm-up", steady.warm_up), steady.median));
  if (steady.pauses > 0)
    notes.push_back(fmt::format("{} of them are far from the median (evaluation, checkpoints, restarts): they do not "
                                "count for the spread",
                                steady.pauses));
}

void note_what_was_left_out(const TrainingLog& log, const ChosenSteps& chosen, const RunShape& shape,
                            std::vector<std::string>& notes) {
  for (const auto& series : log.series)
    if (&series.figures == chosen.figures && series.other_ranks > 0)
      notes.push_back(
          fmt::format("{} lines of other ranks were left out: they say the same again", series.other_ranks));
  if (log.kept_from > 0)
    notes.push_back(
        fmt::format("batches or sequences changed: only the steps from line {} on were taken, of {} samples",
                    log.kept_from, count_text(shape.global_batch)));
  int others = log.bars.of_other_work();
  double steps = 0;
  for (const auto& loop : log.bars.loops()) {
    const bool is_training = chosen.figures == &loop.steps_s || chosen.figures == &loop.with_evaluation;
    if (is_training) steps = loop.total;
    others += is_training ? 0 : static_cast<int>(loop.steps_s.count() + loop.with_evaluation.count());
  }
  if (others > 0 && steps > 0)
    notes.push_back(
        fmt::format("{} states of progress bars of other work than training were left out; training's has {} steps",
                    others, count_text(steps)));
}

void note_what_bars_count(const TrainingLog& log, const ChosenSteps& chosen, std::vector<std::string>& notes) {
  const bool is_trainers = log.facts.last(RunFact::run_steps) || log.facts.last(RunFact::run_s);
  for (const auto& loop : log.bars.loops())
    if (chosen.figures == &loop.steps_s && !loop.is_of_keras() && !is_trainers)
      notes.emplace_back("what the bar counts was taken as steps: where gradients are accumulated over several batches "
                         "and it counts batches, a step takes as many times longer");
}

void note_figures(const ChosenSteps& chosen, std::vector<std::string>& notes) {
  if (const std::string text = coverage_text(chosen.covers); !text.empty()) notes.push_back(text);
  if (const double share = chosen.figures->rounding_share(); share > coarse_share)
    notes.push_back(
        fmt::format("the log prints so coarsely that the step may be {:.2g} % longer or shorter", percent * share));
  if (chosen.with_evaluation)
    notes.emplace_back("each line counts an evaluation in: a step of training takes less than that");
}

void note_ranks(const TrainingLog& log, const ChosenSteps& chosen, const RunShape& shape,
                std::vector<std::string>& notes) {
  if (!is_of_rank(chosen.unit) || shape.ranks <= 0 || shape.gpus == 1) return;
  const auto& facts = log.facts;
  const bool is_known = !facts.word(RunWord::horovod).value.empty() || !facts.word(RunWord::kvstore).value.empty() ||
                        log.ranks.size() > 1 || facts.last(RunFact::devices_of_rank) ||
                        facts.last(RunFact::total_samples_per_s);
  if (is_known && shape.ranks == 1)
    notes.emplace_back("one process prints the rate of all GPUs");
  else
    notes.push_back(is_known
                        ? fmt::format("each line is the rate of one of {} processes", count_text(shape.ranks))
                        : "the log does not say how many processes printed: each line was taken as the rate of all "
                          "GPUs");
}

void note_what_was_assumed(const TrainingLog& log, const ImportContext& stated, const RateCells& cells,
                           std::vector<std::string>& notes) {
  for (const auto& [word, name] : {std::pair{RunWord::precision, "precision"}, std::pair{RunWord::preset, "preset"}})
    note_difference(log.facts.word(word), name, stated, notes);
  const auto is_stated = [&](const char* name) { return cells.count(name) > 0 || stated.given.count(name) > 0; };
  if (!is_stated("precision"))
    notes.emplace_back("the log does not say the precision: fp32 was taken; give --set precision=VALUE");
  if (!is_stated("preset"))
    notes.push_back("the log does not say how gradients are sent: " + stand_in_text(unnamed_framework) +
                    "; where it is another, give --set preset=NAME (`ddlsim list presets`)");
}

std::string step_text(const RunShape& shape, double step_s) {
  return fmt::format("{} a step of {} samples on {} GPU{}", print_quantity(step_s, Dimension::time),
                     count_text(shape.global_batch), count_text(shape.gpus), shape.gpus == 1 ? "" : "s");
}

} // namespace ddlsim
