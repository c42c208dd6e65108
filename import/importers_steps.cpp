// Reads step times from the lines that training programs print under any launcher. Each log becomes one step record.
#include "import/importers.hpp"
#include "import/measured_steps.hpp"
#include "import/phrase_finder.hpp"
#include "import/plain_text.hpp"
#include "import/run_batch.hpp"
#include "import/run_claims.hpp"
#include "import/run_shape.hpp"
#include "import/step_notes.hpp"
#include "import/training_log.hpp"
#include "sim/base/statistics.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// Returns the step time by a progress bar, or the time of a sample if Keras counts samples.
ChosenSteps steps_of_bar(const TrainingLog& log) {
  const auto steps = log.facts.last(RunFact::run_steps);
  const auto* loop = log.bars.training(steps ? steps->value : 0);
  if (loop == nullptr) return {};
  ChosenSteps chosen;
  const auto samples = log.facts.first(RunFact::epoch_samples); // Keras before 2.3 counts samples as steps
  const bool of_samples = loop->counts_samples || (samples && loop->total == samples->value);
  chosen.program = "a progress bar";
  chosen.unit = of_samples ? StepUnit::seconds_of_sample : StepUnit::seconds;
  chosen.with_evaluation = loop->steps_s.empty();
  chosen.figures = chosen.with_evaluation ? &loop->with_evaluation : &loop->steps_s;
  chosen.first_line = loop->first_line;
  return chosen;
}

/// Chooses the first form of the table that has figures, or else the bars of the training loop. If a trainer states how
/// many steps it takes, its bar counts whole steps. The bar then has precedence over a timer of parts of them.
ChosenSteps choose_steps(const TrainingLog& log) {
  const bool is_trainers = log.facts.last(RunFact::run_steps) && !log.bars.loops().empty();
  const auto forms = step_forms();
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto& form = forms[i];
    if (log.series[i].figures.empty() || (form.covers == Covers::part_of_step && is_trainers)) continue;
    return {form.program, form.unit, form.covers, form.preset, &log.series[i].figures, log.series[i].first_line, false};
  }
  return steps_of_bar(log);
}

/// Returns the seconds of a step of a trainer that prints only its total time. Evaluations are subtracted; start and
/// saving are not.
std::optional<StatedFact> step_by_totals(const RunFacts& facts) {
  const double steps = steps_of_run(facts);
  if (steps < 1) return std::nullopt;
  const auto run_s = facts.last(RunFact::run_s);
  const double training_s = run_s->value - facts.sum(RunFact::evaluation_s);
  if (training_s <= 0) return std::nullopt;
  return StatedFact{training_s / steps, run_s->line};
}

/// Checks that every other figure of the log agrees with the seconds of a step in the record.
void check_own_totals(const TrainingLog& log, const ChosenSteps& chosen, double step_s, const RunShape& shape,
                      const std::string& where) {
  std::vector<Claim> claims{
      {step_s, fmt::format("lines of {} say {} a step", chosen.program, print_quantity(step_s, Dimension::time))}};
  const auto add = [&](double claimed_s, const std::string& who) {
    if (claimed_s > 0)
      claims.push_back(
          {claimed_s, fmt::format("{}, which is {} a step", who, print_quantity(claimed_s, Dimension::time))});
  };
  for (const auto& total :
       {log.facts.last(RunFact::total_samples_per_s), log.facts.first(RunFact::total_samples_per_s)})
    if (total)
      add(step_seconds(total->value, StepUnit::samples_per_s, shape),
          fmt::format("line {} says {:.6g} samples/s in all", total->line, total->value));
  for (std::size_t i = 0; i < log.series.size(); ++i) {
    const auto& form = step_forms()[i];
    if (log.series[i].figures.empty() || &log.series[i].figures == chosen.figures ||
        !unknown_of(shape, form.unit).empty() || form.covers == Covers::part_of_step ||
        log.series[i].figures.rounding_share() > coarse_share)
      continue;
    const double figure = steady_steps(log.series[i].figures).median;
    add(step_seconds(figure, form.unit, shape),
        fmt::format("lines of {} say {:.6g} {}", form.program, figure, to_text(form.unit)));
  }
  agreed_value(claims, where);
}

/// Checks that the run took at least as long as its steps. A note says how much longer it took.
void note_whole_run(const RunFacts& facts, double step_s, const std::string& where, std::vector<std::string>& notes) {
  const auto run_s = facts.last(RunFact::run_s);
  const double steps_s = steps_of_run(facts) * step_s;
  if (!run_s || steps_s <= 0) return;
  const auto stated =
      fmt::format("the steps read make {}, and line {} says that the run took {}",
                  print_quantity(steps_s, Dimension::time), run_s->line, print_quantity(run_s->value, Dimension::time));
  if (steps_s > run_s->value * (1 + agreement_share))
    throw UserError(where, "", stated + ": they disagree, so nothing was imported");
  if (steps_s < run_s->value * (1 - agreement_share))
    notes.push_back(stated + ": the rest is evaluation, saving and the start");
}

/// Returns the number of lines for each step. If a step has several micro-steps, each has a line.
double lines_a_step(const TrainingLog& log, const ChosenSteps& chosen) {
  return chosen.covers == Covers::micro_step ? log.facts.microsteps_a_step() : 1;
}

