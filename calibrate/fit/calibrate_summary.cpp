#include "calibrate/data/data_checks.hpp"
#include "calibrate/fit/calibrate.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"
#include "sim/formats/parameter_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace ddlsim {
namespace {

using Lines = std::vector<std::string>;

/// lines of the summary; the command adds one with the file's name
constexpr std::size_t summary_lines = screen_lines - 1;
constexpr std::size_t most_contradictions = 2;
constexpr std::size_t lines_each = 2; ///< most lines of a sentence
/// residual of ln time; fits leave 3 to 6 % for a published series, and a tenth at most
constexpr double far_off = 0.2;

/// Wraps the text to at most `most` lines of the screen's width. A text that does not fit ends in "...".
Lines wrapped(const std::string& text, std::size_t most, std::size_t columns = screen_columns) {
  std::istringstream all(to_lines(text, columns));
  Lines lines;
  for (std::string line; std::getline(all, line);) lines.push_back(cut_in_the_middle(line, columns));
  if (lines.size() <= most) return lines;
  lines.resize(most);
  auto& last = lines.back();
  constexpr std::string_view dots = " ...";
  if (last.size() + dots.size() > columns) last.resize(last.rfind(' ', columns - dots.size()));
  last += dots;
  return lines;
}

/// One entry of a list.
Lines item(const std::string& text) {
  return wrapped("- " + text, lines_each);
}

void append(Lines& all, const Lines& more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::string plural(std::size_t count, const std::string& one, const std::string& several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

Lines fit_lines(const Calibration& calibration) {
  const auto& quality = calibration.quality;
  const auto& series = calibration.series;
  const auto borrowed = static_cast<std::size_t>(
      std::count_if(series.begin(), series.end(), [](const CalibratedSeries& one) { return one.borrowed; }));
  Lines lines{fmt::format("{}: learnt from {} in {} series{}", calibration.cluster,
                          plural(static_cast<std::size_t>(quality.points), "measured point", "measured points"),
                          series.size(), borrowed > 0 ? fmt::format(", {} of them of other clusters", borrowed) : "")};
  if (quality.points == 0) {
    lines.emplace_back("No time on several GPUs is known: one GPU's times are used as they are.");
    return lines;
  }
  std::string fit = fmt::format("Fit: simulated and measured times are {:.1f} % apart", 100 * quality.fit_error);
  if (quality.leave_one_out_points > 0)
    fit += fmt::format("; of a series that the fit did not see {:.1f} %", 100 * quality.leave_one_out_error);
  if (quality.unmeasured_models > 0)
    fit += fmt::format("; of a model that it did not see {:.1f} %", 100 * quality.unmeasured_model_error);
  append(lines, wrapped(fit + " (in the mean).", lines_each));
  return lines;
}

/// How much the measurements say about a parameter: the Kullback-Leibler divergence of its posterior from its prior, in
/// nats.
double information_of(const CalibratedParameter& one) {
  const double variance = one.error * one.error;
  return 0.5 * (variance + one.z_score * one.z_score - 1 - std::log(variance));
}

/// A scope in short form. What distinguishes scopes comes first, because a cell is cut at its end.
std::string short_scope(const CalibrationScope& scope) {
  std::string text;
  const auto batch = scope.batch_per_gpu > 0 ? fmt::format(" x{:g}", scope.batch_per_gpu) : "";
  for (const auto& word : {scope.preset, scope.model.empty() ? "" : scope.model + batch, scope.transport,
                           scope.precision ? to_text(*scope.precision) : ""})
    if (!word.empty()) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "" : " (" + text + ")";
}

Lines row_of(const CalibratedParameter& one) {
  constexpr std::size_t name_columns = 40;
  const auto at = [&](double z_score) { return prior_value(one.prior, z_score); };
  const double reach = upper_95 * one.error;
  return {
      cut_in_the_middle(parameter_words(one.name) + short_scope(one.scope), name_columns),
      parameter_interval(one.name, one.prior.unit, at(one.z_score), at(one.z_score - reach), at(one.z_score + reach)),
      fmt::format("{}", one.points), fmt::format("{:+.1f}", one.z_score)};
}

/// As many lines on identified parameters as there is room for, the most informative first.
Lines fitted_lines(const Calibration& calibration, std::size_t room) {
  std::vector<const CalibratedParameter*> identified;
  for (const auto& one : calibration.parameters)
    if (one.identified) identified.push_back(&one);
  std::stable_sort(identified.begin(), identified.end(),
                   [](const auto* a, const auto* b) { return information_of(*a) > information_of(*b); });
  if (identified.empty()) return {"Nothing was learnt: the measurements narrow no parameter."};
  constexpr std::size_t around = 3; // this line, the table's header and the last line
  const std::size_t shown = std::min(identified.size(), room - around);
  std::vector<Lines> rows;
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(row_of(*identified[i]));
  Lines lines{fmt::format("Learnt, {} of {} parameters{}:", identified.size(), calibration.parameters.size(),
                          shown < identified.size() ? fmt::format(", here the {} that changed most", shown) : "")};
  std::istringstream table(
      to_table({{"what (where)", Align::left}, {"value (90 % interval)", Align::left}, {"points"}, {"off"}}, rows));
  for (std::string line; std::getline(table, line);) lines.push_back(line);
  lines.push_back("off: distance from what other clusters suggest, in standard deviations");
  return lines;
}

bool is_not_simulated(const Excluded& one) {
  return one.why.starts_with(not_simulated);
}

bool is_without_preset(const Excluded& one) {
  return one.why.starts_with(no_preset_of_it);
}

bool is_suspect(const Excluded& one) {
  return one.why.find(marked_by_source) != std::string::npos;
}

/// The name of a series "cluster/file/name", with its cluster only if that is another one.
std::string short_name(const std::string& id, const std::string& cluster) {
  const auto last = id.rfind('/');
  if (last == std::string::npos) return id;
  const auto name = id.substr(last + 1);
  return id.starts_with(cluster + "/") ? name : fmt::format("{} of {}", name, id.substr(0, id.find('/')));
}

/// The contradictions that were found: first the notes of the checks, then the series that the fit does not explain.
std::vector<std::string> contradictions(const Calibration& calibration) {
  std::vector<std::string> found;
  for (const auto& one : calibration.excluded)
    if (!is_not_simulated(one) && !is_suspect(one) && !is_without_preset(one))
      found.push_back(fmt::format("{}: {}", short_name(one.what, calibration.cluster), one.why));
  std::vector<std::pair<double, std::string>> far;
  for (const auto& series : calibration.series) {
    const auto off = error_of_series(series);
    if (off.worst < far_off) continue;
    far.emplace_back(off.worst, fmt::format("{}: up to {:.0f} % off the fit",
                                            short_name(series.id, calibration.cluster), 100 * off.worst));
  }
  std::stable_sort(far.begin(), far.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& one : far) found.push_back(one.second);
  return found;
}

Lines contradiction_lines(const Calibration& calibration) {
  const auto& excluded = calibration.excluded;
  const auto left_out = static_cast<std::size_t>(std::count_if(excluded.begin(), excluded.end(), is_not_simulated));
  const auto unnamed = static_cast<std::size_t>(std::count_if(excluded.begin(), excluded.end(), is_without_preset));
  const auto suspect = static_cast<std::size_t>(std::count_if(excluded.begin(), excluded.end(), is_suspect));
  const auto found = contradictions(calibration);
  std::string title =
      found.empty()
          ? "No measurement contradicts the others"
          : fmt::format("{} the others{}", plural(found.size(), "measurement contradicts", "measurements contradict"),
                        found.size() > most_contradictions ? ", the first two below" : "");
  if (left_out > 0) title += fmt::format("; {} cannot be simulated", left_out);
  if (unnamed > 0) title += fmt::format("; {} of a framework without a preset", unnamed);
  if (suspect > 0) title += fmt::format("; {} marked unreliable by their source", suspect);
  Lines lines = wrapped(title + (found.empty() ? "." : ":"), lines_each);
  for (std::size_t i = 0; i < std::min(most_contradictions, found.size()); ++i) append(lines, item(found[i]));
  return lines;
}

Lines next_lines(const std::vector<NextMeasurement>& all) {
  if (all.empty()) return {"Measure next: no single run would narrow a prediction by 1 % or more."};
  const auto& first = all.front();
  return wrapped(fmt::format("Measure next: {}: +-{:.0f} % instead of +-{:.0f} % for {}", first.run, 100 * first.then,
                             100 * first.now, first.predicted),
                 lines_each + 1);
}

} // namespace

std::string calibration_summary(const Calibrated& calibrated) {
  const auto& calibration = calibrated.calibration;
  Lines lines = fit_lines(calibration);
  lines.emplace_back();
  Lines rest{""};
  append(rest, contradiction_lines(calibration));
  append(rest, next_lines(calibrated.next));
  rest.emplace_back("All parameters, series, notes and tables: --details");
  append(lines, fitted_lines(calibration, summary_lines - lines.size() - rest.size()));
  append(lines, rest);
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

} // namespace ddlsim
