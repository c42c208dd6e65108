#pragma once
// `ddlsim diagnose`: is what was measured what a healthy cluster does, and if not, what explains it best?

#include "diagnose/fault.hpp"
#include "diagnose/observation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// One observation and what a healthy cluster would take.
struct ComparedPoint {
  Observation observed;
  IterationTime expected; ///< with its 90 % interval
};

/// One cause, and how much slower what it acts on must be.
struct Cause {
  FaultRow row;
  double chance = 0;   ///< of all causes here, "none of these" among them
  double severity = 1; ///< the median, and 90 % of it; 1 where the fault is there or is not
  double severity_low = 1;
  double severity_high = 1;
  const Curve* curve = nullptr; ///< as in FaultKind
};

/// The measurement that separates two causes best.
struct DiscriminatingPoint {
  Observation point; ///< what to run; its time_s is 0, because nobody has measured it
  std::string first; ///< names of the causes
  std::string second;
  double first_s = 0;  ///< expected time if the first cause is true
  double second_s = 0; ///< expected time if the second is
};

enum class Verdict { normal, better, ill };

struct Diagnosis {
  std::string headline; ///< what was run, on what
  std::string question; ///< strategy, cluster, preset and transport by name
  std::vector<ComparedPoint> points;
  double chance_if_healthy = 1; ///< that a healthy cluster looks as ill as this, or worse
  Verdict verdict = Verdict::normal;
  std::vector<Cause> causes;                         ///< the likeliest first
  std::optional<Cause> gain;                         ///< what explains better times than expected, where something does
  std::optional<DiscriminatingPoint> discriminating; ///< between the first two causes, where a measurement can
  std::vector<std::string> warnings;
};

struct DiagnosisOptions {
  double level = 0.05; ///< significance: this share of healthy clusters is called ill
  std::uint64_t seed = 1;
  int healthy_draws = 999; ///< healthy observations that the evidence is compared with
};

/// One time for each point: the median where there are several.
std::vector<Observation> merged(const std::vector<Observation>& observations);

/// Compares what was observed with what the scenario's first strategy does on a healthy cluster.
///
/// 1. Samples of the parameters, drawn as `predict` draws them, give healthy times. The error of the model and the
/// noise
///    of a measurement spread about each of them, with heavy tails.
/// 2. Each fault is applied to the same samples at every severity; severities are equally likely in their logarithm.
/// 3. The likelihood of a fault is the mean over its samples and severities. One fault is "none of these": it gives
/// each
///    time a factor of its own. The evidence is the ratio of all faults' likelihood to that of a healthy cluster.
/// 4. The same evidence is computed for healthy observations drawn by step 1. The share of them with at least as much
///    evidence is the chance that a healthy cluster looks like this. A time below the healthy median counts as the
///    median: being fast is no fault.
///
/// Throws UserError without observations, or where a point is impossible.
Diagnosis diagnose(const Curve& curve, const std::vector<Observation>& observations, const DiagnosisOptions& options,
                   const OtherCurves& others = {});

} // namespace ddlsim
