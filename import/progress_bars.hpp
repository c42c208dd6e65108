#pragma once
// Progress bars of tqdm, Lightning and Keras, which say how far a loop is and how fast: training's among others.

#include "import/step_series.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// A bar as it stands in one line.
struct BarState {
  std::string title; ///< before the bar, without digits: "epoch :"; "keras" for one of Keras
  double done = 0;   ///< of `total`
  double total = 0;  ///< 0: not stated
  PrintedNumber step_s;
  bool counts_samples = false;  ///< in place of steps
  bool with_evaluation = false; ///< an epoch's last state of Keras: its time has the evaluation in it
};

/// "Epoch 0:  50%|#### | 469/938 [00:06<00:06, 75.0it/s]"; nothing where the line is no bar, or its bar has no rate yet.
std::optional<BarState> bar_in(std::string_view line);

/// The states of one loop's bars.
struct BarLoop {
  std::string title;
  double total = 0;
  int first_line = 0;
  bool counts_samples = false;
  double last_done = 0;
  double steps = 0;         ///< that its bars counted, each time the loop ran
  bool goes_on = false;     ///< went on where it was, after another loop's bar: the other ran inside it
  bool opens_epoch = false; ///< stood first behind a line "Epoch 1/5"
  StepSeries steps_s;
  StepSeries with_evaluation;

  bool is_of_keras() const { return title == "keras"; }
};

/// All bars of a log.
class ProgressBars {
public:
  /// Takes the line if it is a bar; whether it is one.
  bool take(std::string_view line, int number);

  /// Training's loop, null where there is none: of those whose title says no other work that of `steps` steps (0: not
  /// known); else one that opens an epoch, else one inside which others ran, else any; of several the one that took
  /// most time.
  const BarLoop* training(double steps) const;

  const std::vector<BarLoop>& loops() const { return loops_; }
  int of_other_work() const { return of_other_work_; } ///< states whose title says so

private:
  BarLoop* loop_of(const BarState& state, int number);

  std::vector<BarLoop> loops_;
  std::size_t last_loop_ = 0;
  bool epoch_opens_ = false;
  int of_other_work_ = 0;
};

} // namespace ddlsim
