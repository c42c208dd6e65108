#pragma once
// Which parameters are learnt from sites, and how much sites may differ in them.

#include <string>

namespace ddlsim {

/// How much sites may differ in a parameter, before any was seen, and what it cannot exceed on a right data sheet.
struct LearntParameter {
  const char* name;
  double scatter; ///< scale of the half-normal prior of tau, in ln x
  double highest; ///< a site's value above it shows a mistake in its cluster file
  /// Learnt from runs on synthetic data only: loading costs what this parameter would take up too.
  bool synthetic_only = false;
  /// A rate that only runs which reach it tell: any higher one explains the others as well.
  bool ceiling = false;
};

/// Nothing for a parameter that is not learnt from sites: one-GPU times have their own evidence.
const LearntParameter* learnt_parameter(const std::string& name);

} // namespace ddlsim
