#pragma once
// A training's log, read line by line: the step lines of each form, the progress bars, and the facts of the run.

#include "import/log_source.hpp"
#include "import/progress_bars.hpp"
#include "import/run_facts.hpp"
#include "import/step_forms.hpp"
#include "import/step_series.hpp"

#include <set>
#include <vector>

namespace ddlsim {

/// The step lines of one form.
struct FormSeries {
  StepSeries figures; ///< in the form's unit, in SI units
  int first_line = 0;
  int rank = -1;       ///< the rank whose lines are kept: the first that printed one; -1: not stated
  int other_ranks = 0; ///< lines of other ranks in this form, which were left out
};

struct TrainingLog {
  RunFacts facts;
  int kept_from = 0; ///< line from which on steps were kept because the run's size changed there; 0: all were
  std::vector<FormSeries> series; ///< one for each of step_forms()
  ProgressBars bars;
  std::set<int> ranks; ///< named by the launcher, of processes that print step lines
};

/// Reads the whole source; only a part of it is in memory at a time. The figures of several runs in one log are taken
/// together.
TrainingLog read_training_log(LogSource& source);

} // namespace ddlsim
