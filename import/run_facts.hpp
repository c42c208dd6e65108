#pragma once
// What the log of a training says about the run besides its steps: GPUs, batches, counts of samples, totals.

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
  std::string value; ///< the word; "": not stated
  int line = 0;
  bool is_disputed = false; ///< whether the log states another value too
};

/// How much a count grows in a step, measured where the number of the step changes.
class GrowthPerStep {
public:
  void take_step(double step);
  void take_count(double count);
  double slope() const; ///< growth in a step; 0 unless both numbers were seen to grow

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

/// For each fact, the first and the last value that the log states, and the sum of all values.
class RunFacts {
public:
  /// Takes the statement of a line in that form. The phrase is from `begin` to `end`.
  void take(const FactForm& form, std::string_view line, std::size_t begin, std::size_t end, int number);
  void take(const WordForm& form, std::string_view line, int number);
  /// Takes the names of model and GPU in a line.
  void take_names(std::string_view line, int number);

  /// Decides that a batch which may be one GPU's or all GPUs' is one GPU's.
  void settle_batch();

  /// Makes the counts of samples and steps start at their next values.
  void count_anew();

  std::optional<StatedFact> first(RunFact fact) const { return of(fact).first; }
  std::optional<StatedFact> last(RunFact fact) const { return of(fact).last; }
  double sum(RunFact fact) const { return of(fact).sum; }
  double mean(RunFact fact) const; ///< mean of the values; 0: not stated
  const StatedWord& word(RunWord word) const { return words_[static_cast<std::size_t>(word)]; }

  /// Returns the samples of a step by the counts of samples and steps; 0 unless both are stated twice.
  double samples_a_step() const { return samples_.slope(); }
  /// Returns the micro-steps of a step by their numbers; 1 unless both are stated twice.
  double microsteps_a_step() const;

  StatedWord model;       ///< model, under its name in the log
  StatedWord other_model; ///< another name that was stated before
  std::string gpu;        ///< GPU, under the driver's name; "": not stated

private:
  struct FactStatements {
    std::optional<StatedFact> first;
    std::optional<StatedFact> last;
    double sum = 0;
    std::size_t times = 0;
  };
  const FactStatements& of(RunFact fact) const { return statements_[static_cast<std::size_t>(fact)]; }
  void clear_run(); ///< removes the facts of a run that ended, because another one starts
  void state(RunFact fact, double value, int number);

  std::array<FactStatements, static_cast<std::size_t>(RunFact::count)> statements_;
  std::array<StatedWord, static_cast<std::size_t>(RunWord::count)> words_;
  GrowthPerStep samples_;
  GrowthPerStep microsteps_;
};

} // namespace ddlsim
