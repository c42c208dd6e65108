#pragma once
// How wrong each kind of evidence for a one-GPU time is, measured by leaving one out over records.

#include "sim/compute/batch_curve.hpp"
#include "sim/formats/data_folder.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Errors are ln(predicted / measured).
struct EvidenceError {
  std::string prior; ///< name in priors.json of this kind of evidence
  int questions = 0;
  double mean = 0;  ///< of |ln|
  double worst = 0; ///< largest |ln|
  double width = 0; ///< root mean square: the standard deviation that the prior should have
  double bias = 0;  ///< mean of ln: above 0 when predicted too slow
};

/// What was measured, and what it can be compared by.
struct OneGpuCurves {
  std::vector<BatchCurve> curves;
  std::vector<Gpu> gpus;
  std::map<std::string, Model> models;
  ModelSizes sizes;
};

/// One-GPU records as shipped. The curves of `one_gpu` point to `records`.
struct ComputeRecords {
  std::vector<StepRecord> records;
  OneGpuCurves one_gpu;
};

/// Of all clusters, or of single-GPU benchmarks alone (files in a folder single-gpu), whose records no validation asks
/// for. Throws UserError for files that cannot be read.
ComputeRecords read_compute_records(const DataFolder& data, bool single_gpu_only);

/// One row for each kind of evidence that the curves can test, best first:
///   compute_interpolated  a batch inside a curve from the curve's other batches
///   compute_extrapolated  a curve's first or last batch, at most a factor 2 away from the others
///   compute_one_batch     each batch of a curve from each other, at most a factor 4 away
///   compute_transferred   the same GPU, model, precision, batch and stack measured for another cluster
///   compute_other_stack   the same under another stack, each at the fastest it was measured
///   compute_anchored_family, compute_anchored, compute_scaled, compute_roofline
///                         each (GPU, model, precision, stack) at each of its batches, its own records left out
/// Names end in _reduced for amp, fp16 and bf16 where the ladder tells them apart.
std::vector<EvidenceError> measure_evidence(const OneGpuCurves& one_gpu);

/// One GPU's times from another's, all models, batches and stacks that both ran in fp32.
struct GpuPairError {
  std::string from;
  std::string to;
  EvidenceError scaled;   ///< by sqrt(peak x memory bandwidth)
  EvidenceError anchored; ///< by the best anchor, of the model's own family where there is one; 0 questions: no anchor
};
std::vector<GpuPairError> transfer_between_gpus(const OneGpuCurves& one_gpu);

/// Tables of both for a person.
std::string to_text(const std::vector<EvidenceError>& errors);
std::string to_text(const std::vector<GpuPairError>& pairs);

} // namespace ddlsim
