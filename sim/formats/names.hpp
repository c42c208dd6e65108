#pragma once
// Names that files of several formats share, as enums. One switch for each enum gives the texts, and everything that
// reads, lists or prints a name uses it. A value without a text does not compile.

#include "sim/base/spelling.hpp"

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// The result on every rank: the sum of all vectors, the rank's own part of that sum, or the parts of all ranks.
enum class CollectiveOperation { all_reduce, reduce_scatter, all_gather };

/// How a collective's messages travel between ranks. Each has an all-reduce; the ring has other operations, too.
enum class Algorithm {
#define DDLSIM_ALL_REDUCE(algorithm, text) algorithm,
#include "sim/formats/collectives.def"
};

/// One row of sim/formats/collectives.def.
struct CollectiveKind {
  CollectiveOperation operation = CollectiveOperation::all_reduce;
  Algorithm algorithm = Algorithm::ring;

  auto operator<=>(const CollectiveKind&) const = default;
};

constexpr CollectiveKind all_reduce_by(Algorithm algorithm) {
  return {CollectiveOperation::all_reduce, algorithm};
}

/// Returns all collectives, in the order of the rows.
const std::vector<CollectiveKind>& every_collective();

/// How gradients are combined: an all-reduce algorithm by its name, or
///   none         not at all: a single GPU
///   ps           by parameter servers; every iteration waits for all workers
///   ps_async     by parameter servers; no worker waits for another
///   all_reduce   by an all-reduce whose algorithm a record does not state
///   automatic    by the all-reduce that the preset's library chooses
///   zero_1       ZeRO: each rank updates its part of the parameters, and keeps only that part of the optimizer's state
///   zero_2       the same, and each rank keeps only its part of the gradients
///   fsdp         ZeRO-3: each rank keeps only its part of everything, and gathers a unit's parameters when needed
///   model_parallel
///                layers are split over the ranks of a tensor group, distributed over the stages of a pipeline, or
///                both; the stages are replicated for data parallelism
enum class StrategyName {
  none,
#define DDLSIM_ALL_REDUCE(algorithm, text) algorithm,
#include "sim/formats/collectives.def"
  ps,
  ps_async,
  all_reduce,
  automatic,
  zero_1,
  zero_2,
  fsdp,
  model_parallel,
};

/// Families of strategies that move gradients in the same way, so that a run of one tells how the others run.
enum class StrategyFamily { none, all_reduce, servers, sharded, model_parallel };

/// Which activations are computed again in backward instead of stored: none; the attention's products; all of a block
/// except attention and every other matrix product (torchtitan's "selective" by operations); all of a block except its
/// input. In questions `best` lets predict search it at each scale.
enum class Recompute { none, selective, alternate_matmuls, full, best };

/// Which state of a sharded model is in host memory, where CPUs update it: none; the optimizer's state, to which
/// gradients are copied; also the parameters, of which each part is copied to the GPU when it is gathered.
enum class Offload { none, optimizer, optimizer_and_parameters };

/// How a stack computes the loss of logits, which decides how many copies of them are in memory at the same time
/// (sim/compute/layer_memory.cpp): eager, operation by operation; parallel, over a vocabulary that is cut over ranks, as
/// Megatron-LM; fused, one kernel that writes a gradient in fp32; compiled, one whose gradient has the logits' type;
/// in_place, one that writes the gradient over the logits.
enum class CrossEntropy { eager, parallel, fused, compiled, in_place };

/// What updates the parameters (sim/compute/optimizer.hpp): SGD with momentum; AdamW as frameworks run it; AdamW in one
/// kernel; AdamW with moments in 8 bits; Muon for matrices inside the model, and AdamW for the rest; Adafactor.
enum class Optimizer { sgd, adamw, adamw_fused, adamw_8bit, muon, adafactor };

/// Whether a model's peak fits into a GPU's memory: surely; within the error of the count; surely not.
enum class MemoryFit { fits, tight, too_large };

/// Order in which a pipeline stage runs its micro-batches: gpipe, all forwards, then all backwards; one_f_one_b, each
/// backward as soon as it is possible; interleaved, the same with several pieces of the model on each stage;
/// zero_bubble, as 1f1b, with gradients of weights computed later, when a stage would wait.
enum class PipelineSchedule { gpipe, one_f_one_b, interleaved, zero_bubble };

/// How replicas of a pipeline combine their gradients: all_reduce, each gets the sum and updates everything; zero_1,
/// each gets the sum of its part, updates that part, and gathers the other parameters; fsdp, each keeps a part of the
/// parameters, too, and gathers the others while it computes.
enum class DataParallel { all_reduce, zero_1, fsdp };

/// How a context group attends to whole sequences: all_gather, each rank gathers the keys and values of all; ring, keys
/// and values go from rank to rank beside attention; all_to_all, ranks exchange parts of sequences for heads and back.
enum class ContextKind { all_gather, ring, all_to_all };

