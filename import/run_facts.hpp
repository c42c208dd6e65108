#pragma once
// What a training's log says of the run beside its steps: GPUs, batches, counts of samples, totals.

#include "import/fact_forms.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ddlsim {

struct StatedFact {
  double value = 0;
  int line = 0;
};

struct StatedWord {
  std::string value; ///< "": not stated
  int line = 0;
  bool is_disputed = false; ///< the log says something else, too
};

/// How a count grows with the number of the step, by the places where that number changes.
class GrowthPerStep {
public:
  void take_step(double step);
  void take_count(double count);
  double slope() const; ///< 0: not both were seen to grow

private:
  struct Place {
    double step = 0;
    double count = 0;
  };
  void take_place();

  std::optional<double> step_;
  std::optional<double> count_;
  bool is_new_step_ = false;
  bool is_new_count_ = false;
  std::optional<Place> first_;
  std::optional<Place> last_;
};

/// For each fact, the first and the last value that the log states, and the sum of all.
class RunFacts {
public:
  /// Takes what the line says by that form; the phrase stands from `begin` to `end`.
  void take(const FactForm& form, std::string_view line, std::size_t begin, std::size_t end, int number);
  void take(const WordForm& form, std::string_view line, int number);
  /// What the log calls its model and its GPU.
  void take_names(std::string_view line, int number);

  /// The batch that is a GPU's or all GPUs' is a GPU's.
  void settle_batch();

  /// Counts of samples and steps begin with the next.
  void count_anew();

  std::optional<StatedFact> first(RunFact fact) const { return of(fact).first; }
  std::optional<StatedFact> last(RunFact fact) const { return of(fact).last; }
  double sum(RunFact fact) const { return of(fact).sum; }
  double mean(RunFact fact) const; ///< 0: not stated
  const StatedWord& word(RunWord word) const { return words_[static_cast<std::size_t>(word)]; }

  /// Samples a step by the counts of samples and steps; 0: not stated twice.
  double samples_a_step() const { return samples_.slope(); }
  /// Micro-steps a step by their numbers; 1: not stated twice.
  double microsteps_a_step() const;

  StatedWord model;       ///< as the log calls it
  StatedWord other_model; ///< before that
  std::string gpu;        ///< as the driver calls it; "": not stated

private:
  struct FactStatements {
    std::optional<StatedFact> first;
    std::optional<StatedFact> last;
    double sum = 0;
    std::size_t times = 0;
  };
  const FactStatements& of(RunFact fact) const { return statements_[static_cast<std::size_t>(fact)]; }
  void clear_run(); ///< drops the facts of a run that ended: another begins
  void state(RunFact fact, double value, int number);

  std::array<FactStatements, static_cast<std::size_t>(RunFact::count)> statements_;
  std::array<StatedWord, static_cast<std::size_t>(RunWord::count)> words_;
  GrowthPerStep samples_;
  GrowthPerStep microsteps_;
};

} // namespace ddlsim
