#pragma once
// `ddlsim diagnose --follow`: reads a growing log again and again, and shows the verdict when it changes.

#include "diagnose/diagnose.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

struct Following {
  std::vector<std::filesystem::path> files; ///< that are watched
  double poll_s = 1;                        ///< seconds between two looks at the files
  double for_s = 0;                         ///< ends after that time; 0: when it is interrupted
  std::function<Diagnosis()> diagnose;      ///< may throw UserError: the log is not long enough yet
  std::function<void(const Diagnosis&)> on_change;
  std::function<void(const std::string&)> on_wait; ///< why nothing can be said yet
};

/// Whether a diagnosis differs from the last one that was shown: in the verdict, or in the first cause.
bool has_changed(const std::optional<Diagnosis>& shown_diagnosis, const Diagnosis& now);

/// Watches until SIGINT, SIGTERM or the end of its time. Returns the last diagnosis; without one it throws the last
/// UserError.
Diagnosis follow(const Following& following);

} // namespace ddlsim