/// Order of the rank numbers of a pipeline. The tensor rank changes fastest, then the context rank, then the replica
/// and last the stage, or the stage and last the replica.
enum class RankOrder { stages_last, replicas_last };

/// How tokens get to experts on other ranks. all_to_all: a copy for each expert that a token chooses. deepep: one for
/// each rank that has such experts, and between nodes one for each node (DeepEP's and HybridEP's kernels).
enum class ExpertExchange { all_to_all, deepep };

/// How NCCL sends a message: with flags beside the data (ll: 4 bytes in 8, ll128: 120 in 128), which the receiver
/// watches, or in whole chunks, each followed by a signal (simple). none: the library has no such choice.
enum class Protocol { none, ll, ll128, simple };

/// How a framework groups gradients into operations; scenarios/presets.json says which framework uses which.
enum class Grouping { buckets, per_tensor, fusion, single };

/// Rule that assigns tensors to servers: sim/parameter_server/placement.hpp defines the rules.
enum class Sharding { round_robin, bytes, split, pieces, hash, unknown };

/// Whether parameter servers run on hosts of their own.
enum class Placement { dedicated, colocated, unknown };

/// The device that sums gradients on a parameter server.
enum class Device { cpu, gpu };

/// Arithmetic of a training run, in the order of the names, by which tables are sorted. In fp8, fp8-block, mxfp8 and
/// nvfp4 linear layers multiply in 8 or 4 bits, and the rest is as in bf16 (NVIDIA's Transformer Engine, torchao).
/// fp8        one scale for a tensor, or for a row of it
/// fp8-block  one scale for 128 values, or for a square of 128 by 128
/// mxfp8      one scale for 32 values, in the tensor cores of Blackwell
/// nvfp4      4 bits, one scale for 16 values, in the tensor cores of Blackwell
enum class Precision { amp, bf16, fp16, fp32, fp8, fp8_block, mxfp8, nvfp4, tf32 };

/// Number format in which gradients are sent.
enum class WirePrecision { fp32, fp16, bf16, unknown };

/// Library that a preset's framework uses to move gradients.
enum class Library { nccl, mpi, gloo, grpc, ps_lite, byteps };

/// Links between GPUs of one node.
enum class IntraKind { none, pcie_tree, nvlink_mesh, nvswitch, host_staging };

/// Network between nodes: all on one non-blocking switch; leaves below narrower uplinks; the same with a separate leaf
/// for each NIC of a node; every node linked to its neighbours in a grid whose ends meet; groups of switches that are
/// all linked to each other.
enum class FabricKind { star, fat_tree, rails, torus, dragonfly };

/// Uplinks that messages use in a fat-tree: spread over all of a group's, or fixed by the destination.
enum class Routing { adaptive, fixed };

/// Placement of a job's nodes on a fabric: one after another, distributed over its leaves, or as listed.
enum class NodeOrder { packed, scattered, listed };

/// What the traffic of a NIC passes through before the wire, if anything; docs/formats.md describes each.
enum class NicPath { virtual_switch, efa, ip_over_fabric, host_memory };

/// Software that a transport uses to move bytes; shm stays inside a node.
enum class Carrier { nccl, mpi, gloo, grpc, shm };

/// How the GPUs of a node combine a gradient before it is sent to parameter servers:
///   reduce_scatter  each GPU sums a part; the parts are gathered when the servers have returned them
///   one_gpu         one GPU sums all of it; tensors take turns among the GPUs
enum class NodeReduce { reduce_scatter, one_gpu };

/// Meaning of a prior's width: standard deviation of the logarithm, or in the parameter's unit.
enum class PriorScale { log, linear, heavy_log };

/// The evidence behind a number, the best first: measured here; measured here at smaller scales; measured on another
/// machine or GPU; a prior.
enum class EvidenceLabel { calibrated, extrapolated, transferred, assumed };

/// The kinds of measured records, in the order of the variant in record.hpp.
enum class RecordKind { step, collective, point_to_point, layers, server, input, loss, speed_up };

/// The pass of a layer that was timed. backward is the whole pass; -data and -weights are its two halves.
enum class LayerPass { forward, backward, backward_data, backward_weights, optimizer };

/// Whether the iteration of a step record was training or the forward pass only.
enum class RunMode { train, forward };

/// How a node is paid for: by the hour; by the hour with a reservation for a term; once, as a purchase; only for its
/// energy, because it is owned already.
enum class PriceKind { on_demand, reserved, purchase, owned };

/// The quantity that a plan minimises.
enum class PlanGoal { cost, time, energy };

