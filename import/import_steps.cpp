// Step times in the lines that training programs print, under any launcher: one step record a log.
#include "import/importers.hpp"
#include "import/phrase_finder.hpp"
#include "import/plain_text.hpp"
#include "import/run_shape.hpp"
#include "import/seen_steps.hpp"
#include "import/training_log.hpp"
#include "sim/base/statistics.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// What of a log the record is made of.
struct ChosenSteps {
  std::string program;
  StepUnit unit = StepUnit::seconds;
  const StepSeries* figures = nullptr; ///< null: none
  int first_line = 0;
  bool with_evaluation = false;
};

/// The first form of the table that has figures; else the bars of training's loop.
ChosenSteps choose_steps(const TrainingLog& log) {
  const auto forms = step_forms();
  for (const bool with_evaluation : {false, true}) {
    for (std::size_t i = 0; i < forms.size(); ++i) {
      const auto& figures = with_evaluation ? log.series[i].with_evaluation : log.series[i].figures;
      if (!figures.empty())
        return {forms[i].program, forms[i].unit, &figures, log.series[i].first_line, with_evaluation};
    }
  }
  if (const auto* loop = log.bars.training())
    return {"a progress bar", StepUnit::seconds, &loop->steps_s, loop->first_line, false};
  return {};
}

/// Of a trainer that says only at its end how long all took: evaluations are taken out, start and saving are not.
std::optional<StatedFact> step_by_totals(const RunFacts& facts) {
  const auto run_s = facts.last(RunFact::run_s);
  const auto rate = facts.last(RunFact::run_steps_per_s);
  const double steps = run_s && rate ? run_s->value * rate->value : 0;
  const double training_s = run_s ? run_s->value - facts.sum(RunFact::evaluation_s) : 0;
  if (steps < 1 || training_s <= 0) return std::nullopt;
  return StatedFact{training_s / steps, rate->line};
}

/// Every figure of the log as seconds of a step must agree with the record's.
void check_own_totals(const TrainingLog& log, const ChosenSteps& chosen, double step_s, const RunShape& shape,
                      const std::string& where) {
  std::vector<Claim> claims{
      {step_s, fmt::format("lines of {} say {} a step", chosen.program, print_quantity(step_s, Dimension::time))}};
  const auto add = [&](double claimed_s, const std::string& who) {
    if (claimed_s > 0)
      claims.push_back(
          {claimed_s, fmt::format("{}, which is {} a step", who, print_quantity(claimed_s, Dimension::time))});
  };
  if (const auto total = log.facts.last(RunFact::total_samples_per_s))
    add(step_seconds(total->value, StepUnit::samples_per_s, shape),
        fmt::format("line {} says {:.6g} samples/s in all", total->line, total->value));
  for (std::size_t i = 0; i < log.series.size(); ++i) {
    const auto& form = step_forms()[i];
    if (log.series[i].figures.empty() || &log.series[i].figures == chosen.figures ||
        !unknown_of(shape, form.unit).empty())
      continue;
    const double figure = steady_steps(log.series[i].figures).median;
    add(step_seconds(figure, form.unit, shape),
        fmt::format("lines of {} say {:.6g} {}", form.program, figure, to_text(form.unit)));
  }
  agreed_value(claims, where);
}

/// A run cannot take less time than its steps do; what it takes longer is told.
void note_whole_run(const RunFacts& facts, double step_s, const std::string& where, std::vector<std::string>& notes) {
  const auto run_s = facts.last(RunFact::run_s);
  const auto rate = facts.last(RunFact::run_steps_per_s);
  if (!run_s || !rate) return;
  const double steps_s = run_s->value * rate->value * step_s;
  const auto said =
      fmt::format("the steps read make {}, and line {} says that the run took {}",
                  print_quantity(steps_s, Dimension::time), run_s->line, print_quantity(run_s->value, Dimension::time));
  if (steps_s > run_s->value * (1 + agreement_share))
    throw UserError(where, "", said + ": they disagree, so nothing was imported");
  if (steps_s < run_s->value * (1 - agreement_share))
    notes.push_back(said + ": the rest is evaluation, saving and the start");
}

std::string step_text(const RunShape& shape, double step_s) {
  return fmt::format("{} a step of {} samples on {} GPU{}", print_quantity(step_s, Dimension::time),
                     count_text(shape.global_batch), count_text(shape.gpus), shape.gpus == 1 ? "" : "s");
}

void note_steps(const ChosenSteps& chosen, const SteadySteps& steady, std::vector<std::string>& notes) {
  notes.push_back(fmt::format(
      "{} lines of {} were read ({}){}; their median, {:.6g}, was taken", chosen.figures->count(), chosen.program,
      to_text(chosen.unit),
      steady.warm_up == 0 ? "" : fmt::format(", the first {} left out as warm-up", steady.warm_up), steady.median));
  if (steady.pauses > 0)
    notes.push_back(fmt::format("{} of them are far from the median (evaluation, checkpoints, restarts): they do not "
                                "count for the spread",
                                steady.pauses));
  if (chosen.with_evaluation)
    notes.emplace_back("each line counts an evaluation in: a step of training takes less than that");
}

