#include "import/progress_bars.hpp"

#include "import/phrase_finder.hpp"
#include "import/plain_text.hpp"
#include "sim/base/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ddlsim {
namespace {

/// number of titles and lengths after which further bars are not those of training
constexpr std::size_t most_loops = 64;
constexpr std::size_t longest_title = 200;
constexpr std::size_t none = std::string_view::npos;
constexpr const char* title_of_keras = "keras";

/// Returns where the bar begins. tqdm prints "%|", or "12it [" if the total is unknown. Lightning's other bar is a row
/// of heavy lines.
std::size_t bar_begin(std::string_view line) {
  constexpr std::string_view count = "it ";
  const auto bracket = line.find('[');
  const bool is_count = bracket != none && bracket > count.size() && line.substr(0, bracket).ends_with(count) &&
                        is_digit(line[bracket - count.size() - 1]);
  return std::min({line.find("%|"), line.find("\u2501"), is_count ? bracket : none});
}

std::string title_of(std::string_view line, std::size_t bar) {
  std::string title;
  for (const char letter : trim(line.substr(0, std::min(bar, longest_title))))
    if (!is_digit(letter) && letter != '/') title += letter;
  return lower_case(trim(title));
}

bool is_of_other_work(const std::string& title) {
  constexpr std::array<std::string_view, 17> others{"valid",   "sanity", "test",    "predict", "eval",   "download",
                                                    "map",     "load",   "token",   "shard",   "filter", "fetch",
                                                    "extract", "infer",  "generat", "saving",  "upload"};
  const bool is_training = title.find("train") != none && title.find("trained") == none;
  return !is_training &&
         std::any_of(others.begin(), others.end(), [&](std::string_view other) { return title.find(other) != none; });
}

/// A unit in which bars print a rate or a time.
struct BarUnit {
  std::string_view unit;
  double in_si = 1; ///< value of the unit in seconds, or in steps per second
  bool is_rate = false;
  bool of_sample = false;
};

constexpr BarUnit units_of_tqdm[] = {{"it/s", 1, true},
                                     {"batch/s", 1, true},
                                     {"batches/s", 1, true},
                                     {"step/s", 1, true},
                                     {"steps/s", 1, true},
                                     {"ba/s", 1, true},
                                     {"s/it"},
                                     {"s/batch"},
                                     {"s/step"},
                                     {"s/ba"}};
constexpr BarUnit units_of_keras[] = {{"us/step", 1e-6},
                                      {"ms/step", 1e-3},
                                      {"s/step"},
                                      {"us/sample", 1e-6, false, true},
                                      {"ms/sample", 1e-3, false, true},
                                      {"s/sample", 1, false, true}};

/// Reads the seconds of a step, by the first of the units that follows a number.
template <std::size_t count> bool read_step(std::string_view line, const BarUnit (&units)[count], BarState& state) {
  for (const auto& one : units) {
    const auto at = line.find(one.unit);
    const auto number = at == none ? std::nullopt : printed_before(line, at);
    if (!number || number->value <= 0) continue;
    const double value = one.is_rate ? 1 / number->value : number->value * one.in_si;
    state.step_s = {value, value * number->half_step / number->value};
    state.counts_samples = one.of_sample;
    return std::isfinite(value) && value > 0;
  }
  return false;
}

std::size_t skip_digits(std::string_view line, std::size_t at) {
  while (at < line.size() && is_digit(line[at])) ++at;
  return at;
}

/// Returns the end of a pair like "195/195" whose slash is at `slash`; npos if it is no such pair.
std::size_t end_of_counts(std::string_view line, std::size_t slash) {
  const bool has_both = slash > 0 && slash + 1 < line.size() && is_digit(line[slash - 1]) && is_digit(line[slash + 1]);
  return has_both ? skip_digits(line, slash + 1) : none;
}

/// Reads the counts after the bar, such as "469/938".
void read_counts(std::string_view line, std::size_t bar, BarState& state) {
  auto slash = line.find('/', bar);
  while (slash != none && end_of_counts(line, slash) == none) slash = line.find('/', slash + 1);
  if (slash == none) return;
  state.done = number_ending_at(line, slash).value_or(0);
  state.total = number_at(line, slash + 1).value_or(0);
}

/// Reads bars of Keras: "195/195 [=====] - 12s 61ms/step - loss: 0.3", "195/195 - 12s - 61ms/step", "195/195 <heavy
/// lines> 12s 61ms/step".
std::optional<BarState> bar_of_keras(std::string_view line) {
  for (auto slash = line.find('/'); slash != none; slash = line.find('/', slash + 1)) {
    const auto end = end_of_counts(line, slash);
    if (end == none) continue;
    const auto rest = line.substr(end);
    BarState state;
    if (!rest.starts_with(" [") && !rest.starts_with(" - ") && !rest.starts_with(" \u2501")) continue;
    if (!read_step(rest, units_of_keras, state)) return std::nullopt;
    state.title = title_of_keras;
    state.with_evaluation = line.find("val_") != none;
    state.done = number_ending_at(line, slash).value_or(0);
    state.total = number_at(line, slash + 1).value_or(0);
    return state;
  }
  return std::nullopt;
}

double spent_s(const BarLoop& loop) {
  const auto& series = loop.steps_s.empty() ? loop.with_evaluation : loop.steps_s;
  return loop.steps * median(series.kept());
}

/// Whether the line ends with a text like "Epoch 1/5".
bool opens_an_epoch(std::string_view line) {
  if (line.size() > longest_title) return false;
  const auto begin = line.rfind("Epoch ");
  if (begin == none) return false;
  const auto slash = line.find('/', begin);
  return slash != none && end_of_counts(line, slash) == trim(line).size() + line.find_first_not_of(" \t");
}

} // namespace

