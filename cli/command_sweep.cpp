#include "cli/command.hpp"
#include "cli/config_model.hpp"
#include "cli/task_runner.hpp"
#include "sim/base/error.hpp"
#include "sim/base/threads.hpp"
#include "sim/formats/check.hpp"
#include "sim/predict/report.hpp"
#include "viewer/answers/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

std::string name_of(const SweepCase& one) {
  const auto file = one.scenario.stem().string();
  return one.variant.empty() ? file : file + " " + one.variant;
}

/// The format of a worker's message. Its first character is a mark. After `answered` come the length of the part for
/// the page, that part, the prediction's warnings with an end after each, and the report. After the other mark comes an
/// error.
constexpr char answered = 'A';
constexpr char refused = 'R';
constexpr char end_of_length = ':';
constexpr char end_of_warning = '\f';

bool has_picture(const PredictCommand& command) {
  return !command.picture.html.empty() || !command.picture.svg.empty();
}

std::string report_of(const SweepCase& one, const PredictCommand& command, const CommandLine& line,
                      const PredictOptions& options) {
  auto prediction = predict_scenario(one, command, line, options);
  prediction.scenario.name = name_of(one);
  const auto page = !has_picture(command) ? "" : swept_part(prediction_picture(prediction));
  std::string text = fmt::format("{}{}{}", page.size(), end_of_length, page);
  for (const auto& warning : prediction.warnings) text += warning + end_of_warning;
  if (line.json) return text + to_json_text(prediction);
  return text + (command.csv ? csv_rows(prediction) : sweep_rows(prediction));
}

/// Removes the part for the page from the front of a worker's message and returns it.
std::string take_page_part(std::string& text) {
  const auto end = std::min(text.find(end_of_length), text.size() - 1);
  auto page = text.substr(end + 1, std::strtoul(text.c_str(), nullptr, 10));
  text.erase(0, end + 1 + page.size());
  return page;
}

/// Removes the warnings from the front of a report, and remembers new ones.
std::string without_warnings(const std::string& text, std::set<std::string>& warnings) {
  std::size_t begin = 0;
  for (auto end = text.find(end_of_warning); end != std::string::npos; end = text.find(end_of_warning, begin)) {
    warnings.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return text.substr(begin);
}

std::string work_on(const SweepCase& one, const PredictCommand& command, const CommandLine& line,
                    const PredictOptions& options) {
  try {
    return answered + report_of(one, command, line, options);
  } catch (const UserError& error) {
    std::string words;
    for (const auto& mistake : error.mistakes()) words += (words.empty() ? "" : "; ") + to_text(mistake);
    return refused + words;
  }
}

/// Reads the measured times once, before workers are forked. Mistakes in a file are reported by the scenarios that need
/// it.
std::optional<MeasuredTimes> measured_for_all(const CommandLine& line) {
  try {
    return read_measured_times(DataFolder{line.data_folder});
  } catch (const UserError&) {
    return {};
  }
}

std::string error_report(const std::string& name, const std::string& error, const PredictCommand& command,
                         const CommandLine& line) {
  if (line.json) return to_json_error(name, error);
  return command.csv ? csv_error_row(name, error) : sweep_error_row(name, error);
}

std::string whole_report(const std::vector<std::string>& parts, const PredictCommand& command,
                         const CommandLine& line) {
  if (line.json) return to_json_list(parts);
  std::string rows;
  for (const auto& part : parts) rows += part;
  return command.csv ? csv_header() + rows : sweep_table(rows, command.details);
}

/// Returns the names of what the command line varies: the file, if there are several, and each axis by its path without
/// the first slash.
std::vector<std::string> names_of_axes(const PredictCommand& command) {
  std::vector<std::string> names;
  if (command.scenarios.size() > 1) names.push_back("scenario");
  for (const auto& axis : command.axes) names.push_back(axis.path.substr(axis.path.starts_with('/') ? 1 : 0));
  return names;
}

SweptPicture page_part_of(const SweepCase& one, const PredictCommand& command) {
  SweptPicture part;
  part.name = command.scenarios.size() > 1 || one.variant.empty() ? name_of(one) : one.variant;
  if (command.scenarios.size() > 1) part.values.push_back(one.scenario.string());
  for (std::size_t i = command.changes.size(); i < one.changes.size(); ++i) part.values.push_back(one.changes[i].value);
  return part;
}

/// Fits the clusters before the workers start, because nobody sees a worker's progress lines. The row of a case reports
/// its errors.
void fit_clusters(const std::vector<SweepCase>& cases, long sequence, const CommandLine& line) {
  std::set<std::pair<std::string, std::filesystem::path>> seen;
  for (const auto& one : cases) {
    try {
      const auto scenario = read_asked_scenario(one.scenario, one.changes, sequence, line);
      if (seen.emplace(scenario.cluster, scenario.cluster_folder).second)
        load_calibration(data_for(line, scenario), scenario.cluster);
    } catch (const UserError&) {
    }
  }
}

} // namespace

bool is_sweep(const PredictCommand& command) {
  return command.scenarios.size() > 1 || !command.axes.empty();
}

std::vector<SweepCase> sweep_cases(const PredictCommand& command) {
  std::vector<SweepCase> cases;
  for (const auto& file : command.scenarios) cases.push_back({file, command.changes, ""});
  for (const auto& axis : command.axes) {
    std::vector<SweepCase> more;
    for (const auto& one : cases) {
      for (const auto& value : axis.values) {
        more.push_back(one);
        more.back().changes.push_back({axis.path, value});
        more.back().variant += (one.variant.empty() ? "" : " ") + axis.path + "=" + value;
      }
    }
    cases = std::move(more);
  }
  return cases;
}

int run_sweep(const PredictCommand& command, const CommandLine& line) {
  const auto cases = sweep_cases(command);
  fit_clusters(cases, command.sequence, line);
  const auto measured = measured_for_all(line);
  const PredictOptions options{
      command.fidelity, {}, measured ? &*measured : nullptr, {}, threads_of_each(line.threads, cases.size())};
  const auto results = task_runner(line, "questions")(
      all_tasks(cases.size()),
      [&](int task) { return work_on(cases[static_cast<std::size_t>(task)], command, line, options); }, {});
  std::vector<std::string> parts;
  std::vector<SweptPicture> pages;
  std::set<std::string> warnings;
  bool one_could = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& [bytes, error] = results[i];
    const bool could = error.empty() && bytes.starts_with(answered);
    one_could = one_could || could;
    std::string words = error.empty() ? bytes.substr(std::min<std::size_t>(1, bytes.size())) : error;
    pages.push_back(page_part_of(cases[i], command));
    if (could) {
      const auto page = take_page_part(words);
      if (!page.empty()) read_swept_part(page, pages.back());
    } else {
      pages.back().error = words;
    }
    parts.push_back(could ? without_warnings(words, warnings) : error_report(name_of(cases[i]), words, command, line));
  }
  for (const auto& warning : warnings) narrate(line, warning);
  if (has_picture(command)) {
    const Sweep sweep{names_of_axes(command), pages};
    write_page(line, command.picture.html, [&] { return sweep_html(sweep); });
    write_page(line, command.picture.svg, [&] { return sweep_svg(sweep); });
  }
  emit(line, whole_report(parts, command, line));
  return one_could ? 0 : 1;
}

} // namespace ddlsim
