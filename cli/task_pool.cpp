#include "cli/task_pool.hpp"

#include "cli/command.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/base/threads.hpp"
#include "sim/predict/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// Returns all JSON and JSON Lines files in a folder, at any depth. Nothing else is read from a data folder or a
/// cluster's folder.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(folder, ignored), end; !ignored && it != end; it.increment(ignored)) {
    const auto extension = it->path().extension();
    if ((extension == ".json" || extension == ".jsonl") && it->is_regular_file(ignored)) files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void take(Fnv1a& hash, const fs::path& file) {
  hash.take(file.string() + "\n");
  hash.take_file(file);
}

/// Returns a checksum of all that the answer depends on. An input that is no file and no folder is skipped, because its
/// reader reports it.
std::string checksum_of_question(const CommandLine& line, const std::vector<fs::path>& inputs) {
  Fnv1a hash;
  hash.take(fmt::format("{}\n{}\n", version(), line.question));
  hash.take_file(fs::read_symlink("/proc/self/exe"));
  for (const char* part : {"platforms", "scenarios"})
    for (const auto& file : files_below(line.data_folder / part)) take(hash, file);
  std::error_code ignored;
  for (const auto& input : inputs) {
    if (fs::is_regular_file(input, ignored)) take(hash, input);
    for (const auto& file : files_below(input)) take(hash, file);
  }
  return hash.text();
}

fs::path unfinished(const fs::path& output) {
  return output.string() + ".unfinished";
}

/// Whether results may be kept beside the output. They may not if it is a device, a pipe or a folder.
bool may_be_kept(const fs::path& output) {
  std::error_code ignored;
  return !output.empty() && (!fs::exists(output, ignored) || fs::is_regular_file(output, ignored));
}

} // namespace

TaskPool::TaskPool(const CommandLine& line, std::string tasks, const std::vector<fs::path>& inputs)
    : line_(line), run_(in_workers(line.threads)), tasks_(std::move(tasks)) {
  if (may_be_kept(line.output)) begin_journal(inputs);
}

TaskPool::~TaskPool() {
  if (finished_.empty() && !any_ended_) discard_journal();
}

void TaskPool::begin_journal(const std::vector<fs::path>& inputs) {
  const auto file = unfinished(line_.output);
  std::error_code ignored;
  const bool there = fs::exists(file, ignored);
  try {
    const auto question = checksum_of_question(line_, inputs);
    if (line_.resume && there) finished_ = read_task_journal(file, question);
    journal_.emplace(file, question, finished_);
  } catch (const UserError& error) {
    if (line_.resume) throw;
    narrate(line_, fmt::format("a run that is cut off cannot go on: {}", to_text(error.mistakes().front())));
    return;
  }
  if (line_.resume)
    narrate(line_, fmt::format("{} {} were finished before",
                               finished_.empty() ? "no" : std::to_string(finished_.size()), tasks_));
  else if (there)
    narrate(line_, fmt::format("begun anew; with --resume it would have gone on from {}", file.string()));
}

int TaskPool::threads_of_each(std::size_t count) const {
  return ddlsim::threads_of_each(line_.threads, count);
}

RunTasks TaskPool::runner() {
  return [this](const std::vector<int>& tasks, const TaskWork& work, const TaskEnded& ended) {
    auto done = static_cast<std::size_t>(
        std::count_if(tasks.begin(), tasks.end(), [&](int task) { return finished_.count(task) != 0; }));
    const auto progress = make_task_progress(line_.quiet, tasks_);
    if (progress) progress(done, tasks.size());
    const auto note = [&](int task, const TaskResult& result) {
      if (journal_ && result.error.empty() && !journal_->keep(task, result.bytes)) {
        narrate(line_, "no more is kept: " + unfinished(line_.output).string() + " cannot be written");
        journal_.reset();
      }
      any_ended_ = true;
      if (progress) progress(++done, tasks.size());
      if (ended) ended(task, result);
    };
    return without_finished(run_, finished_)(tasks, work, note);
  };
}

void TaskPool::discard_journal() {
  if (journal_) journal_->remove();
}

} // namespace ddlsim
