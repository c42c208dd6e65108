#pragma once
// The time of one GPU that never ran this model, estimated from GPUs that did.

#include "sim/compute/batch_curve.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Curves by GPU, model, precision and preset. The index keeps pointers, so the curves must outlive it.
class CurveIndex {
public:
  using Cell = std::vector<const BatchCurve*>;
  CurveIndex(const std::vector<BatchCurve>& curves, const std::vector<Gpu>& gpus, const ModelSizes& models);
  const Cell& cell(const std::string& gpu, const std::string& model, Precision precision,
                   const std::string& preset) const; ///< the list is empty when there is no such curve
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

/// How a time at a batch follows from curves: it was measured at that batch, lies on the line, or is scaled from one
/// batch that is at most a factor 4 away (estimated) or farther away (far).
enum class CurveUse { measured, line, estimated, far };
struct CellTime {
  double time_s = 0;
  CurveUse use = CurveUse::measured;
};

/// Returns the time at that batch for one GPU, model, precision and preset, by the best use that is possible. The
/// fastest of several curves counts, because GPUs are compared by the best that their libraries reach. `any_batch` also
/// allows batches more than a factor 4 away.
std::optional<CellTime> time_in_cell(const CurveIndex& index, const CurveIndex::Cell& cell, double batch,
                                     bool any_batch = false);

/// The GPU, model and batch whose time is estimated from other GPUs.
struct OtherGpuQuestion {
  std::string gpu; ///< GPU's name in the catalogue
  std::string model;
  Precision precision = Precision::fp32;
  std::string preset;
  double batch = 0;
  bool any_batch = false; ///< used by scaled_time(): batches more than a factor 4 away count too
};

struct OtherGpuTime {
  double time_s = 0;
  std::string gpu;    ///< the GPU that ran the model
  std::string preset; ///< the stack that it ran under
  std::string anchor; ///< the model that both GPUs ran; "" for a time that was scaled by the catalogue
  bool same_family = false;
  CurveUse use = CurveUse::measured; ///< the least certain use among the times
};

/// Returns the family in which another model may stand for this one: "resnet", "vgg", "alexnet" or "inception". Returns
/// "" for networks whose time does not keep its ratio to these from GPU to GPU (MobileNet's depthwise layers are off by
/// a factor 2 and more).
std::string anchor_family(const std::string& model);

/// Returns t(gpu, model) = t(other, model) x t(gpu, anchor) / t(other, anchor) at the same batch and precision, all
/// three under one stack. The anchor is a model that both GPUs ran. The question's stack is preferred, then times
/// closest to a measurement, then the nearest GPU. With `own_family` only anchors of the model's own family count, else
/// only anchors of other families.
std::optional<OtherGpuTime> anchored_time(const CurveIndex& index, const OtherGpuQuestion& question, bool own_family);

/// Returns t(gpu, model) = t(other, model) x sqrt(peak x memory bandwidth of other / of gpu): compute-bound layers
/// scale with the peak rate, memory-bound layers with the bandwidth. The question's stack is preferred, then the
/// nearest GPU.
std::optional<OtherGpuTime> scaled_time(const CurveIndex& index, const OtherGpuQuestion& question);

/// Returns ln of sqrt(peak x memory bandwidth) of `to` over `from`; nothing when the catalogue lacks one of them.
std::optional<double> gpu_distance(const std::vector<Gpu>& gpus, const std::string& from, const std::string& to,
                                   Precision precision);

} // namespace ddlsim
