#pragma once
// The speed of one GPU without synchronisation, and the evidence for it.

#include "sim/compute/kernel_work.hpp"
#include "sim/compute/other_clusters.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/formats/prior.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/scenario.hpp"

#include <memory>
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
  std::optional<StatedRate> stated{}; ///< the user's own rate, which comes before every record
  bool has_update = true;             ///< the time includes the optimizer
  std::optional<bool> matmul_tf32{};  ///< whether products in fp32 use TF32; nothing: as tf32_use() says
  std::optional<bool> conv_tf32{};    ///< whether convolutions in fp32 use TF32
  WorkSplit split{};                  ///< of the strategy that is asked about, split_of()
};

/// Names of the priors of a one-GPU time: of one that was measured here, at this batch, and of all others.
inline constexpr const char* compute_measured = "compute_measured";
inline constexpr const char* compute_estimated = "compute_estimated";

/// The time of one iteration of one GPU, and the quality of that figure. The widths are standard deviations of
/// ln(true / estimated).
struct OneGpuEstimate {
  double one_gpu_s = 0;
  std::string prior; ///< compute_measured or compute_estimated
  EvidenceLabel label = EvidenceLabel::assumed;
  std::string text{};      ///< one sentence for the user
  std::string record{};    ///< "file:line" of the nearest record, or ""
  double stack_width = 0;  ///< error that all models of this stack on this GPU share
  double model_width = 0;  ///< further error that all batches of the model share
  double batch_width = 0;  ///< further error of this batch alone
  double stated_width = 0; ///< of the user's own rate; 0: not stated
  double disagreement = 0; ///< of equally good records that contradict each other
  bool own_series = false; ///< the time is from records of the question's series
};

/// Returns find_measured() (measured_time.hpp) if it has an answer. Otherwise estimates the time from all records together, by the best linear prediction of ln(measured / kernel
/// model) (kriging; Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, eq. 2.25 and 2.26). Workloads
/// share deviations of the parts of their times by what they have in common (deviation.hpp), so that one rule covers a
/// other batches and models of the site, the same stack elsewhere, and other GPUs. If some records of the question's GPU, model and precision are of its
/// series, or contain its software, the others of that model do not count. A device that the cluster does not name
/// (unnamed_device()) is known only by records of its own cluster; without one, find() throws UserError.
class OneGpuTimes {
public:
  /// `own` has the records of the question's cluster, which is of `site`; those that name no GPU count as
  /// `unnamed_gpu`'s. `reference` has the catalogue.
  OneGpuTimes(const std::string& unnamed_gpu, std::string site, std::vector<StepRecord> own,
              std::vector<StepRecord> borrowed, OtherClusterTimes reference, const ModelConstants& constants = {});
  OneGpuTimes(const OneGpuTimes&) = delete;
  OneGpuTimes& operator=(const OneGpuTimes&) = delete;
  ~OneGpuTimes();

  OneGpuEstimate find(const ComputeQuestion& question) const;

private:
  struct State; ///< rows, and what they are made of
  std::unique_ptr<State> state_;
};

/// Finds one estimate without keeping a OneGpuTimes.
OneGpuEstimate find_compute(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                            const std::vector<StepRecord>& borrowed, const OtherClusterTimes& reference = {});

} // namespace ddlsim