void note_what_was_left_out(const TrainingLog& log, const ChosenSteps& chosen, const RunShape& shape,
                            std::vector<std::string>& notes) {
  for (const auto& series : log.series)
    if (&series.figures == chosen.figures && series.other_ranks > 0)
      notes.push_back(
          fmt::format("{} lines of other ranks were left out: they say the same again", series.other_ranks));
  if (log.batch_before > 0)
    notes.push_back(fmt::format("the global batch changed: only steps of {} samples were taken, not those of {}",
                                count_text(shape.global_batch), count_text(log.batch_before)));
  const auto* training = log.bars.training();
  if (training == nullptr || chosen.figures != &training->steps_s) return;
  int others = log.bars.of_other_work();
  for (const auto& loop : log.bars.loops())
    if (&loop != training) others += static_cast<int>(loop.steps_s.count());
  if (others > 0)
    notes.push_back(
        fmt::format("{} states of progress bars of other work than training were left out; training's has {} "
                    "steps",
                    others, count_text(training->total)));
}

void note_ranks(const TrainingLog& log, const ChosenSteps& chosen, const RunShape& shape,
                std::vector<std::string>& notes) {
  if (chosen.unit != StepUnit::samples_per_s_of_rank || shape.ranks <= 0) return;
  const bool is_known = log.facts.one_gpu_a_rank || log.facts.workers_on_hosts || log.ranks.size() > 1 ||
                        log.facts.last(RunFact::devices_of_rank) || log.facts.last(RunFact::total_samples_per_s);
  notes.push_back(is_known ? fmt::format("each line is the rate of one of {} processes", count_text(shape.ranks))
                           : "the log does not say how many processes printed: each line was taken as the rate of all "
                             "GPUs");
}

/// Micro-steps are lines of their own where a step has several.
double lines_a_step(const TrainingLog& log, const ChosenSteps& chosen) {
  return chosen.program == std::string_view("LitGPT") ? log.facts.microsteps_a_step() : 1;
}

SeenSteps seen_in_log(const TrainingLog& log, const ChosenSteps& chosen, const SteadySteps& steady,
                      const RunShape& shape) {
  SeenSteps seen;
  seen.first_line = chosen.first_line;
  seen.global_batch = shape.global_batch;
  seen.gpu = log.facts.gpu;
  if (shape.gpus > 0) seen.stated["gpus"] = fmt::format("{}", shape.gpus);
  if (shape.gpus > 0 && shape.global_batch > 0)
    seen.stated["batch_per_gpu"] = fmt::format("{}", shape.global_batch / shape.gpus);
  seen.unknown = unknown_of(shape, chosen.unit);
  seen.relative_spread = steady.relative_spread;
  for (const double figure : steady.values)
    seen.values.push_back(lines_a_step(log, chosen) * step_seconds(figure, chosen.unit, shape));
  return seen;
}

void ask_for_model(const RunFacts& facts, const ImportContext& stated, std::vector<std::string>& notes) {
  if (stated.given.count("model") > 0 || facts.model.empty()) return;
  notes.push_back(fmt::format("the log calls its model {}", in_quotes(facts.model)));
}

} // namespace

Resemblance resembles_steps(std::string_view text) {
  std::vector<std::string_view> marks;
  for (const auto& form : step_forms()) marks.emplace_back(form.mark);
  bool any = has_any(text, {"it/s", "s/it", "train_runtime"});
  PhraseFinder(marks).find_all(text, [&](const FoundPhrase& found) {
    const auto& form = step_forms()[found.index];
    const auto begin = text.find_last_of("\r\n", found.begin);
    const auto from = begin == std::string_view::npos ? 0 : begin + 1;
    const auto line = text.substr(from, text.find_first_of("\r\n", found.begin) - from);
    any = any || figure_of(form, line, found.begin - from, found.end - from).has_value();
  });
  return any ? Resemblance::phrase : Resemblance::none;
}

/// The median of the step times that a training program printed, as one step record. `stated.given` has what the log
/// does not say: model, gpus, batch_per_gpu, sequence_length and any other column of a table of rates. Throws UserError
/// where the log contradicts itself or what is stated.
Imported import_steps(LogSource source, const ImportContext& stated) {
  const auto file = source.name();
  const auto log = read_training_log(source);
  auto chosen = choose_steps(log);
  StepSeries by_totals;
  if (const auto total = chosen.figures == nullptr ? step_by_totals(log.facts) : std::nullopt) {
    by_totals.add(total->value);
    chosen = {"the run's end", StepUnit::seconds, &by_totals, total->line, false};
  }
  if (chosen.figures == nullptr)
    throw UserError(file.string(), "",
                    fmt::format("found no line with a step's time, expected one as of {}", step_program_names()));
  Imported imported;
  const auto steady = steady_steps(*chosen.figures);
  const auto shape = shape_of_run(log, stated, chosen.unit, file.string());
  note_steps(chosen, steady, imported.notes);
  note_what_was_left_out(log, chosen, shape, imported.notes);
  note_ranks(log, chosen, shape, imported.notes);
  ask_for_model(log.facts, stated, imported.notes);
  const auto seen = seen_in_log(log, chosen, steady, shape);
  auto context = stated;
  context.given.erase("sequence_length");
  const double step_s = median(seen.values);
  if (step_s > 0) {
    check_own_totals(log, chosen, step_s, shape, file.string());
    note_whole_run(log.facts, step_s, file.string(), imported.notes);
    imported.notes.push_back(step_text(shape, step_s));
  }
  add_step_record(seen, file, context, imported);
  return imported;
}

} // namespace ddlsim
