#pragma once
// A training's log, read line by line: its step lines by form, its bars, and what it says of the run.

#include "import/log_source.hpp"
#include "import/progress_bars.hpp"
#include "import/run_facts.hpp"
#include "import/step_forms.hpp"
#include "import/step_series.hpp"

#include <set>
#include <vector>

namespace ddlsim {

/// The lines of one form.
struct FormSeries {
  StepSeries figures; ///< as the lines say them, in the form's unit and SI
  int first_line = 0;
  int rank = -1;       ///< whose lines are kept: the first that printed one; -1: the log does not say
  int other_ranks = 0; ///< lines of the form that other ranks printed too, and which were left out
};

struct TrainingLog {
  RunFacts facts;
  int kept_from = 0; ///< line from which on steps were kept, as another size of the run stood there; 0: all were
  std::vector<FormSeries> series; ///< one for each of step_forms()
  ProgressBars bars;
  std::set<int> ranks; ///< that the launcher names, of those that print step lines
};

/// All of the source, in memory for a part of it. Of several runs in one log the figures are taken together.
TrainingLog read_training_log(LogSource& source);

} // namespace ddlsim
