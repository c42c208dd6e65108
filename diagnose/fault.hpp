#pragma once
// What can make a healthy cluster slow, one row a fault: where it acts in the model, and what a person looks at.

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

/// One sample of the question, to which a fault is applied.
struct FaultySetup {
  StepSetup setup;
  Parameters sample;
  double healthy_sample_s = 0; ///< seconds that a healthy GPU takes for one training sample
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
  /// Makes what the fault acts on `severity` times as slow. Null where the fault is a curve of its own, or acts on the
  /// preset.
  void (*apply)(double severity, FaultySetup& one);
  void (*apply_to_preset)(double severity, Preset& preset) = nullptr;
};

/// The setup with the fault in its preset, which must outlive it.
StepSetup with_preset(const StepSetup& setup, const Preset& preset);

/// All faults, but "none of these".
std::span<const FaultRow> fault_rows();

/// A fault that is possible in this setup.
struct FaultKind {
  FaultRow row;
  std::vector<double> severities;
  double weight = 1;            ///< prior probability, relative to the other rows
  const Curve* curve = nullptr; ///< of the cluster with that fault, where the fault needs a curve of its own; else null
};

/// Curves of the same question on a cluster that differs in one thing. Null where it cannot differ in that.
struct OtherCurves {
  std::shared_ptr<const Curve> sockets; ///< TCP sockets carry what the scenario's transport carries by verbs
  std::shared_ptr<const Curve> verbs;   ///< the other way round
  std::shared_ptr<const Curve> pcie;    ///< PCIe joins the GPUs of a node that NVLink should join
};

} // namespace ddlsim
