#pragma once
// Threads of this process: how many there may be, and work shared among them.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

namespace ddlsim {

/// The cores that this process may use, at least 1: those of its affinity, or what the quota of its control group, or
/// of one above it, pays for where that is fewer; a part of a core counts as one. Versions 1 and 2 of control groups,
/// which are read below `root`; what cannot be read limits nothing.
int machine_threads(const std::filesystem::path& root = "/");

/// The next number of 0 .. count-1 that no thread has had; nothing when there is none left.
using NextNumber = std::function<std::optional<std::size_t>()>;

/// Runs `work` in up to `threads` threads, this one among them, and no more than there are numbers: each asks for
/// numbers until there are none. Throws what `work` throws, once all have ended.
void share_out(std::size_t count, int threads, const std::function<void(const NextNumber&)>& work);

/// The same, where a thread keeps nothing from one number to the next.
void for_each_number(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

/// Threads for each of `tasks` that are worked on beside each other: `threads` in all, and one at the least.
int threads_of_each(int threads, std::size_t tasks);

} // namespace ddlsim
