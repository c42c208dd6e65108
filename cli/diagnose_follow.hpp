#pragma once
// Reads a growing log again and again, and shows the verdict when it changes, for `ddlsim diagnose --follow`.

#include "diagnose/diagnose.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

struct FollowOptions {
  std::vector<std::filesystem::path> files; ///< files to watch
  double poll_s = 1;                        ///< seconds between two looks at the files
  double for_s = 0;                         ///< seconds after which it ends; 0: it runs until interrupted
  std::function<Diagnosis()> diagnose;      ///< may throw UserError where the log is still too short
  std::function<void(const Diagnosis&)> on_change;
  std::function<void(const std::string&)> on_wait; ///< called with the reason why there is no verdict yet
};

/// Whether a diagnosis differs from the last one shown, in the verdict or in the first cause.
bool has_changed(const std::optional<Diagnosis>& shown_diagnosis, const Diagnosis& now);

/// Watches the files until SIGINT, SIGTERM or the end of its time. Returns the last diagnosis. Throws the last
/// UserError if there was none.
Diagnosis follow(const FollowOptions& options);

} // namespace ddlsim
