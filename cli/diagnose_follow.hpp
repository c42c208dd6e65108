#pragma once
// `ddlsim diagnose --follow`: a log that grows is read again, and a verdict is told when it changes.

#include "diagnose/diagnose.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

struct Following {
  std::vector<std::filesystem::path> files; ///< looked at for changes
  double poll_s = 1;                        ///< between two looks
  double for_s = 0;                         ///< ends after that time; 0: when it is interrupted
  std::function<Diagnosis()> diagnose;      ///< may throw UserError: the log is not long enough yet
  std::function<void(const Diagnosis&)> tell;
  std::function<void(const std::string&)> wait; ///< why nothing can be said yet
};

/// Whether a person would be told: another verdict, or another first cause.
bool is_news(const std::optional<Diagnosis>& told, const Diagnosis& now);

/// Until SIGINT, SIGTERM or the end of its time; the last diagnosis. Throws the last UserError where there was none.
Diagnosis follow(const Following& following);

} // namespace ddlsim
