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

/// Parts of one split, by position.
struct SomeParts {
  std::size_t split = 0;
  std::vector<std::size_t> parts;
};

/// What one process asks.
struct Task {
  std::vector<SomeParts> splits;
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

/// T1, T2 and T3: their series are taken apart where they are missed.
bool is_explained(const Split& split) {
  return split.left_out.empty() && split.taken_away != TakenAway::nothing && !is_new_site(split.name);
}

bool ask_the_same(const SplitPart& a, const SplitPart& b) {
  return a.series == b.series && a.targets == b.targets;
}

/// T1 to T3 show and ask what new-T1 to new-T3 do; only their means differ. The split that is asked in this one's place:
/// the one that explains misses too, else itself.
std::size_t asked_for(const std::vector<Split>& splits, std::size_t at) {
  const auto& mine = splits[at];
  if (!is_new_site(mine.name)) return at;
  const auto found = std::find_if(splits.begin(), splits.end(), [&](const Split& one) {
    return is_explained(one) && one.taken_away == mine.taken_away && one.visible_records == mine.visible_records &&
           std::equal(one.parts.begin(), one.parts.end(), mine.parts.begin(), mine.parts.end(), ask_the_same);
  });
  return found == splits.end() ? at : static_cast<std::size_t>(found - splits.begin());
}

/// Gives the splits that were not asked the answers of those that were asked in their place.
void copy_answers(const std::vector<Split>& splits, std::vector<std::vector<PartAnswers>>& all) {
  for (std::size_t s = 0; s < splits.size(); ++s) {
    const auto from = asked_for(splits, s);
    if (from == s) continue;
    all[s] = all[from];
    for (auto& part : all[s]) part.misses.clear();
  }
}

std::map<std::string, Forecast> forecasts_of(const Question& question, const std::vector<Method*>& methods) {
  std::map<std::string, Forecast> forecasts;
  for (const auto* method : methods)
    if (auto forecast = method->forecast(question)) forecasts[method->name()] = std::move(*forecast);
  return forecasts;
}

/// Mean error of a method over what it answered of the targets; 0 when it answered none.
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

/// Asks every method that missed the series by too much for its reasons.
void explain_misses(const std::vector<Answered>& targets, const std::vector<Method*>& methods, PartAnswers& answers) {
  for (const auto* method : methods) {
    const double error = mean_error(answers, targets, method->name());
    if (error <= explained_error) continue;
    if (auto why = method->explain(targets)) answers.misses.push_back({method->name(), error, std::move(*why)});
  }
}

PartAnswers ask_part(const Split& split, const Series& series, const SplitPart& part, const Series& known,
                     const std::vector<Method*>& methods) {
  PartAnswers answers;
  std::vector<Answered> targets;
  for (const auto target : part.targets) {
    const auto& at = series.points[target];
    targets.push_back({question_of(known, at), at.iteration_s});
    answers.forecasts.push_back(forecasts_of(targets.back().question, methods));
  }
  if (is_explained(split)) explain_misses(targets, methods, answers);
  return answers;
}

/// Answers in the order of the task's parts.
std::vector<PartAnswers> run_task(const Task& task, const Inquiry& inquiry) {
  std::vector<PartAnswers> answers;
  for (const auto& [at, parts] : task.splits) {
    const auto& split = inquiry.splits[at];
    const auto visible = visible_files(inquiry.files, split);
    const auto known = visible_series_of(inquiry.series, split);
    for (auto* method : task.methods) method->prepare({split.name, split.left_out, visible, known, split.taken_away});
    for (const auto p : parts) {
      const auto& part = split.parts[p];
      answers.push_back(ask_part(split, inquiry.series[part.series], part, known[part.series], task.methods));
    }
  }
  return answers;
}

std::vector<Method*> methods_of(const Inquiry& inquiry, bool remembering) {
  std::vector<Method*> some;
  for (const auto& method : inquiry.methods)
    if (method->remembers() == remembering) some.push_back(method.get());
  return some;
}

/// All in this process.
Task one_task(const Inquiry& inquiry) {
  Task task;
  for (std::size_t s = 0; s < inquiry.splits.size(); ++s) {
    if (asked_for(inquiry.splits, s) != s) continue;
    task.splits.push_back({s, {}});
    for (std::size_t part = 0; part < inquiry.splits[s].parts.size(); ++part) task.splits.back().parts.push_back(part);
  }
  for (const auto& method : inquiry.methods) task.methods.push_back(method.get());
  return task;
}

/// What is fitted is of one cluster in one split, so that is a task, but for methods that remember.
std::vector<Task> tasks_by_cluster(const Inquiry& inquiry) {
  std::vector<Task> tasks;
  std::map<std::string, Task> remembering;
  const auto forgetful = methods_of(inquiry, false);
  for (std::size_t s = 0; s < inquiry.splits.size(); ++s) {
    if (asked_for(inquiry.splits, s) != s) continue;
    std::map<std::string, std::vector<std::size_t>> by_cluster;
    const auto& parts = inquiry.splits[s].parts;
    for (std::size_t part = 0; part < parts.size(); ++part)
      by_cluster[inquiry.series[parts[part].series].cluster].push_back(part);
    for (const auto& [cluster, of_cluster] : by_cluster) {
      tasks.push_back({{{s, of_cluster}}, forgetful});
      remembering[cluster].splits.push_back({s, of_cluster});
    }
  }
  const auto others = methods_of(inquiry, true);
  for (auto& [cluster, task] : remembering) {
    task.methods = others;
    if (!others.empty()) tasks.push_back(std::move(task));
  }
  return tasks;
}

/// The largest first, so that no core waits long for the last.
void sort_by_size(std::vector<Task>& tasks, const Inquiry& inquiry) {
  const auto size = [&](const Task& task) {
    std::size_t targets = 0;
    for (const auto& some : task.splits)
      for (const auto part : some.parts) targets += inquiry.splits[some.split].parts[part].targets.size();
    return targets;
  };
  std::stable_sort(tasks.begin(), tasks.end(), [&](const Task& a, const Task& b) { return size(a) > size(b); });
}

/// What other methods said of the same part is there already.
void add(PartAnswers found, PartAnswers& all) {
  all.forecasts.resize(found.forecasts.size());
  for (std::size_t i = 0; i < found.forecasts.size(); ++i) all.forecasts[i].merge(found.forecasts[i]);
  for (auto& miss : found.misses) all.misses.push_back(std::move(miss));
}

using AllAnswers = std::vector<std::vector<PartAnswers>>;

/// Throws UserError where they answer something else: what was kept of a run that was cut off may have been changed.
std::vector<PartAnswers> checked(std::vector<PartAnswers> found, const Task& task, const Inquiry& inquiry) {
  std::set<std::string> methods;
  for (const auto* method : task.methods) methods.insert(method->name());
  std::vector<std::size_t> targets; // of each part
  for (const auto& some : task.splits)
    for (const auto part : some.parts) targets.push_back(inquiry.splits[some.split].parts[part].targets.size());
  bool fits = found.size() == targets.size();
  for (std::size_t i = 0; fits && i < found.size(); ++i) {
    fits = found[i].forecasts.size() == targets[i] &&
           std::all_of(found[i].misses.begin(), found[i].misses.end(),
                       [&](const Miss& miss) { return methods.count(miss.method) != 0; });
  }
  if (!fits) throw UserError("", "", "what a process answered is of other parts");
  return found;
}

void put(const Task& task, std::vector<PartAnswers> found, AllAnswers& all) {
  std::size_t next = 0;
  for (const auto& some : task.splits)
    for (const auto part : some.parts) add(std::move(found[next++]), all[some.split][part]);
}

/// As the methods stand.
void sort_misses(const Inquiry& inquiry, AllAnswers& all) {
  std::map<std::string, std::size_t> place;
  for (const auto& method : inquiry.methods) place.emplace(method->name(), place.size());
  for (auto& split : all)
    for (auto& part : split)
      std::stable_sort(part.misses.begin(), part.misses.end(),
                       [&](const Miss& a, const Miss& b) { return place.at(a.method) < place.at(b.method); });
}

} // namespace

