#include "validate/answers.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "validate/score.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace ddlsim {
namespace {

/// Some parts of one split, by their positions.
struct SplitPartList {
  std::size_t split = 0;
  std::vector<std::size_t> parts;
};

/// The work of one process.
struct Task {
  std::vector<SplitPartList> splits;
  std::vector<Method*> methods;
};

std::vector<Series> visible_series_of(const std::vector<Series>& series, const Split& split) {
  std::vector<Series> visible = series;
  const auto any_hidden = [&](const std::vector<RecordIndex>& records) {
    return std::any_of(records.begin(), records.end(),
                       [&](RecordIndex record) { return !split.visible_records[record]; });
  };
  for (auto& one : visible) {
    std::erase_if(one.points, [&](const SeriesPoint& point) { return any_hidden(point.records); });
    if (!any_hidden(one.one_gpu_records)) continue;
    one.one_gpu_s.reset();
    one.one_gpu_records.clear();
  }
  return visible;
}

Question question_of(const Series& known, const SeriesPoint& at) {
  return {known, at.gpus, at.nodes, at.gpus_per_node, at.strategy};
}

/// Whether large errors of the split are explained, as in T1, T2 and T3 only.
bool is_explained(const Split& split) {
  return split.left_out.empty() && split.masked_priors != MaskedPriors::none && !is_new_site(split.name);
}

bool ask_same_points(const SplitPart& a, const SplitPart& b) {
  return a.series == b.series && a.targets == b.targets;
}

/// The split to run. T1 to T3 have the same visible records and targets as new-T1 to new-T3; only their means differ.
/// So one split is run for both: the one whose large errors are explained. Other splits are run themselves.
std::size_t split_to_run(const std::vector<Split>& splits, std::size_t at) {
  const auto& own = splits[at];
  if (!is_new_site(own.name)) return at;
  const auto found = std::find_if(splits.begin(), splits.end(), [&](const Split& one) {
    return is_explained(one) && one.masked_priors == own.masked_priors && one.visible_records == own.visible_records &&
           std::equal(one.parts.begin(), one.parts.end(), own.parts.begin(), own.parts.end(), ask_same_points);
  });
  return found == splits.end() ? at : static_cast<std::size_t>(found - splits.begin());
}

/// Copies the answers of the splits that were run to those for which they stand.
void copy_answers(const std::vector<Split>& splits, std::vector<std::vector<PartAnswers>>& all) {
  for (std::size_t s = 0; s < splits.size(); ++s) {
    const auto from = split_to_run(splits, s);
    if (from == s) continue;
    all[s] = all[from];
    for (auto& part : all[s]) part.large_errors.clear();
  }
}

std::map<std::string, Forecast> forecasts_of(const Question& question, const std::vector<Method*>& methods) {
  std::map<std::string, Forecast> forecasts;
  for (const auto* method : methods)
    if (auto forecast = method->forecast(question)) forecasts[method->name()] = std::move(*forecast);
  return forecasts;
}

/// Mean error of a method over the targets that it answered; 0 if it answered none.
double mean_error(const PartAnswers& answers, const std::vector<Answered>& targets, const std::string& method) {
  double sum = 0;
  int answered = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto found = answers.forecasts[i].find(method);
    if (found == answers.forecasts[i].end() || !found->second.refusal.empty()) continue;
    sum += error_of(found->second, targets[i].measured_s);
    ++answered;
  }
  return answered == 0 ? 0 : sum / answered;
}

/// Adds an explanation by each method whose mean error over the series exceeds explained_error.
void explain_large_errors(const std::vector<Answered>& targets, const std::vector<Method*>& methods,
                          PartAnswers& answers) {
  for (const auto* method : methods) {
    const double error = mean_error(answers, targets, method->name());
    if (error <= explained_error) continue;
    if (auto why = method->explain(targets)) answers.large_errors.push_back({method->name(), error, std::move(*why)});
  }
}

