#pragma once
// Progress bars of tqdm and Lightning, which say how far a loop is and how fast: training's among others.

#include "import/step_series.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// A bar as it stands in one line.
struct BarState {
  std::string title; ///< before the bar, without digits: "Epoch : "
  double done = 0;   ///< of `total`
  double total = 0;  ///< 0: not stated
  double step_s = 0;
};

/// "Epoch 0:  50%|#### | 469/938 [00:06<00:06, 75.0it/s]"; nothing where the line is no bar, or its bar has no rate yet.
std::optional<BarState> bar_in(std::string_view line);

/// The states of one loop's bars.
struct BarLoop {
  std::string title;
  double total = 0;
  double last_done = 0;
  double steps = 0; ///< that its bars counted, each time the loop ran
  StepSeries steps_s;
  int first_line = 0;
};

/// All bars of a log.
class ProgressBars {
public:
  /// Takes the line if it is a bar; whether it is one.
  bool take(std::string_view line, int number);

  /// Training's loop: of those whose title says no other work, the one that took most time. Null where there is none.
  const BarLoop* training() const;

  const std::vector<BarLoop>& loops() const { return loops_; }
  int of_other_work() const { return of_other_work_; } ///< states whose title says so

private:
  std::vector<BarLoop> loops_;
  int of_other_work_ = 0;
};

} // namespace ddlsim
