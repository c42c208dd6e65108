#pragma once
// Progress bars of tqdm, Lightning and Keras. They show how far a loop has come and how fast it runs. One of the loops
// may be training.

#include "import/step_series.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// A bar as one line prints it.
struct BarState {
  std::string title; ///< text before the bar without digits, as in "epoch :"; "keras" for a bar of Keras
  double done = 0;   ///< number of steps done, of `total`
  double total = 0;  ///< number of steps of the loop; 0: not stated
  PrintedNumber step_s;
  bool counts_samples = false; ///< whether the bar counts samples and not steps
  /// whether the bar is the last state of an epoch in Keras, whose time includes the evaluation
  bool with_evaluation = false;
};

/// Returns the bar of a line such as "Epoch 0:  50%|#### | 469/938 [00:06<00:06, 75.0it/s]"; nothing if the line has no
/// bar, or the bar has no rate yet.
std::optional<BarState> bar_in(std::string_view line);

/// The bars of one loop.
struct BarLoop {
  std::string title;
  double total = 0;
  int first_line = 0;
  bool counts_samples = false;
  double last_done = 0;
  double steps = 0;     ///< number of steps that its bars counted in all runs of the loop
  bool goes_on = false; ///< whether the loop continued after another loop's bar, so that the other loop ran inside it
  bool opens_epoch = false; ///< whether the loop was the first after a line "Epoch 1/5"
  StepSeries steps_s;
  StepSeries with_evaluation;

  bool is_of_keras() const { return title == "keras"; }
};

/// All bars of a log.
class ProgressBars {
public:
  /// Reads the line. Returns whether it is a bar.
  bool take(std::string_view line, int number);

  /// Returns the loop of training; null if there is none. Loops whose title names other work are left out. It takes the
  /// loop of `steps` steps (0: not known), else one that opens an epoch, else one inside which others ran, else any. Of
  /// several it takes the one that took most time.
  const BarLoop* training(double steps) const;

  const std::vector<BarLoop>& loops() const { return loops_; }
  int of_other_work() const { return of_other_work_; } ///< number of states whose title names other work

private:
  BarLoop* loop_of(const BarState& state, int number);

  std::vector<BarLoop> loops_;
  std::size_t last_loop_ = 0;
  bool epoch_opens_ = false;
  int of_other_work_ = 0;
};

} // namespace ddlsim