PartAnswers answer_part(const Split& split, const Series& series, const SplitPart& part, const Series& known,
                        const std::vector<Method*>& methods) {
  PartAnswers answers;
  std::vector<Answered> targets;
  for (const auto target : part.targets) {
    const auto& at = series.points[target];
    targets.push_back({question_of(known, at), at.iteration_s});
    answers.forecasts.push_back(forecasts_of(targets.back().question, methods));
  }
  if (is_explained(split)) explain_large_errors(targets, methods, answers);
  return answers;
}

/// Computes the answers in the order of the task's parts.
std::vector<PartAnswers> run_task(const Task& task, const Assessment& assessment) {
  std::vector<PartAnswers> answers;
  for (const auto& [at, parts] : task.splits) {
    const auto& split = assessment.splits[at];
    const auto visible = visible_files(assessment.files, split);
    const auto known = visible_series_of(assessment.series, split);
    for (auto* method : task.methods)
      method->prepare({split.name, split.left_out, visible, known, split.masked_priors});
    for (const auto p : parts) {
      const auto& part = split.parts[p];
      answers.push_back(answer_part(split, assessment.series[part.series], part, known[part.series], task.methods));
    }
  }
  return answers;
}

std::vector<Method*> methods_of(const Assessment& assessment, bool remembering) {
  std::vector<Method*> some;
  for (const auto& method : assessment.methods)
    if (method->remembers() == remembering) some.push_back(method.get());
  return some;
}

/// Makes a single task of all parts, for this process.
Task one_task(const Assessment& assessment) {
  Task task;
  for (std::size_t s = 0; s < assessment.splits.size(); ++s) {
    if (split_to_run(assessment.splits, s) != s) continue;
    task.splits.push_back({s, {}});
    for (std::size_t part = 0; part < assessment.splits[s].parts.size(); ++part)
      task.splits.back().parts.push_back(part);
  }
  for (const auto& method : assessment.methods) task.methods.push_back(method.get());
  return task;
}

/// Makes the tasks. A fit is of one cluster in one split, so each such pair is a task. Methods that remember answers
/// have a task for each cluster.
std::vector<Task> tasks_by_cluster(const Assessment& assessment) {
  std::vector<Task> tasks;
  std::map<std::string, Task> remembering;
  const auto forgetful = methods_of(assessment, false);
  for (std::size_t s = 0; s < assessment.splits.size(); ++s) {
    if (split_to_run(assessment.splits, s) != s) continue;
    std::map<std::string, std::vector<std::size_t>> by_cluster;
    const auto& parts = assessment.splits[s].parts;
    for (std::size_t part = 0; part < parts.size(); ++part)
      by_cluster[assessment.series[parts[part].series].cluster].push_back(part);
    for (const auto& [cluster, of_cluster] : by_cluster) {
      tasks.push_back({{{s, of_cluster}}, forgetful});
      remembering[cluster].splits.push_back({s, of_cluster});
    }
  }
  const auto others = methods_of(assessment, true);
  for (auto& [cluster, task] : remembering) {
    task.methods = others;
    if (!others.empty()) tasks.push_back(std::move(task));
  }
  return tasks;
}

/// Sorts the largest tasks first, so that no core waits long for the last one.
void sort_by_size(std::vector<Task>& tasks, const Assessment& assessment) {
  const auto size = [&](const Task& task) {
    std::size_t targets = 0;
    for (const auto& some : task.splits)
      for (const auto part : some.parts) targets += assessment.splits[some.split].parts[part].targets.size();
    return targets;
  };
  std::stable_sort(tasks.begin(), tasks.end(), [&](const Task& a, const Task& b) { return size(a) > size(b); });
}

/// Merges answers into a part that may already have answers of other methods.
void add(PartAnswers found, PartAnswers& all) {
  all.forecasts.resize(found.forecasts.size());
  for (std::size_t i = 0; i < found.forecasts.size(); ++i) all.forecasts[i].merge(found.forecasts[i]);
  for (auto& large_error : found.large_errors) all.large_errors.push_back(std::move(large_error));
}

