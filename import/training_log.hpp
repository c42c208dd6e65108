#pragma once
// The log of a training, read line by line: the step lines of each form, the progress bars, and the facts of the run.

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
  StepSeries figures; ///< figures in the form's unit, in SI units
  int first_line = 0;
  int rank = -1;       ///< rank whose lines are kept, the first that printed one; -1: not stated
  int other_ranks = 0; ///< number of lines of other ranks in this form, which were left out
};

struct TrainingLog {
  RunFacts facts;
  int kept_from = 0; ///< line from which on steps are kept, because the size of the run changed there; 0: all are kept
  std::vector<FormSeries> series; ///< a series for each of step_forms()
  ProgressBars bars;
  std::set<int> ranks; ///< ranks of processes that print step lines, as the launcher names them
};

/// Reads the whole source, of which only a part is in memory at a time. The figures of several runs in one log are
/// taken together.
TrainingLog read_training_log(LogSource& source);

} // namespace ddlsim
