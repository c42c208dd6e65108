#pragma once
// Checks that statements of a log about one quantity agree.

#include <string>
#include <vector>

namespace ddlsim {

/// A statement about a quantity.
struct Claim {
  double value = 0;
  std::string statement; ///< the source and what it says, as a clause: "line 3 says a global batch of 512 samples"
};

/// Share of the larger value by which two statements may differ and still agree. Figures are rounded, and a mean over a
/// run includes all its steps.
inline constexpr double agreement_share = 0.05;

/// Returns the value of the first claim; 0 if there is none. Throws UserError with the first two that disagree.
double agreed_value(const std::vector<Claim>& claims, const std::string& where);

} // namespace ddlsim