/// Returns the cells of the record that the log states as words, spelled as in tables of rates.
RateCells words_of(const TrainingLog& log, const ChosenSteps& chosen, const RunShape& shape) {
  RateCells cells;
  const auto add = [&](const char* column, RunWord word) {
    const auto& stated = log.facts.word(word);
    if (!stated.value.empty() && !stated.is_disputed) cells[column] = stated.value;
  };
  add("precision", RunWord::precision);
  add("preset", RunWord::preset);
  add("data", RunWord::data);
  if (!log.facts.word(RunWord::servers).value.empty() && shape.ranks > 1) {
    cells["strategy"] = "ps";
    cells["preset"] = "tf-ps";
  }
  if (!chosen.preset.empty() && log.facts.word(RunWord::preset).value.empty()) cells["preset"] = chosen.preset;
  return cells;
}

MeasuredSteps measured_in_log(const TrainingLog& log, const ChosenSteps& chosen, const SteadySteps& steady,
                              const RunShape& shape) {
  MeasuredSteps measured;
  measured.first_line = chosen.first_line;
  measured.global_batch = shape.global_batch;
  measured.stated = words_of(log, chosen, shape);
  if (shape.gpus > 0) measured.stated["gpus"] = fmt::format("{}", shape.gpus);
  if (shape.gpus > 0 && shape.global_batch > 0)
    measured.stated["batch_per_gpu"] = fmt::format("{}", shape.global_batch / shape.gpus);
  measured.unknown = unknown_of(shape, chosen.unit);
  if (const auto tokens = log.facts.last(RunFact::tokens_per_step); tokens && shape.sequence_length <= 0)
    measured.batch_hint = fmt::format(", or --set sequence_length=TOKENS: line {} says {} tokens a step", tokens->line,
                                      count_text(tokens->value));
  if (const auto batch = log.facts.last(RunFact::batch_of_whom); batch && measured.batch_hint.empty())
    measured.batch_hint = fmt::format(" (line {} says {} samples, and not whether of a GPU or of all)", batch->line,
                                      count_text(batch->value));
  measured.relative_spread = chosen.covers == Covers::all_until_now ? 0 : steady.relative_spread;
  for (const double figure : steady.values)
    measured.values.push_back(lines_a_step(log, chosen) * step_seconds(figure, chosen.unit, shape));
  return measured;
}

/// Refuses a log of two models, and one that trains no model on several GPUs, because they have no single step time.
void refuse_other_work(const RunFacts& facts, const ImportContext& stated, const std::string& where) {
  if (!facts.other_model.value.empty())
    throw UserError(
        where, "",
        fmt::format("line {} says model {}, but line {} says model {}: nothing was imported; cut the log to "
                    "one run",
                    facts.other_model.line, in_quotes(facts.other_model.value), facts.model.line,
                    in_quotes(facts.model.value)));
  const auto& other = facts.word(RunWord::no_single_training);
  if (other.value.empty() || stated.given.count("mode") > 0 || stated.given.count("strategy") > 0) return;
  throw UserError(where, "",
                  fmt::format("line {} says that {}: nothing was imported; --set mode=NAME or --set strategy=NAME says "
                              "what it is",
                              other.line, other.value));
}

void ask_for_model(const RunFacts& facts, const ImportContext& stated, std::vector<std::string>& notes) {
  if (stated.given.count("model") > 0 || facts.model.value.empty()) return;
  notes.push_back(fmt::format("the log calls its model {}", in_quotes(facts.model.value)));
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

/// Makes one step record of the median of the step times that a training program printed. `stated.given` has what the
/// log lacks: model, gpus, batch_per_gpu, sequence_length and any other column of a table of rates. Throws UserError if
/// the log contradicts itself or what is stated.
Imported import_steps(LogSource source, const ImportContext& stated) {
  const auto file = source.name();
  const auto log = read_training_log(source);
  auto chosen = choose_steps(log);
  refuse_other_work(log.facts, stated, file.string());
  StepSeries by_totals;
  if (const auto total = chosen.figures == nullptr ? step_by_totals(log.facts) : std::nullopt) {
    by_totals.add({total->value, 0});
    chosen = {"the run's end", StepUnit::seconds, Covers::steps, "", &by_totals, total->line, false};
  }
  if (chosen.figures == nullptr)
    throw UserError(file.string(), "",
                    fmt::format("found no line with a step's time, expected one as of {}", step_program_names()));
  Imported imported;
  const auto steady = steady_steps(*chosen.figures);
  const auto shape = shape_of_run(log, stated, chosen.unit, file.string());
  note_steps(chosen, steady, imported.notes);
  note_what_was_left_out(log, chosen, shape, imported.notes);
  note_what_bars_count(log, chosen, imported.notes);
  note_figures(chosen, imported.notes);
  note_ranks(log, chosen, shape, imported.notes);
  if (lines_a_step(log, chosen) > 1)
    imported.notes.push_back(
        fmt::format("each line is a micro-step, of which {:.4g} make a step", lines_a_step(log, chosen)));
  imported.notes.insert(imported.notes.end(), shape.notes.begin(), shape.notes.end());
  ask_for_model(log.facts, stated, imported.notes);
  const auto measured = measured_in_log(log, chosen, steady, shape);
  note_what_was_assumed(log, stated, measured.stated, imported.notes);
  auto context = stated;
  context.given.erase("sequence_length");
  take_logged_gpu(log.facts.gpu, context, imported.notes);
  const double step_s = median(measured.values);
  if (step_s > 0) {
    check_own_totals(log, chosen, step_s, shape, file.string());
    note_whole_run(log.facts, step_s, file.string(), imported.notes);
    imported.notes.push_back(step_text(shape, step_s));
  }
  add_step_record(measured, file, context, imported);
  return imported;
}

} // namespace ddlsim
