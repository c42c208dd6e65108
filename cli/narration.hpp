#pragma once
// What a command prints: its result, and progress lines on standard error.

#include "cli/options.hpp"
#include "sim/predict/predict.hpp"
#include "viewer/page.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace ddlsim {

/// Writes a result to the --output file or to standard output. The file is written completely or not at all.
void emit(const CommandLine& line, const std::string& text);

/// Writes a page to its file, completely or not at all, and reports it on standard error. Does nothing for an empty
/// name.
void write_page(const CommandLine& line, const std::filesystem::path& file, const std::function<std::string()>& page);

/// Writes an answer's page and its main chart, where the command names files for them.
void write_picture(const CommandLine& line, const PictureFiles& files, const std::function<Picture()>& picture);

/// Writes one line to standard error unless --quiet.
void narrate(const CommandLine& line, const std::string& text);

/// Returns a function that shows the current activity on standard error if more than two seconds have passed; none if
/// `quiet` is true. On a terminal it is one line, which is erased when the returned object and all its copies are gone.
/// Elsewhere it is a line every 15 seconds.
std::function<void(const std::string&)> make_progress(bool quiet);

/// Does the same for the stages of a prediction, with a bar.
std::function<void(const PredictStage&)> make_stage_progress(bool quiet);

/// Does the same for tasks: it shows a progress bar, the number of tasks that have ended, and the time left at the rate
/// of those that ended since the start. It writes ASCII without colours.
std::function<void(std::size_t ended, std::size_t count)> make_task_progress(bool quiet, const std::string& tasks);

} // namespace ddlsim
