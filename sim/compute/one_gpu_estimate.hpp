#pragma once
// The speed of one GPU without synchronisation, and the evidence for it.

#include "sim/compute/other_clusters.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/formats/prior.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/scenario.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The GPU, model and batch whose time is wanted.
struct ComputeQuestion {
  const Model& model;
  const Gpu& gpu;
  Precision precision = Precision::fp32;
  double batch = 0;
  std::string preset;                 ///< records of the same framework are preferred
  std::string series{};               ///< if set, this series' own records come before all others
  std::string software{};             ///< if set, records whose software contains this text come first too
  std::optional<StatedRate> stated{}; ///< the rate that the user states, which comes before every record
};

/// The time of one iteration of one GPU, and the quality of that figure.
struct OneGpuEstimate {
  double one_gpu_s = 0;
  std::string prior; ///< the name in priors.json of the first error source
  EvidenceLabel label = EvidenceLabel::assumed;
  std::string text;                       ///< one sentence for the user about the evidence
  std::string record;                     ///< "file:line" of the record; "" without a record
  std::vector<std::string> error_sources; ///< names of all priors whose widths add up, the first included
  /// Standard deviation of ln time between records that are equally good and contradict each other; 0 where they agree.
  double disagreement = 0;
  double stated_width = 0; ///< the standard deviation of ln time that the user stated; 0: the error sources decide
  bool own_series = false; ///< the time is from records of the question's series
  /// Standard deviation of ln time where other GPUs' records were blended; 0 where the error sources decide.
  double blend_width = 0;
};

/// Finds the best evidence for the time of one GPU. The kinds of evidence, best first (the error of each is measured by
/// leaving one out, see docs/calibration.md):
///   1. the user's own rate
///   2. the series' own record
///   3. the cluster's own record at this batch
///   4. the cluster's own line between two batches or more
///   5. a record of this GPU at this batch under another stack or on another cluster
///   6. a line under another stack or on another cluster, or a little beyond the batches measured here
///   7. one batch, scaled with the expected fixed part
///   8. all records of other GPUs and models together, weighted by their uncertainty (blend_of_gpus.hpp)
///   9. for a model without layer work or a GPU without peak rate: another GPU's time, scaled by what an anchor model
///      of the same family, then of another family, gains on this GPU; then the same model's time on another GPU,
///      scaled by sqrt(peak x memory bandwidth)
///   10. without any record: the roofline of the catalogue
/// A worker beside its own parameter server counts after those without one; a worker with a server elsewhere does not
/// count. Within a kind own records come first, then borrowed ones, then the reference data's; synthetic data before
/// real; the preset's own, then unsynchronised ones; among equals the median. Equals more than 6 % apart contradict
/// each other: their spread is an error source of its own, and the text names them. Between two measured batches the
/// time changes smoothly from the records at one to those at the other (candidates.hpp). Only the given records count.
/// A record of this GPU is never used for another precision, with one exception: bf16 without any record uses amp's,
/// with a wider interval. A device that the cluster does not name (unnamed_device()) is known only by records of its
/// own cluster; without one, find() throws UserError.
class OneGpuTimes {
public:
  /// `own` are the records of the question's cluster; those that name no GPU count as records of `unnamed_gpu`.
  /// `reference` has the catalogue and the records of other clusters.
  OneGpuTimes(const std::string& unnamed_gpu, std::vector<StepRecord> own, std::vector<StepRecord> borrowed,
              OtherClusterTimes reference, const ModelConstants& constants = {});
  OneGpuTimes(const OneGpuTimes&) = delete;
  OneGpuTimes& operator=(const OneGpuTimes&) = delete;

  OneGpuEstimate find(const ComputeQuestion& question) const;

private:
  OneGpuEstimate find_in_precision(const ComputeQuestion& question) const;
  const std::vector<BatchCurve>& read_back_curves() const;
  const std::vector<BatchCurve>* named_curves(const std::string& series) const;

  std::vector<StepRecord> own_;
  std::vector<StepRecord> borrowed_;
  OtherClusterTimes reference_;
  double repeat_difference_;
  std::vector<BatchCurve> own_curves_;
  std::vector<BatchCurve> borrowed_curves_;
  std::vector<BatchCurve> reference_curves_;
  /// runs are read back once and late: it takes a while, and few questions need it
  mutable std::once_flag read_back_once_;
  mutable std::vector<StepRecord> read_back_;
  mutable std::vector<BatchCurve> read_back_curves_;
  std::map<std::string, std::vector<StepRecord>> by_series_; ///< the question's own records
  std::map<std::string, std::vector<BatchCurve>> series_curves_;
};

/// Finds the estimate for one question, where OneGpuTimes need not be kept for others.
OneGpuEstimate find_compute(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                            const std::vector<StepRecord>& borrowed, const OtherClusterTimes& reference = {});

/// Returns whether no reference data can change the estimate, because it is calibrated or from a record of this GPU at
/// this batch.
bool is_settled(const OneGpuEstimate& evidence);

} // namespace ddlsim
