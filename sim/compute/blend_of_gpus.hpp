#pragma once
// The time of a GPU that never ran this model, estimated from records of other GPUs and other models, each weighted by
// its uncertainty.

#include "sim/compute/cross_gpu_transfer.hpp"
#include "sim/formats/gpu.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ddlsim {

/// Returns the family of a model. Models of a family keep the ratio of their times from GPU to GPU: "resnet", "vgg",
/// "transformer" (models with attention other than BERT) and others. A model without a family gets its own name.
std::string family_of_model(const std::string& name, const ModelSize& size);

/// How a time was measured: in training on a GPU, on a GPU without an optimizer, or read back from a run on several
/// GPUs.
enum class TimeOrigin : std::uint8_t { training, without_optimizer, read_back };

/// A time with its own uncertainty.
struct BlendedTime {
  double time_s = 0;
  double width = 0;       ///< standard deviation of ln time
  std::string nearest;    ///< GPU of the record with the highest correlation; "" without records
  std::string near_model; ///< the model of that record
  TimeOrigin origin = TimeOrigin::training;
};

/// Returns the time that the catalogue alone predicts. It is the roofline of the model's layers at the balance of a
/// V100 (FLOP/s a byte/s), times the ratio of sqrt(peak x memory bandwidth) of the V100 to that of this GPU, and 60 us
/// a layer and pass for launching. tf32 has the efficiencies of tensor cores.
/// A model with attention uses the GPU's own balance: from an H100 to an H200, with the same peak and 1.43 times the
/// bandwidth, 20 transformers gained 2 % (median; at most 11 %, the narrowest), as their roofline says, and not 16 %
/// (h200-1x1-vm).
/// Returns nothing for a model without layer work or a GPU without a peak rate of the precision.
std::optional<double> catalogue_time_s(const ModelSize& model, const Gpu& gpu, Precision precision, double batch);

/// Returns the best linear prediction of ln time (kriging; Rasmussen and Williams, Gaussian Processes for Machine
/// Learning, 2006, eq. 2.25 and 2.26).
/// ln(measured / catalogue_time_s) of every record is a sum of independent effects. Each effect is shared by the
/// records that agree in something: precision, model, family of models, stack, GPU, architecture, or pairs of these.
/// Further effects are a gain by year and, among transformers, a cost that falls with the width. A record's weight
/// depends on the effects that it shares with the question. So one rule covers another model of the same family, the
/// same model on a similar GPU and a neighbouring batch.
/// 16 bits (fp16, bf16, amp) are one precision here. The effects' sizes are the likeliest for the reference data
/// `single-gpu`, except the two of transformers, which are experts' estimates.
/// Returns nothing without a comparable record, or where catalogue_time_s() returns nothing.
std::optional<BlendedTime> blend_of_gpus(const CurveIndex& index, const ModelSize& model, const Gpu& gpu,
                                         const OtherGpuQuestion& question);

} // namespace ddlsim
