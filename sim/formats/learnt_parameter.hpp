#pragma once
// Parameters whose priors are estimated from several sites, and how much sites may differ in them.

#include <string>

namespace ddlsim {

/// How much sites may differ in a parameter before any site was measured, and the highest value that is credible when
/// the data sheet is right.
struct LearntParameter {
  const char* name;
  double scatter; ///< scale of the half-normal prior of tau, in ln x
  double highest; ///< a site with a higher value has a mistake in its cluster file
  /// Estimated only from runs on synthetic data: this parameter would otherwise absorb the cost of data loading.
  bool synthetic_only = false;
  /// A rate that only runs at the limit determine: any higher value would explain the other runs as well.
  bool ceiling = false;
};

/// Returns nothing for a parameter that is not estimated from sites; one-GPU times have evidence of their own.
const LearntParameter* learnt_parameter(const std::string& name);

} // namespace ddlsim
