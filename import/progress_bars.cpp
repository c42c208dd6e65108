#include "import/progress_bars.hpp"

#include "import/phrase_finder.hpp"
#include "import/plain_text.hpp"
#include "sim/base/statistics.hpp"

#include <algorithm>
#include <array>

namespace ddlsim {
namespace {

constexpr std::size_t most_loops = 64; ///< beyond so many titles and lengths a bar is none of training's
constexpr std::size_t longest_title = 200;

/// tqdm's bar has "%|", Lightning's other one a row of heavy lines.
std::size_t bar_begin(std::string_view line) {
  return std::min(line.find("%|"), line.find("\u2501"));
}

std::string title_of(std::string_view line, std::size_t bar) {
  std::string title;
  for (const char letter : trim(line.substr(0, std::min(bar, longest_title))))
    if (!is_digit(letter) && letter != '/') title += letter;
  return lower_case(title);
}

bool is_of_other_work(const std::string& title) {
  constexpr std::array<std::string_view, 13> others{"valid", "sanity", "test",  "predict", "eval",  "download", "map",
                                                    "load",  "token",  "shard", "filter",  "fetch", "extract"};
  return std::any_of(others.begin(), others.end(),
                     [&](std::string_view other) { return title.find(other) != std::string::npos; });
}

/// Seconds of a step, by whichever of the rates the bar has.
std::optional<double> bar_step_s(std::string_view line) {
  constexpr std::array<std::string_view, 3> rates{"it/s", "batch/s", "step/s"};
  constexpr std::array<std::string_view, 3> times{"s/it", "s/batch", "s/step"};
  for (const auto unit : rates)
    if (const auto at = line.find(unit); at != std::string_view::npos)
      if (const auto rate = number_ending_at(line, at); rate && *rate > 0) return 1 / *rate;
  for (const auto unit : times)
    if (const auto at = line.find(unit); at != std::string_view::npos)
      if (const auto time_s = number_ending_at(line, at); time_s && *time_s > 0) return time_s;
  return std::nullopt;
}

/// "469/938" behind the bar.
void read_counts(std::string_view line, std::size_t bar, BarState& state) {
  auto slash = line.find('/', bar);
  while (slash != std::string_view::npos && slash + 1 < line.size() &&
         (!is_digit(line[slash - 1]) || !is_digit(line[slash + 1])))
    slash = line.find('/', slash + 1);
  if (slash == std::string_view::npos || slash + 1 >= line.size()) return;
  state.done = number_ending_at(line, slash).value_or(0);
  state.total = number_at(line, slash + 1).value_or(0);
}

double spent_s(const BarLoop& loop) {
  return loop.steps * median(loop.steps_s.kept());
}

} // namespace

std::optional<BarState> bar_in(std::string_view line) {
  const auto bar = bar_begin(line);
  if (bar == std::string_view::npos) return std::nullopt;
  const auto step_s = bar_step_s(line);
  if (!step_s) return std::nullopt;
  BarState state;
  state.title = title_of(line, bar);
  state.step_s = *step_s;
  read_counts(line, bar, state);
  return state;
}

bool ProgressBars::take(std::string_view line, int number) {
  const auto state = bar_in(line);
  if (!state) return false;
  if (is_of_other_work(state->title)) {
    ++of_other_work_;
    return true;
  }
  auto loop = std::find_if(loops_.begin(), loops_.end(),
                           [&](const BarLoop& one) { return one.title == state->title && one.total == state->total; });
  if (loop == loops_.end()) {
    if (loops_.size() == most_loops) return true;
    loops_.push_back({state->title, state->total, 0, 0, {}, number});
    loop = loops_.end() - 1;
  }
  loop->steps += state->done >= loop->last_done ? state->done - loop->last_done : state->done;
  loop->last_done = state->done;
  loop->steps_s.add(state->step_s);
  return true;
}

const BarLoop* ProgressBars::training() const {
  const auto longest = std::max_element(loops_.begin(), loops_.end(),
                                        [](const BarLoop& a, const BarLoop& b) { return spent_s(a) < spent_s(b); });
  return longest == loops_.end() ? nullptr : &*longest;
}

} // namespace ddlsim