std::vector<std::vector<PartAnswers>> ask_methods(const Inquiry& inquiry, const RunTasks& run_tasks) {
  AllAnswers all;
  for (const auto& split : inquiry.splits) all.emplace_back(split.parts.size());
  if (!run_tasks) {
    const auto task = one_task(inquiry);
    put(task, run_task(task, inquiry), all);
    copy_answers(inquiry.splits, all);
    return all;
  }
  auto tasks = tasks_by_cluster(inquiry);
  sort_by_size(tasks, inquiry);
  const auto results = run_tasks(
      all_tasks(tasks.size()),
      [&](int task) { return answers_to_bytes(run_task(tasks[static_cast<std::size_t>(task)], inquiry)); }, {});
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!results[i].error.empty()) throw std::runtime_error(results[i].error);
    put(tasks[i], checked(answers_from_bytes(results[i].bytes), tasks[i], inquiry), all);
  }
  sort_misses(inquiry, all);
  copy_answers(inquiry.splits, all);
  return all;
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Forecast, predicted_s, low_s, high_s, refusal, scenario)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ForecastParts, gpus, measured_s, predicted_s, compute_s, communication_s,
                                   synchronisation_s, straggling_s, input_s, bottleneck, unexplained_s, residual_factor)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterExplanation, parameter, unit, fitted, fitted_at, needed, needed_at,
                                   mean_error, remaining_error)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Explanation, points, explanation)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Miss, method, mean_error, why)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PartAnswers, forecasts, misses)

/// CBOR (RFC 8949) holds a number as it is in memory.
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
