#pragma once
// The faults that can make a cluster slow, as rows of a table: where each acts in the model, and what a person should
// check.

#include "sim/predict/scaling_curve.hpp"

#include <memory>
#include <span>
#include <string>
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
  double healthy_sample_s = 0; ///< seconds that a healthy GPU computes for each training sample
};

/// The kinds of severity of a fault.
enum class Severity {
  none,  ///< the fault has no degrees
  factor ///< the fault slows by a factor
};

struct FaultRow {
  Fault fault;
  const char* name;       ///< name in JSON
  const char* what;       ///< name in a sentence, such as "the network of a node"
  const char* look_at;    ///< text on what to check
  bool slows_collectives; ///< whether the fault slows collectives, also in a benchmark
  Severity severity;
  double most; ///< largest factor
  /// Slows the part on which the fault acts by the factor `severity`. Null if the fault needs a curve of its own or
  /// acts on the preset.
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
  double weight = 1;            ///< prior probability, as a multiple of that of the other rows
  const Curve* curve = nullptr; ///< curve of the cluster with that fault, if the fault needs one; else null
};

/// What a log lacks that would test a fault: iterations (it has collectives only), times on another number of nodes, on
/// several nodes, or on several GPUs of one node.
enum class Untimed { iterations, other_nodes, several_nodes, several_gpus };
/// returns "iterations", "other-nodes", "several-nodes" or "several-gpus"
std::string to_text(Untimed untimed);

/// A fault that could act on such a job and that the observed times cannot show.
struct UntestedFault {
  FaultRow row;
  Untimed missing = Untimed::iterations;
};

/// Curves for the same question on a cluster that differs in one respect. A curve is null if the cluster cannot differ
/// so.
struct OtherCurves {
  std::shared_ptr<const Curve> sockets; ///< the transport's messages go over TCP sockets instead of verbs
  std::shared_ptr<const Curve> verbs;   ///< the transport's messages go over verbs instead of TCP sockets
  std::shared_ptr<const Curve> pcie;    ///< PCIe joins the GPUs of a node instead of NVLink
};

} // namespace ddlsim
