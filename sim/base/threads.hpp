#pragma once
// Threads of this process: how many cores it may use, and work that several threads share.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

namespace ddlsim {

/// Returns the number of cores that this process may use, at least 1: those of its affinity, or fewer where the quota
/// of its control group, or of a group above it, allows fewer. A fraction of a core counts as one. Control groups of
/// versions 1 and 2 are read below `root`; a group that cannot be read sets no limit.
int machine_threads(const std::filesystem::path& root = "/");

/// Returns the next number of 0 .. count-1 that no thread has taken; nothing when none is left.
using NextNumber = std::function<std::optional<std::size_t>()>;

/// Runs `work` in up to `threads` threads, this one included, and in no more than `count`. Each thread takes numbers
/// until none is left. Rethrows what `work` throws, once all threads have ended.
void share_out(std::size_t count, int threads, const std::function<void(const NextNumber&)>& work);

/// Runs `work` once for each number in several threads, as share_out() does, for work that keeps nothing from one
/// number to the next.
void for_each_number(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

/// Number of threads for each of `tasks` tasks that run at the same time: `threads` in all, and at least one for each
/// task.
int threads_of_each(int threads, std::size_t tasks);

} // namespace ddlsim
