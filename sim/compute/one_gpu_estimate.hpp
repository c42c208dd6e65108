#pragma once
// How fast one GPU is without synchronisation, and which evidence that comes from.

#include "sim/compute/other_clusters.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/prior.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// The one GPU, model and batch whose time is wanted.
struct ComputeQuestion {
  const Model& model;
  const Gpu& gpu;
  Precision precision = Precision::fp32;
  double batch = 0;
  std::string preset; ///< records of the same framework are preferred
};

/// The time of one iteration of one GPU, and how good that figure is.
struct OneGpuEstimate {
  double one_gpu_s = 0;
  std::string prior; ///< in priors.json, of the first of its doubts
  EvidenceLabel label = EvidenceLabel::assumed;
  std::string text;                ///< one sentence for the person
  std::string record;              ///< "file:line" it came from, or ""
  std::vector<std::string> doubts; ///< all priors whose doubts add, the first included
};

/// Best evidence first (each rung's error is measured by leaving one out, see docs/calibration.md):
///   the cluster's own record at this batch; its own line between two batches and more; a record of this GPU at this
///   batch under another stack or on another cluster; a line there, or a little beyond the batches measured here; one
///   batch scaled by the fixed part that is expected; another GPU's time by what an anchor model of the same
///   family, then of another, gains from it to this one; the same model's time on another GPU by sqrt(peak x memory
///   bandwidth); the roofline of the catalogue.
/// On each rung own records come first, then borrowed ones, then the reference data's; the preset's own, then
/// unsynchronised ones; among equals the median. Only the given records count. A time is never carried over to another
/// precision.
OneGpuEstimate find_compute(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                            const std::vector<StepRecord>& borrowed, const OtherClusterTimes& reference = {});

/// Whether a reference data could not change it: calibrated, or a record of this GPU at this batch.
bool is_settled(const OneGpuEstimate& evidence);

/// The priors, with that of `evidence.prior` as wide as all its doubts together: root of the sum of their squares.
/// Throws UserError when one of them is missing.
std::vector<Prior> with_doubts_of(std::vector<Prior> priors, const OneGpuEstimate& evidence);

} // namespace ddlsim
