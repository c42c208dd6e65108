#pragma once
// What a training's log says about the run besides its steps: GPUs, batches, counts of samples, totals.

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
  bool is_disputed = false; ///< the log also states another value
};

/// The growth of a count per step, measured where the step's number changes.
class GrowthPerStep {
public:
  void take_step(double step);
  void take_count(double count);
  double slope() const; ///< 0 unless both were seen to grow

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
  /// Takes the statement of a line in that form; the phrase is from `begin` to `end`.
  void take(const FactForm& form, std::string_view line, std::size_t begin, std::size_t end, int number);
  void take(const WordForm& form, std::string_view line, int number);
  /// Takes the names of model and GPU in a line.
  void take_names(std::string_view line, int number);

  /// Decides that a batch that may be one GPU's or all GPUs' is one GPU's.
  void settle_batch();

  /// Starts the counts of samples and steps anew at their next values.
  void count_anew();

  std::optional<StatedFact> first(RunFact fact) const { return of(fact).first; }
  std::optional<StatedFact> last(RunFact fact) const { return of(fact).last; }
  double sum(RunFact fact) const { return of(fact).sum; }
  double mean(RunFact fact) const; ///< 0: not stated
  const StatedWord& word(RunWord word) const { return words_[static_cast<std::size_t>(word)]; }

  /// Samples per step from the counts of samples and steps; 0 unless both are stated twice.
  double samples_a_step() const { return samples_.slope(); }
  /// Micro-steps per step from their numbers; 1 unless both are stated twice.
  double microsteps_a_step() const;

  StatedWord model;       ///< as the log names it
  StatedWord other_model; ///< another name stated before it
  std::string gpu;        ///< as the driver names it; "": not stated

private:
  struct FactStatements {
    std::optional<StatedFact> first;
    std::optional<StatedFact> last;
    double sum = 0;
    std::size_t times = 0;
  };
  const FactStatements& of(RunFact fact) const { return statements_[static_cast<std::size_t>(fact)]; }
  void clear_run(); ///< drops the facts of a run that ended, because another starts
  void state(RunFact fact, double value, int number);

  std::array<FactStatements, static_cast<std::size_t>(RunFact::count)> statements_;
  std::array<StatedWord, static_cast<std::size_t>(RunWord::count)> words_;
  GrowthPerStep samples_;
  GrowthPerStep microsteps_;
};

} // namespace ddlsim
