#include "import/training_log.hpp"

#include "import/phrase_finder.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

namespace ddlsim {
namespace {

/// Returns the marks of all step forms, then the phrases of all facts and of all words.
const PhraseFinder& phrases_of_a_log() {
  static const PhraseFinder finder = [] {
    std::vector<std::string_view> phrases;
    for (const auto& form : step_forms()) phrases.emplace_back(form.mark);
    for (const auto& form : fact_forms()) phrases.emplace_back(form.phrase);
    for (const auto& form : word_forms()) phrases.emplace_back(form.phrase);
    return PhraseFinder(phrases);
  }();
  return finder;
}

void add_figure(const StepForm& form, const LogLine& line, const FoundPhrase& found, TrainingLog& log) {
  const auto figure = figure_of(form, line.text, found.begin, found.end);
  if (!figure) return;
  auto& series = log.series[found.index];
  if (series.first_line == 0) {
    series.first_line = line.number;
    series.rank = line.rank;
  }
  if (line.rank >= 0) log.ranks.insert(line.rank);
  if (line.rank != series.rank) {
    ++series.other_ranks;
  } else {
    series.figures.add(*figure);
  }
}

/// The numbers that determine the time of a step, as the log last stated them.
struct StepSize {
  double values[5] = {};
  bool operator==(const StepSize&) const = default;
};

StepSize size_of(const RunFacts& facts) {
  constexpr RunFact of_size[] = {RunFact::global_batch, RunFact::batch_per_gpu, RunFact::accumulation,
                                 RunFact::sequence_length, RunFact::tokens_per_step};
  StepSize size;
  for (std::size_t i = 0; i < std::size(of_size); ++i)
    if (const auto stated = facts.last(of_size[i])) size.values[i] = stated->value;
  return size;
}

/// Keeps only the steps of the last size. A run may start with small batches and enlarge them, and a log may have
/// several runs.
void drop_other_sizes(const StepSize& before, int number, TrainingLog& log) {
  if (size_of(log.facts) == before) return;
  const bool had_steps =
      !log.bars.loops().empty() || std::any_of(log.series.begin(), log.series.end(),
                                               [](const FormSeries& series) { return !series.figures.empty(); });
  if (had_steps) log.kept_from = number;
  log.facts.count_anew();
  log.bars = {};
  for (auto& series : log.series) series.figures = {};
}

void take_fact(const LogLine& line, const FoundPhrase& found, RunFacts& facts) {
  const auto index = found.index - step_forms().size();
  const auto numbers = fact_forms();
  if (index < numbers.size()) return facts.take(numbers[index], line.text, found.begin, found.end, line.number);
  facts.take(word_forms()[index - numbers.size()], line.text, line.number);
}

/// Facts are read before figures, because they show to which run the figure of a line belongs.
void read_log_line(const LogLine& line, std::vector<FoundPhrase>& marks, TrainingLog& log) {
  const auto forms = step_forms();
  const auto size_before = size_of(log.facts);
  log.facts.take_names(line.text, line.number);
  marks.clear();
  phrases_of_a_log().find_all(line.text, [&](const FoundPhrase& found) {
    if (found.index < forms.size()) return marks.push_back(found);
    take_fact(line, found, log.facts);
  });
  drop_other_sizes(size_before, line.number, log);
  const bool is_bar = log.bars.take(line.text, line.number);
  for (const auto& found : marks) {
    const auto& form = forms[found.index];
    const bool is_rate_of_bar = is_bar && form.number == NumberIs::before_mark;
    if (!is_rate_of_bar) add_figure(form, line, found, log);
  }
}

} // namespace

TrainingLog read_training_log(LogSource& source) {
  TrainingLog log;
  log.series.resize(step_forms().size());
  std::vector<FoundPhrase> marks; // marks of one line
  while (const auto line = source.next_line()) read_log_line(*line, marks, log);
  for (std::size_t i = 0; i < log.series.size(); ++i)
    if (step_forms()[i].unit == StepUnit::samples_per_s_of_gpu && !log.series[i].figures.empty())
      log.facts.settle_batch();
  return log;
}

} // namespace ddlsim
