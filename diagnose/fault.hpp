#pragma once
// What can make a healthy cluster slow, one row a fault: where it acts in the model, and what a person looks at.

#include "sim/predict/scaling_curve.hpp"

#include <vector>

namespace ddlsim {

enum class Fault { link, host, gpu, inside, latency, loader, storage, server };

/// A question with a fault in it.
struct FaultySetup {
  StepSetup setup;
  Parameters sample;
};

struct FaultKind {
  Fault fault;
  const char* name;      ///< in JSON
  const char* what;      ///< in a sentence: "the network of a node"
  const char* look_at;   ///< what to do about it
  bool slows_all_reduce; ///< of a benchmark of all-reduces, too
  /// Puts it in: what it acts on is `severity` times as slow. `healthy_sample_s`: seconds a GPU takes for one sample, likeliest.
  void (*put)(double severity, double healthy_sample_s, FaultySetup& one);
};

/// All of them, but those that cannot act: servers' without servers, a network's on one node.
std::vector<FaultKind> possible_faults(const StepSetup& setup, int largest_gpus);

} // namespace ddlsim
