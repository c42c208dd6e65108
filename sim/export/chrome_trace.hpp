#pragma once
// A predicted iteration as Chrome trace JSON, which Perfetto and chrome://tracing show.

#include "sim/export/tracks.hpp"

#include <string>

namespace ddlsim {

/// tracks_of(), a process for each group and a thread for each track, one event a line. Times are microseconds, in
/// whole picoseconds, so that what touches in the prediction touches in the file. `scenario` names the question.
std::string chrome_trace(const std::string& scenario, const PointRun& run);

} // namespace ddlsim