using AllAnswers = std::vector<std::vector<PartAnswers>>;

/// Throws UserError if the answers do not fit the task, because the kept results of an interrupted run may have been
/// changed.
std::vector<PartAnswers> checked(std::vector<PartAnswers> found, const Task& task, const Assessment& assessment) {
  std::set<std::string> methods;
  for (const auto* method : task.methods) methods.insert(method->name());
  std::vector<std::size_t> targets; // numbers of the targets of each part
  for (const auto& some : task.splits)
    for (const auto part : some.parts) targets.push_back(assessment.splits[some.split].parts[part].targets.size());
  bool fits = found.size() == targets.size();
  for (std::size_t i = 0; fits && i < found.size(); ++i) {
    fits = found[i].forecasts.size() == targets[i] &&
           std::all_of(found[i].large_errors.begin(), found[i].large_errors.end(),
                       [&](const LargeError& large_error) { return methods.count(large_error.method) != 0; });
  }
  if (!fits) throw UserError("", "", "what a process answered is of other parts");
  return found;
}

void put(const Task& task, std::vector<PartAnswers> found, AllAnswers& all) {
  std::size_t next = 0;
  for (const auto& some : task.splits)
    for (const auto part : some.parts) add(std::move(found[next++]), all[some.split][part]);
}

/// Sorts the large errors into the order of the methods.
void sort_large_errors(const Assessment& assessment, AllAnswers& all) {
  std::map<std::string, std::size_t> place;
  for (const auto& method : assessment.methods) place.emplace(method->name(), place.size());
  for (auto& split : all)
    for (auto& part : split)
      std::stable_sort(
          part.large_errors.begin(), part.large_errors.end(),
          [&](const LargeError& a, const LargeError& b) { return place.at(a.method) < place.at(b.method); });
}

} // namespace

std::vector<std::vector<PartAnswers>> run_methods(const Assessment& assessment, const RunTasks& run_tasks) {
  AllAnswers all;
  for (const auto& split : assessment.splits) all.emplace_back(split.parts.size());
  if (!run_tasks) {
    const auto task = one_task(assessment);
    put(task, run_task(task, assessment), all);
    copy_answers(assessment.splits, all);
    return all;
  }
  auto tasks = tasks_by_cluster(assessment);
  sort_by_size(tasks, assessment);
  const auto results = run_tasks(
      all_tasks(tasks.size()),
      [&](int task) { return answers_to_bytes(run_task(tasks[static_cast<std::size_t>(task)], assessment)); }, {});
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!results[i].error.empty()) throw std::runtime_error(results[i].error);
    put(tasks[i], checked(answers_from_bytes(results[i].bytes), tasks[i], assessment), all);
  }
  sort_large_errors(assessment, all);
  copy_answers(assessment.splits, all);
  return all;
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Forecast, predicted_s, low_s, high_s, refusal, scenario)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ForecastParts, gpus, measured_s, predicted_s, compute_s, communication_s,
                                   synchronisation_s, straggling_s, input_s, bottleneck, unexplained_s, residual_factor)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterExplanation, parameter, unit, fitted, fitted_at, needed, needed_at,
                                   mean_error, remaining_error)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Explanation, points, explanation)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LargeError, method, mean_error, why)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PartAnswers, forecasts, large_errors)

/// Writes CBOR (RFC 8949), which stores a number as it is in memory.
std::string answers_to_bytes(const std::vector<PartAnswers>& answers) {
  return json_to_bytes(answers);
}

std::vector<PartAnswers> answers_from_bytes(const std::string& bytes) {
  try {
    return json_from_bytes(bytes).get<std::vector<PartAnswers>>();
  } catch (const nlohmann::json::exception&) {
    throw UserError("", "", "what a process answered for a part cannot be read");
  }
}

} // namespace ddlsim