std::string to_text(Algorithm value); ///< returns the name of the algorithm's all-reduce
std::string to_text(const CollectiveKind& collective);
std::string to_text(StrategyName value);
std::string to_text(Recompute value);
std::string to_text(Offload value);
std::string to_text(CrossEntropy value);
std::string to_text(Optimizer value);
std::string to_text(MemoryFit value);
std::string to_text(PipelineSchedule value);
std::string to_text(DataParallel value);
std::string to_text(ContextKind value);
std::string to_text(RankOrder value);
std::string to_text(ExpertExchange value);
std::string to_text(Protocol value);
std::string to_text(Grouping value);
std::string to_text(Sharding value);
std::string to_text(Placement value);
std::string to_text(NicPath value);
std::string to_text(Device value);
std::string to_text(Precision value);
std::string to_text(WirePrecision value);
std::string to_text(Library value);
std::string to_text(IntraKind value);
std::string to_text(FabricKind value);
std::string to_text(Routing value);
std::string to_text(NodeOrder value);
std::string to_text(NodeReduce value);
std::string to_text(PriorScale value);
std::string to_text(EvidenceLabel value);
std::string to_text(RecordKind value);
std::string to_text(LayerPass value);
std::string to_text(RunMode value);
std::string to_text(PriceKind value);
std::string to_text(PlanGoal value);

/// Returns the name, or "" when there is no value.
template <class Name> std::string to_text(const std::optional<Name>& value) {
  return value ? to_text(*value) : std::string{};
}

/// Returns all values of an enum in the order of its declaration, including "unknown" if it has one.
template <class Name> const std::vector<Name>& values_of() {
  static const auto values = [] {
    std::vector<Name> all;
    for (int i = 0; !to_text(static_cast<Name>(i)).empty(); ++i) all.push_back(static_cast<Name>(i));
    return all;
  }();
  return values;
}

/// Returns the texts of all values of an enum.
template <class Name> std::vector<std::string> names_of(const std::vector<Name>& values) {
  std::vector<std::string> names;
  for (const Name value : values) names.push_back(to_text(value));
  return names;
}
template <class Name> const std::vector<std::string>& names_of() {
  static const auto names = names_of(values_of<Name>());
  return names;
}

/// Returns the texts without "unknown". A question may use only these, while a record may leave the value open.
template <class Name> const std::vector<std::string>& known_names_of() {
  static const auto names = [] {
    auto all = names_of<Name>();
    std::erase(all, "unknown");
    return all;
  }();
  return names;
}

/// Returns the value with that text; nothing for any other text.
template <class Name> std::optional<Name> value_named(std::string_view text) {
  for (const Name value : values_of<Name>())
    if (to_text(value) == text) return value;
  return std::nullopt;
}

/// Returns other words that people use for the values; none for an enum whose names only this program uses.
template <class Name> std::span<const OtherWord> other_words_of(Name) {
  return {};
}
std::span<const OtherWord> other_words_of(Precision);
std::span<const OtherWord> other_words_of(WirePrecision);
std::span<const OtherWord> other_words_of(StrategyName);

/// Returns the value that a text means: by its name in any spelling, or by another word for it.
template <class Name> std::optional<Name> value_meant(std::string_view text) {
  std::string name = spelt_like(text, names_of<Name>());
  for (const auto& other : other_words_of(Name{}))
    if (name.empty() && folded(text) == other.word) name = other.name;
  return name.empty() ? std::nullopt : value_named<Name>(name);
}

StrategyFamily family_of(StrategyName strategy);

/// Returns true for ps and ps-async.
bool is_parameter_server(StrategyName strategy);

/// Returns true for zero-1, zero-2 and fsdp.
bool is_sharded(StrategyName strategy);

/// Whether ranks compute different parts of the layers.
bool is_model_parallel(StrategyName strategy);

/// Returns whether several GPUs share the update of the parameters, so that one GPU's time does not have it.
bool shares_update(StrategyName strategy);

/// Returns the all-reduce that a strategy names; nothing when it names none.
std::optional<Algorithm> algorithm_of(StrategyName strategy);

/// Returns the name at the start of a strategy's text: ps for "ps(2 dedicated, bytes)". Nothing when there is none.
std::optional<StrategyName> strategy_name_in(std::string_view strategy_text);

/// Returns the names of transports that cluster files may use: "nccl-ib", "nccl-tcp", "mpi-ib", "mpi-tcp", "gloo-tcp",
/// "grpc", "shm".
const std::vector<std::string>& transport_names();

/// Returns the software that moves the bytes of the transport with that name; nothing for an unknown name.
std::optional<Carrier> carrier_of(std::string_view transport);

/// Whether activations have 16 bits, for tensor cores where the GPU has them. True for amp, and for fp8 and its like,
/// whose activations have 16 bits; false for tf32.
bool has_16_bit_values(Precision precision);

/// Whether linear layers multiply in 8 or 4 bits.
bool has_narrow_products(Precision precision);

} // namespace ddlsim
