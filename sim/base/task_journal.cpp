#include "sim/base/task_journal.hpp"

#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view head_begin = "ddlsim-journal 1 ";

std::string head_of(const std::string& question) {
  return fmt::format("{}{}\n", head_begin, question);
}

std::string checksum(const std::string& question, int task, std::string_view bytes) {
  Fnv1a hash;
  hash.take(fmt::format("{} {} ", question, task));
  hash.take(bytes);
  return hash.text();
}

std::string entry_of(const std::string& question, int task, const std::string& bytes) {
  return fmt::format("{} {} {}\n{}\n", task, bytes.size(), checksum(question, task, bytes), bytes);
}

/// Reads up to a line end, which it consumes and does not return. Returns nothing for a line without end, or for one
/// longer than any that this program writes.
std::optional<std::string> read_line(std::FILE* stream) {
  constexpr std::size_t longest = 80;
  std::string line;
  for (int c = getc_unlocked(stream); c != EOF; c = getc_unlocked(stream)) {
    if (c == '\n') return line;
    if (line.size() == longest) return {};
    line += static_cast<char>(c);
  }
  return {};
}

struct EntryHead {
  int task = 0;
  std::size_t size_bytes = 0;
  std::string checksum;
};

std::optional<EntryHead> to_entry_head(std::string_view line) {
  EntryHead head;
  const char* end = line.data() + line.size();
  const auto task = std::from_chars(line.data(), end, head.task);
  if (task.ec != std::errc{} || head.task < 0 || task.ptr == end || *task.ptr != ' ') return {};
  const auto size = std::from_chars(task.ptr + 1, end, head.size_bytes);
  if (size.ec != std::errc{} || size.ptr == end || *size.ptr != ' ') return {};
  head.checksum.assign(size.ptr + 1, end);
  return head;
}

/// Reads the bytes and the line end after them. It reads in parts, so that a wrong length does not allocate memory.
std::optional<std::string> read_bytes(std::FILE* stream, std::size_t size_bytes) {
  std::array<char, 1U << 16U> part;
  std::string bytes;
  while (bytes.size() < size_bytes) {
    const auto got = std::fread(part.data(), 1, std::min(part.size(), size_bytes - bytes.size()), stream);
    if (got == 0) return {};
    bytes.append(part.data(), got);
  }
  if (getc_unlocked(stream) != '\n') return {};
  return bytes;
}

} // namespace

FinishedTasks read_task_journal(const fs::path& file, const std::string& question) {
  const auto stream = open_text_file(file);
  const auto head = read_line(stream.get());
  if (!head || !head->starts_with(head_begin))
    throw UserError(file.string(), "", "this is no journal of tasks; remove it, or ask without --resume");
  if (*head + "\n" != head_of(question))
    throw UserError(file.string(), "",
                    "what is kept here is of another question, other data files or another build of ddlsim; ask as "
                    "before, or without --resume to begin anew");
  FinishedTasks kept;
  while (const auto line = read_line(stream.get())) {
    const auto entry = to_entry_head(*line);
    if (!entry) break;
    auto bytes = read_bytes(stream.get(), entry->size_bytes);
    if (!bytes || checksum(question, entry->task, *bytes) != entry->checksum) break;
    kept[entry->task] = std::move(*bytes);
  }
  return kept;
}

TaskJournal::TaskJournal(fs::path file, std::string question, const FinishedTasks& kept)
    : file_(std::move(file)), question_(std::move(question)) {
  std::error_code ignored;
  const auto there = fs::symlink_status(file_, ignored).type();
  if (there != fs::file_type::not_found && there != fs::file_type::regular)
    throw UserError(file_.string(), "",
                    "this is no plain file, and a journal must not be written through it; remove it");
  std::string text = head_of(question_);
  for (const auto& [task, bytes] : kept) text += entry_of(question_, task, bytes);
  write_file(file_, text);
  const int opened = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (opened < 0) throw UserError(file_.string(), "", fmt::format("cannot be written: {}", std::strerror(errno)));
  end_ = Descriptor(opened);
}

bool TaskJournal::keep(int task, const std::string& bytes) {
  struct stat before {};
  if (::fstat(end_.number(), &before) != 0) return false;
  try {
    const auto entry = entry_of(question_, task, bytes);
    write_all(end_.number(), entry.data(), entry.size());
    return true;
  } catch (const std::system_error&) {
    return ::ftruncate(end_.number(), before.st_size) == 0 && false;
  }
}

void TaskJournal::remove() {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

RunTasks without_finished(RunTasks run, FinishedTasks kept) {
  return [run = std::move(run), kept = std::move(kept)](const std::vector<int>& tasks, const TaskWork& work,
                                                        const TaskEnded& ended) {
    std::vector<int> missing;
    for (const int task : tasks)
      if (kept.count(task) == 0) missing.push_back(task);
    auto found = run(missing, work, ended);
    std::vector<TaskResult> results;
    std::size_t next = 0;
    for (const int task : tasks) {
      const auto there = kept.find(task);
      results.push_back(there != kept.end() ? TaskResult{there->second, ""} : std::move(found[next++]));
    }
    return results;
  };
}

} // namespace ddlsim
