#pragma once
// A timeline as text that a person can check line by line, and its comparison with a committed file.

#include <string>
#include <vector>

namespace ddlsim {

struct TimelineRow {
  double start_s = 0;
  double end_s = 0;
  std::string who;
  std::string what;
};

/// One row a line, microseconds with one decimal, in the order given.
std::string to_text(const std::vector<TimelineRow>& rows);

/// The committed file tests/golden/NAME.txt: its leading lines with # are the calculation by hand, the rest is the
/// timeline. With DDLSIM_REFRESH_GOLDEN set in the environment the timeline is written there first, the calculation
/// kept.
struct Golden {
  std::string calculation;
  std::string timeline;
};
Golden golden(const std::string& name, const std::string& timeline_now);

} // namespace ddlsim