std::optional<BarState> bar_in(std::string_view line) {
  if (const auto keras = bar_of_keras(line)) return keras;
  const auto bar = bar_begin(line);
  BarState state;
  if (bar == none || !read_step(line, units_of_tqdm, state)) return std::nullopt;
  state.title = title_of(line, bar);
  read_counts(line, bar, state);
  return state;
}

BarLoop* ProgressBars::loop_of(const BarState& state, int number) {
  const auto is_same = [&](const BarLoop& one) { return one.title == state.title && one.total == state.total; };
  auto loop = std::find_if(loops_.begin(), loops_.end(), is_same);
  if (loop != loops_.end()) return &*loop;
  if (loops_.size() == most_loops) return nullptr;
  BarLoop added;
  added.title = state.title;
  added.total = state.total;
  added.first_line = number;
  added.counts_samples = state.counts_samples;
  loops_.push_back(added);
  return &loops_.back();
}

bool ProgressBars::take(std::string_view line, int number) {
  const auto state = bar_in(line);
  if (!state) {
    epoch_opens_ = epoch_opens_ || opens_an_epoch(line);
    return false;
  }
  if (is_of_other_work(state->title)) {
    ++of_other_work_;
    return true;
  }
  auto* loop = loop_of(*state, number);
  if (loop == nullptr) return true;
  const auto index = static_cast<std::size_t>(loop - loops_.data());
  loop->goes_on = loop->goes_on || (index != last_loop_ && loop->last_done > 0 && state->done > loop->last_done);
  loop->opens_epoch = loop->opens_epoch || (epoch_opens_ && state->title == title_of_keras);
  epoch_opens_ = false;
  last_loop_ = index;
  loop->steps += state->done >= loop->last_done ? state->done - loop->last_done : state->done;
  loop->last_done = state->done;
  (state->with_evaluation ? loop->with_evaluation : loop->steps_s).add(state->step_s);
  return true;
}

const BarLoop* ProgressBars::training(double steps) const {
  const auto rank_of = [&](const BarLoop& loop) {
    if (steps > 0 && loop.total == steps) return 3;
    if (loop.opens_epoch) return 2;
    return loop.goes_on ? 1 : 0;
  };
  const auto comes_later = [&](const BarLoop& a, const BarLoop& b) {
    return rank_of(a) != rank_of(b) ? rank_of(a) < rank_of(b) : spent_s(a) < spent_s(b);
  };
  const auto found = std::max_element(loops_.begin(), loops_.end(), comes_later);
  return found == loops_.end() ? nullptr : &*found;
}

} // namespace ddlsim
