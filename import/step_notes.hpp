#pragma once
// Writes notes for the user on the step that was read from a log: which lines were used, what was left out, what was
// assumed.

#include "import/imported.hpp"
#include "import/measured_steps.hpp"
#include "import/run_shape.hpp"
#include "import/step_series.hpp"
#include "import/training_log.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// The part of a log of which the record is made.
struct ChosenSteps {
  std::string program;
  StepUnit unit = StepUnit::seconds;
  Covers covers = Covers::steps;
  std::string preset;                  ///< preset of the program; "": it can send gradients in several ways
  const StepSeries* figures = nullptr; ///< the figures; null: there are none
  int first_line = 0;
  bool with_evaluation = false;
};

/// Share of rounding above which figures get a note and are not compared with others.
inline constexpr double coarse_share = 0.025;

/// These functions add a sentence for each note.
void note_steps(const ChosenSteps& chosen, const SteadySteps& steady, std::vector<std::string>& notes);
void note_what_was_left_out(const TrainingLog& log, const ChosenSteps& chosen, const RunShape& shape,
                            std::vector<std::string>& notes);
/// Notes that a bar may count parts of steps, if the log does not say that it counts steps.
void note_what_bars_count(const TrainingLog& log, const ChosenSteps& chosen, std::vector<std::string>& notes);
/// Notes what the figures are means of, how coarse they are, and whether they include an evaluation.
void note_figures(const ChosenSteps& chosen, std::vector<std::string>& notes);
void note_ranks(const TrainingLog& log, const ChosenSteps& chosen, const RunShape& shape,
                std::vector<std::string>& notes);
/// Notes facts that neither the log nor the command line states, and contradictions between the two.
void note_what_was_assumed(const TrainingLog& log, const ImportContext& stated, const RateCells& cells,
                           std::vector<std::string>& notes);

/// Writes a step, as in "400 ms a step of 512 samples on 8 GPUs".
std::string step_text(const RunShape& shape, double step_s);

} // namespace ddlsim
