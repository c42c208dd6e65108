#pragma once
// The time of one GPU that never ran this model, from GPUs that did.

#include "sim/compute/batch_curve.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Curves by GPU, model, precision and preset. Keeps pointers: the curves must outlive it.
class CurveIndex {
public:
  using Cell = std::vector<const BatchCurve*>;
  CurveIndex(const std::vector<BatchCurve>& curves, const std::vector<Gpu>& gpus, const ModelSizes& models);
  const Cell& cell(const std::string& gpu, const std::string& model, Precision precision,
                   const std::string& preset) const; ///< empty when there is none
  const std::vector<BatchCurve>& curves() const { return curves_; }
  const std::vector<Gpu>& gpus() const { return gpus_; }
  const ModelSizes& models() const { return models_; }

private:
  const std::vector<BatchCurve>& curves_;
  const std::vector<Gpu>& gpus_;
  const ModelSizes& models_;
  struct CellKey {
    std::string gpu;
    std::string model;
    Precision precision = {};
    std::string preset;
    auto operator<=>(const CellKey&) const = default;
  };
  std::map<CellKey, Cell> cells_;
};

/// How a time at a batch follows from curves: as measured, on the line, estimated from one batch (at most a factor 4),
/// or from one farther off.
enum class CurveUse { measured, line, estimated, far };
struct CellTime {
  double time_s = 0;
  CurveUse use = CurveUse::measured;
};

/// The fastest of the cell's curves at that batch (a GPU is compared at the best its libraries reach), by the best use
/// that is possible.
/// `any_batch`: also from batches more than a factor 4 off.
std::optional<CellTime> time_in_cell(const CurveIndex& index, const CurveIndex::Cell& cell, double batch,
                                     bool any_batch = false);

/// Which one-GPU time is estimated from other GPUs.
struct OtherGpuQuestion {
  std::string gpu; ///< the catalogue's name
  std::string model;
  Precision precision = Precision::fp32;
  std::string preset;
  double batch = 0;
  bool any_batch = false; ///< scaled_time: also from batches more than a factor 4 off
};

struct OtherGpuTime {
  double time_s = 0;
  std::string gpu;    ///< the GPU that ran the model
  std::string preset; ///< the stack it ran under
  std::string anchor; ///< the model that both GPUs ran; "" when scaled by the catalogue
  bool same_family = false;
  CurveUse use = CurveUse::measured; ///< of its times the one farthest from a measurement
};

/// "resnet", "vgg", "alexnet", "inception"; "" for networks whose time does not keep its ratio to theirs from GPU to
/// GPU (MobileNet's depthwise layers: off by a factor 2 and more).
std::string anchor_family(const std::string& model);

/// t(gpu, model) = t(other, model) x t(gpu, anchor) / t(other, anchor) at the same batch and precision, all three under
/// one stack. An anchor of the model's own family comes first, then the question's stack, then what is closest to a
/// measurement, then the nearest GPU. `own_family` chooses which anchors count.
std::optional<OtherGpuTime> anchored_time(const CurveIndex& index, const OtherGpuQuestion& question, bool own_family);

/// t(gpu, model) = t(other, model) x sqrt(peak x memory bandwidth of other / of gpu): compute-bound layers follow the
/// one, memory-bound layers the other. The question's stack comes first, then the nearest GPU.
std::optional<OtherGpuTime> scaled_time(const CurveIndex& index, const OtherGpuQuestion& question);

/// ln of sqrt(peak x memory bandwidth) of `to` over `from`; nothing when the catalogue lacks one of them.
std::optional<double> gpu_distance(const std::vector<Gpu>& gpus, const std::string& from, const std::string& to,
                                   Precision precision);

} // namespace ddlsim
