#pragma once
// A log holds itself to what it says of itself: statements about one quantity have to agree.

#include <string>
#include <vector>

namespace ddlsim {

/// One statement about a quantity.
struct Claim {
  double value = 0;
  std::string says; ///< who says what, as a clause: "line 3 says a global batch of 512 samples"
};

/// Two statements may differ by so much of the larger one: figures are rounded, and means of a run are of all its steps.
inline constexpr double agreement_share = 0.05;

/// The first claim's value; 0 where there is none. Throws UserError with the first two that disagree.
double agreed_value(const std::vector<Claim>& claims, const std::string& where);

} // namespace ddlsim
