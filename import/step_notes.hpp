#pragma once
// What a person should know of the step that was read from a log: which lines, what was left out, what was assumed.

#include "import/imported.hpp"
#include "import/measured_steps.hpp"
#include "import/run_shape.hpp"
#include "import/step_series.hpp"
#include "import/training_log.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// What of a log the record is made of.
struct ChosenSteps {
  std::string program;
  StepUnit unit = StepUnit::seconds;
  Covers covers = Covers::steps;
  std::string preset;                  ///< "": the program has several ways to send gradients
  const StepSeries* figures = nullptr; ///< null: none
  int first_line = 0;
  bool with_evaluation = false;
};

/// Figures that are printed so coarsely give a note, and are not compared with others.
inline constexpr double coarse_share = 0.025;

/// Adds a sentence each.
void note_steps(const ChosenSteps& chosen, const SteadySteps& steady, std::vector<std::string>& notes);
void note_what_was_left_out(const TrainingLog& log, const ChosenSteps& chosen, const RunShape& shape,
                            std::vector<std::string>& notes);
/// That a bar may count parts of steps, where the log does not say that it counts steps.
void note_what_bars_count(const TrainingLog& log, const ChosenSteps& chosen, std::vector<std::string>& notes);
/// What its figures are means of, how coarse they are, whether an evaluation is in them.
void note_figures(const ChosenSteps& chosen, std::vector<std::string>& notes);
void note_ranks(const TrainingLog& log, const ChosenSteps& chosen, const RunShape& shape,
                std::vector<std::string>& notes);
/// What neither the log nor the command line says of the record, and what the command line says against the log.
void note_what_was_assumed(const TrainingLog& log, const ImportContext& stated, const RateCells& cells,
                           std::vector<std::string>& notes);

/// "400 ms a step of 512 samples on 8 GPUs".
std::string step_text(const RunShape& shape, double step_s);

} // namespace ddlsim
