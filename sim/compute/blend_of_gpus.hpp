#pragma once
// The time of a GPU that never ran this model, from the records of other GPUs and other models, each weighed by its
// uncertainty.

#include "sim/compute/cross_gpu_transfer.hpp"
#include "sim/formats/gpu.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ddlsim {

/// "resnet", "vgg", ..., "transformer" (with attention, other than BERT): models whose times go together from GPU to
/// GPU; the model's own name where it has none.
std::string family_of_model(const std::string& name, const ModelSize& size);

/// How a time was measured: on a GPU in training, on a GPU without an optimizer, or read back from a run on several.
enum class TimeOrigin : std::uint8_t { training, without_optimizer, read_back };

/// A time with its own uncertainty.
struct BlendedTime {
  double time_s = 0;
  double width = 0;       ///< standard deviation of ln
  std::string nearest;    ///< the GPU whose record is most alike, "" without records
  std::string near_model; ///< the model it ran
  TimeOrigin origin = TimeOrigin::training;
};

/// What the catalogue alone says: the roofline of the model's layers at the balance of a V100 (FLOP/s a byte/s), times
/// sqrt(peak x memory bandwidth) between that and the GPU, and 60 us a layer and pass for launching. A model with
/// attention is taken at the GPU's own balance: from an H100 to an H200, with the same peak and 1.43 times the
/// bandwidth, 20 transformers gained 2 % (median; at most 11, the narrowest), as their roofline says, and not 16
/// (h200-1x1-vm). tf32 has the efficiencies of tensor cores. Nothing for a model without layer work or a GPU without a
/// peak rate of the precision.
std::optional<double> catalogue_time_s(const ModelSize& model, const Gpu& gpu, Precision precision, double batch);

/// The best linear prediction of ln time (kriging; Rasmussen and Williams, Gaussian Processes for Machine Learning,
/// 2006, eq. 2.25 and 2.26). ln(measured / catalogue_time_s) of every record is a sum of independent effects, each
/// shared by the records that agree in something: precision, model, family of models, stack, GPU, architecture, and
/// pairs of these; a gain by year; and, among transformers, a cost that falls with the width. A record weighs by what
/// it shares with the question, so an anchor of the same family, the same model on a near GPU and a neighbouring batch
/// are one rule. 16 bits (fp16, bf16, amp) are one precision here. The effects' sizes are the likeliest for the
/// reference data `single-gpu`, but for the two of transformers, which are experts' estimates. Nothing without a record
/// that can be compared, or where catalogue_time_s() says nothing.
std::optional<BlendedTime> blend_of_gpus(const CurveIndex& index, const ModelSize& model, const Gpu& gpu,
                                         const OtherGpuQuestion& question);

} // namespace ddlsim
