#pragma once
// Compares measured times with those of a healthy cluster, and finds the faults that explain a difference best, for
// `ddlsim diagnose`.

#include "diagnose/fault.hpp"
#include "diagnose/observation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// An observation, and the time that is expected of it on a healthy cluster.
struct ComparedPoint {
  Observation observed;
  IterationTime expected; ///< expected time with its 90 % interval
};

/// One possible cause, and how much it slows the part that it acts on.
struct Cause {
  FaultRow row;
  double chance = 0;   ///< probability among all causes of the diagnosis, "none of these" included
  double severity = 1; ///< median; 1 for a fault without degrees
  double severity_low = 1;
  double severity_high = 1;
  const Curve* curve = nullptr; ///< curve of the cluster with this fault, as in FaultKind
};

/// The measurement that distinguishes two causes best.
struct DiscriminatingPoint {
  Observation point; ///< the point to run; its time_s is 0 because it is not measured yet
  std::string first; ///< name of the first cause
  std::string second;
  double first_s = 0;  ///< expected time if the first cause holds
  double second_s = 0; ///< expected time if the second cause holds
};

enum class Verdict { normal, better, not_normal };

struct Diagnosis {
  std::string headline; ///< text on what was run, and on which cluster
  std::string model{};  ///< name of the model; that of the question, where only collectives were measured
  std::string cluster{};
  std::string question; ///< names of strategy, cluster, preset and transport
  std::vector<ComparedPoint> points;
  double chance_if_healthy = 1; ///< probability that a healthy cluster gives at least as much evidence of a fault
  Verdict verdict = Verdict::normal;
  std::vector<Cause> causes;           ///< causes, the likeliest first
  std::vector<UntestedFault> untested; ///< causes that what was timed cannot show
  std::optional<Cause> gain;           ///< advantage that explains times that are faster than expected
  /// measurement that distinguishes the first two causes, if one does
  std::optional<DiscriminatingPoint> discriminating;
  std::vector<std::string> warnings;
};

struct DiagnosisOptions {
  double level = 0.05; ///< significance: share of healthy clusters that are called not normal
  std::uint64_t seed = 1;
  int healthy_draws = 999; ///< number of simulated healthy clusters with which the evidence is compared
};

/// Merges repeated observations of a point into their median.
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
