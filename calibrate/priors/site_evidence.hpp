#pragma once
// What the calibrations of sites say of each parameter, their priors divided out.

#include "calibrate/priors/learn_prior.hpp"
#include "sim/formats/calibration.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ddlsim {

/// What shares a prior: those over one transport and path, of one stack. Empty texts hold for all.
struct PriorClass {
  std::string parameter;
  std::string transport;
  std::string preset;
  std::string path;

  auto operator<=>(const PriorClass&) const = default;
};

PriorClass class_of(const Prior& prior);

/// How much sites may differ in a parameter, before any was seen, and what it cannot exceed on a right data sheet.
struct LearntParameter {
  const char* name;
  double spread;  ///< scale of the half-normal prior of tau, in ln x
  double highest; ///< evidence above it shows a mistake in the cluster file
};

/// Nothing for a parameter that is not learnt from sites: one-GPU times have their own evidence.
const LearntParameter* learnt_parameter(const std::string& name);

using SiteEvidence = std::map<PriorClass, std::vector<SiteValue>>;

/// Adds what a calibration's own records taught. The fit's posterior is prior times likelihood, both normal in the
/// z-score: 1 / error^2 = 1 + 1 / e^2, so the likelihood has error e = 1 / sqrt(1 / error^2 - 1) and mean z (1 + e^2).
/// A parameter that the records hardly narrowed says nothing.
void add_evidence(SiteEvidence& evidence, const Calibration& calibration, const std::string& site);

/// One value a site: the weighted mean of its clusters, as uncertain as they differ.
std::vector<SiteValue> pooled(const std::vector<SiteValue>& values);

} // namespace ddlsim
