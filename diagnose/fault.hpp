#pragma once
// What can make a healthy cluster slow, one row a fault: where it acts in the model, and what a person looks at.

#include "sim/predict/scaling_curve.hpp"

#include <memory>
#include <set>
#include <span>
#include <vector>

namespace ddlsim {

enum class Fault {
  sockets,
  link,
  gpudirect,
  contention,
  latency,
  inside,
  pcie,
  ring,
  tree,
  low_latency_protocol,
  simple_protocol,
  gpu,
  host,
  stragglers,
  buckets,
  loader,
  storage,
  server,
  none_of_these
};

/// A question with a fault in it.
struct FaultySetup {
  StepSetup setup;
  Parameters sample;
  double healthy_sample_s = 0; ///< seconds that a GPU takes for one sample, likeliest
};

/// How severe a fault may be.
enum class Severity {
  none,  ///< it is there or it is not
  factor ///< so many times as slow, any number in a range
};

struct FaultRow {
  Fault fault;
  const char* name;       ///< in JSON
  const char* what;       ///< in a sentence: "the network of a node"
  const char* look_at;    ///< what to do about it
  bool slows_collectives; ///< of a benchmark, too
  Severity severity;
  double most; ///< times as slow, at most
  /// Puts it in: what it acts on is `severity` times as slow. Null where another curve has it, or the preset.
  void (*put)(double severity, FaultySetup& one);
  void (*put_in_preset)(double severity, Preset& preset) = nullptr;
};

/// The setup with the fault in its preset, which must outlive it.
StepSetup with_preset(const StepSetup& setup, const Preset& preset);

/// All faults, but "none of these".
std::span<const FaultRow> fault_rows();

/// One row as it may be in a setup.
struct FaultKind {
  FaultRow row;
  std::vector<double> severities;
  double weight = 1;            ///< how likely it is before anything was measured, against the other rows
  const Curve* curve = nullptr; ///< the cluster with that fault, where it is a question of its own; else null
};

/// The same question on a cluster that differs in one thing. Null where it cannot differ in that.
struct OtherCurves {
  std::shared_ptr<const Curve> sockets; ///< TCP sockets carry what the scenario's transport carries by verbs
  std::shared_ptr<const Curve> verbs;   ///< the other way round
  std::shared_ptr<const Curve> pcie;    ///< PCIe joins the GPUs of a node that NVLink should join
};

/// Numbers of GPUs that were observed.
using Scales = std::set<int>;

/// All that can act on such a job, and be told from the others: no servers' without servers, no network's on one node, no storage that the scenario
/// does not read. `only_collectives`: those that a benchmark of collectives shows. `others` must outlive them.
std::vector<FaultKind> possible_faults(const Curve& curve, const Scales& observed, bool only_collectives,
                                       const OtherCurves& others);

/// What would make a cluster faster than its file says.
std::vector<FaultKind> possible_gains(const Curve& curve, const Scales& observed, bool only_collectives,
                                      const OtherCurves& others);

} // namespace ddlsim
