#pragma once
// How fast one GPU is without synchronisation, and which evidence that comes from.

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

/// The one GPU, model and batch whose time is wanted.
struct ComputeQuestion {
  const Model& model;
  const Gpu& gpu;
  Precision precision = Precision::fp32;
  double batch = 0;
  std::string preset;                 ///< records of the same framework are preferred
  std::string series{};               ///< not empty: this series' own records come before all others
  std::string software{};             ///< not empty: so do records whose software has this text in it
  std::optional<StatedRate> stated{}; ///< the asker's own rate, which comes before every record
};

/// The time of one iteration of one GPU, and how good that figure is.
struct OneGpuEstimate {
  double one_gpu_s = 0;
  std::string prior; ///< in priors.json, of the first of its error sources
  EvidenceLabel label = EvidenceLabel::assumed;
  std::string text;                       ///< one sentence for the person
  std::string record;                     ///< "file:line" it came from, or ""
  std::vector<std::string> error_sources; ///< all priors whose widths add, the first included
  /// Standard deviation of ln time between records that are equally good and contradict each other; 0: they agree.
  double disagreement = 0;
  double stated_width = 0; ///< standard deviation of ln time that the asker stated; 0: that of the error sources
  bool own_series = false; ///< from records of the question's series
  double blend_width =
      0; ///< standard deviation of ln time where other GPUs' records were blended; 0: that of the error sources
};

/// Best evidence first (the error of each kind is measured by leaving one out, see docs/calibration.md):
///   the asker's own rate; the series' own record; the cluster's own record at this batch; its own line between two
///   batches and more; a record of this GPU at this
///   batch under another stack or on another cluster; a line there, or a little beyond the batches measured here; one
///   batch scaled by the fixed part that is expected; what all records of other GPUs and models say together, each by
///   its uncertainty (blend_of_gpus.hpp). For a model without layer work, or a GPU without peak rate: another GPU's
///   time by what an anchor model of the same family, then of another, gains from it to this one; the same model's time
///   on another GPU by sqrt(peak x memory bandwidth). Without any record the roofline of the catalogue.
/// A worker beside its own parameter server counts after those without one, a worker with a server elsewhere nowhere.
/// Within a kind own records come first, then borrowed ones, then the reference data's; synthetic data before real; the
/// preset's own, then unsynchronised ones; among equals the median. Equals more than 6 % apart contradict each other:
/// their spread is an error source of its own, and the text names them. Between measured batches the time goes over
/// from what the one's records say to what the other's say (candidates.hpp). Only the given records count. A record
/// of this GPU is never carried over to another precision, but for bf16 without any record, which is amp's with a wider
/// interval. A device that nobody named (unnamed_device()) is known by records of its own cluster alone: without one,
/// find() throws UserError.
class OneGpuTimes {
public:
  /// own: of the question's cluster; its records that name no GPU are of `unnamed_gpu`. `reference` holds the
  /// catalogue.
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
  mutable std::once_flag read_back_once_; ///< reading runs back takes a while, and few questions need it
  mutable std::vector<StepRecord> read_back_;
  mutable std::vector<BatchCurve> read_back_curves_;
  std::map<std::string, std::vector<StepRecord>> by_series_; ///< own records
  std::map<std::string, std::vector<BatchCurve>> series_curves_;
};

/// One estimate without keeping a OneGpuTimes.
OneGpuEstimate find_compute(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                            const std::vector<StepRecord>& borrowed, const OtherClusterTimes& reference = {});

/// Whether no reference data can change it: calibrated, or a record of this GPU at this batch.
bool is_settled(const OneGpuEstimate& evidence);

} // namespace ddlsim
