#pragma once
// The faults that can make a cluster slow, one row each: where it acts in the model, and what a person should check.

#include "sim/predict/scaling_curve.hpp"

#include <memory>
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

/// One parameter sample and its setup, to which a fault is applied.
struct FaultySetup {
  StepSetup setup;
  Parameters sample;
  double healthy_sample_s = 0; ///< compute time of a healthy GPU per training sample, in seconds
};

/// The kinds of severity of a fault.
enum class Severity {
  none,  ///< the fault has no degrees
  factor ///< the fault slows by a factor
};

struct FaultRow {
  Fault fault;
  const char* name;       ///< in JSON
  const char* what;       ///< its name in a sentence: "the network of a node"
  const char* look_at;    ///< what to check
  bool slows_collectives; ///< including those of a benchmark
  Severity severity;
  double most; ///< the largest factor
  /// Slows the part that the fault acts on by the factor `severity`. Null if the fault needs a curve of its own or acts
  /// on the preset.
  void (*apply)(double severity, FaultySetup& one);
  void (*apply_to_preset)(double severity, Preset& preset) = nullptr;
};

/// The setup with this preset, which must outlive it.
StepSetup with_preset(const StepSetup& setup, const Preset& preset);

/// The rows of all faults except "none of these".
std::span<const FaultRow> fault_rows();

/// A fault that is possible in this setup.
struct FaultKind {
  FaultRow row;
  std::vector<double> severities;
  double weight = 1;            ///< prior probability, relative to the other rows
  const Curve* curve = nullptr; ///< of the cluster with that fault if the fault needs one; otherwise null
};

/// Curves for the same question on a cluster that differs in one respect. Null if it cannot differ so.
struct OtherCurves {
  std::shared_ptr<const Curve> sockets; ///< the transport's messages go over TCP sockets instead of verbs
  std::shared_ptr<const Curve> verbs;   ///< they go over verbs instead of sockets
  std::shared_ptr<const Curve> pcie;    ///< PCIe joins the GPUs of a node instead of NVLink
};

} // namespace ddlsim
