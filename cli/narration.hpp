#pragma once
// What a command prints: its result, and lines on standard error about what it does.

#include "cli/options.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace ddlsim {

/// Writes a result to the --output file, whole or not at all, else to standard output.
void emit(const CommandLine& line, const std::string& text);

/// Writes a page to its file, whole or not at all, and says so on standard error. Does nothing for an empty name.
void write_page(const CommandLine& line, const std::filesystem::path& file, const std::function<std::string()>& page);

/// One line on standard error unless --quiet.
void narrate(const CommandLine& line, const std::string& text);

/// A function that shows what is being done once more than a second has passed; nothing when quiet or when standard
/// error is no terminal. The line is wiped when the returned object and all its copies are gone.
std::function<void(const std::string&)> make_progress(bool quiet);

/// The same for tasks: a progress bar, how many have ended, and how much time is left by the rate of those that ended
/// since the start. In ASCII, without colours.
std::function<void(std::size_t ended, std::size_t count)> make_task_progress(bool quiet, const std::string& tasks);

} // namespace ddlsim
