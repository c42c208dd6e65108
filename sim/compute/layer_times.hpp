#pragma once
// The time of one GPU by layers: forward layer by layer, backward in reverse, and when each gradient is ready.

#include "sim/compute/kernel_work.hpp"
#include "sim/compute/piece_units.hpp"
#include "sim/compute/unit_shape.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/names.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// One gradient tensor and when its backward ends, in seconds from the start of the iteration on an undisturbed GPU.
struct ReadyTensor {
  int tensor = 0;        ///< index in the order of creation (forward) over all layers of the model
  double size_bytes = 0; ///< bytes on the wire
  double ready_s = 0;
};

/// One GPU's iteration without synchronisation.
struct ComputeProfile {
  double forward_s = 0;
  double backward_s = 0;
  std::vector<ReadyTensor> tensors; ///< tensors in the order in which their gradients become ready
  double wire_share = 1;            ///< bytes on the wire over bytes of the gradients that backward computes
  double total_s() const { return forward_s + backward_s; }
};

/// Share of peak FLOP/s that kernels of one kind reach. It can be above 1, because Winograd does fewer multiplications
/// than are counted.
struct KernelEfficiency {
  double forward;
  double backward_data;
  double backward_weights;
};

/// Returns the medians of the DeepBench kernel tables (baidu-research/DeepBench, results/train/*.xlsx) for a kind of
/// convolution: P100 and V100 in fp32, V100 and T4 on tensor cores.
KernelEfficiency convolution_efficiency(LayerKernel kernel, bool tensor_cores);

/// Returns whether a unit is a tensor core; tf32 runs on these.
bool is_tensor_core(ArithmeticUnit unit);

/// Returns which layers fp8 computes in 8 bits: linear layers except the last, which computes how likely each word is.
/// The last is not one of Transformer Engine's layers in Megatron-Core (megatron/core/models/gpt/gpt_model.py:
/// output_layer), and torchtitan's configurations leave "output" out.
std::vector<bool> layers_in_8_bits(const Model& model);

/// Relative time of each layer by a roofline for its kind: FLOP over the kernel efficiency of that kind, bytes over
/// half of the memory rate. The efficiencies are those of the DeepBench kernel tables (baidu-research/DeepBench,
/// results/train). They give only the shape of the profile; the total time scales it.
struct LayerTime {
  double forward_s = 0;
  double backward_s = 0;
};
std::vector<LayerTime> roofline_layer_times(const Model& model, const Gpu& gpu, Precision precision, double batch);

/// Returns the time of one iteration by the roofline alone, for a GPU and a model without any measurement: 0.8 times
/// the sum of the layer times and of 60 us a layer and pass for launching. Checks of records for
/// wrong units use it.
double roofline_iteration_s(const Model& model, const Gpu& gpu, Precision precision, double batch);

/// Returns the profile whose total is `total_s`, of which `forward_share` is the forward pass.
/// `wire_bytes_per_parameter` is 4 for fp32 on the wire and 2 for fp16.
ComputeProfile compute_profile(const Model& model, const Gpu& gpu, Precision precision, double batch, double total_s,
                               double forward_share, double wire_bytes_per_parameter);

/// Returns the bytes of one gradient value on the wire: 4 for fp32 and where a record does not say, 2 for fp16 and
/// bf16.
double bytes_per_parameter(WirePrecision wire_precision);

/// Returns the bytes of a parameter as compute reads it: 2 in 16 bits (fp16, bf16, amp). It is 2 in fp8 too, whose
/// layers keep parameters in 16 bits and convert them to 8 bits when they run.
double computed_bytes_per_parameter(Precision precision);

/// Returns the bytes of one gradient value as backward writes it: 2 for fp16, where the model itself is in 16 bits,
/// else 4. amp and bf16 compute in 16 bits and keep parameters and gradients in fp32.
double gradient_bytes_per_parameter(Precision precision);

/// The arithmetic unit that a precision uses: tensor cores for amp and fp16 where the GPU has them; 8-bit tensor cores
/// for fp8's linear layers.
struct ComputeUnit {
  ArithmeticUnit unit = ArithmeticUnit::fp32;
  double peak_flop_per_s = 0;
};
/// Returns the unit for the precision. Throws UserError when the catalogue has no such unit for the GPU.
ComputeUnit compute_unit(const Gpu& gpu, Precision precision);

/// Returns the unit for the layers that fp8 leaves in 16 bits; compute_unit() for the other precisions. Throws as
/// compute_unit() does.
ComputeUnit wide_unit(const Gpu& gpu, Precision precision);

/// Returns the peak FLOP/s of compute_unit(). Throws as compute_unit() does.
double peak_flop_per_s(const Gpu& gpu, Precision precision);

/// One gradient tensor, and the share of backward that is done when it is ready. This part of a profile does not depend
/// on how long compute takes.
struct TensorShare {
  int tensor = 0;        ///< index in creation order, as in ReadyTensor
  double size_bytes = 0; ///< bytes on the wire
  double done = 0;       ///< share of backward, 0 to 1
};

struct BackwardShape {
  std::vector<TensorShare> tensors;      ///< tensors in the order in which their gradients become ready
  double wire_share = 1;                 ///< bytes on the wire over bytes that backward writes, as in ComputeProfile
  UnitShape units{};                     ///< used by sharded strategies, and by pipelines with recomputation
  std::vector<PieceShape> pieces{};      ///< used by model parallelism only
  std::vector<PieceUnits> piece_units{}; ///< used where model parallelism shards parameters
};

/// Returns the shape of backward by roofline_layer_times(). It is computed once for samples that differ only in their
/// times.
BackwardShape backward_shape(const Model& model, const Gpu& gpu, Precision precision, double batch,
                             double wire_bytes_per_parameter);

/// Returns the profile whose total is `total_s`, of which `forward_share` is the forward pass.
ComputeProfile compute_profile(const BackwardShape& shape, double total_s, double forward_share);

} // namespace ddlsim
