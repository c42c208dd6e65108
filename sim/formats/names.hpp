#pragma once
// Names that files of several formats share, as enums: each has one switch that gives its text, and everything that
// reads, lists or prints a name goes through it. A value without a text does not compile.

#include "sim/base/spelling.hpp"

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// What every rank has at the end: the sum of all vectors, its own part of that sum, or the parts of all ranks.
enum class CollectiveOperation { all_reduce, reduce_scatter, all_gather };

/// How the messages of a collective go from rank to rank. Each has an all-reduce; the ring has other operations, too.
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

/// In the order of the rows.
const std::vector<CollectiveKind>& every_collective();

/// How gradients are brought together: an all-reduce algorithm by its name, or
///   none         not at all: one GPU alone
///   ps           parameter servers, every iteration waits for all workers
///   ps_async     parameter servers that nobody waits at
///   all_reduce   an all-reduce of which a record does not say the algorithm
///   automatic    the all-reduce that the preset's library takes
///   zero_1       ZeRO: each rank updates its part of the parameters, and keeps the optimizer's state of that part only
///   zero_2       the same, and keeps the gradients of its part only
///   fsdp         ZeRO-3: keeps its part of everything, and gathers a unit's parameters where they are needed
///   model_parallel
///                layers are cut over the ranks of a tensor group, dealt out over the stages of a pipeline, or both;
///                and each stage is repeated for data parallelism
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

/// Strategies that move gradients alike: a run of one teaches how the others of its family run.
enum class StrategyFamily { none, all_reduce, servers, sharded, model_parallel };

/// What of the activations is not kept for backward, but computed again there: nothing; the attention's products;
/// all of a block but attention and every other matrix product (torchtitan's "selective" by operations); all of a block
/// but its input.
enum class Recompute { none, selective, alternate_matmuls, full };

/// What of a sharded model's state is in host memory, where processors update it: nothing; the optimizer's state, with
/// gradients on their way there; the parameters besides, of which each part comes to the GPU when it is gathered.
enum class Offload { none, optimizer, optimizer_and_parameters };

/// In which order a stage of a pipeline runs its micro-batches: gpipe, all forwards, then all backwards; one_f_one_b, a
/// backward as soon as there is one; interleaved, the same with several pieces of the model on each stage.
enum class PipelineSchedule { gpipe, one_f_one_b, interleaved };

/// What the replicas of a pipeline do with each other's gradients: all_reduce, each gets their sum and updates all;
/// zero_1, each gets the sum of its part, updates that, and gathers the parameters of the others.
enum class DataParallel { all_reduce, zero_1 };

/// How the ranks of a pipeline are numbered, fastest first: tensor, context, then replicas and stages last, or stages
/// and replicas last.
enum class RankOrder { stages_last, replicas_last };

/// How NCCL passes a message on: with flags beside the data (ll: 4 bytes in 8, ll128: 120 in 128), which the receiver
/// watches, or whole chunks and a signal behind each (simple). none: a library that has no such choice.
enum class Protocol { none, ll, ll128, simple };

/// How a framework groups gradients into operations: scenarios/presets.json says which does what.
enum class Grouping { buckets, per_tensor, fusion, single };

/// Which server holds which tensor: sim/parameter_server/placement.hpp has the rules.
enum class Sharding { round_robin, bytes, split, pieces, hash, unknown };

/// Whether parameter servers have hosts of their own.
enum class Placement { dedicated, colocated, unknown };

/// Where a parameter server adds up.
enum class Device { cpu, gpu };

/// What a training run computes in; in the order of the names, by which tables are sorted. fp8: linear layers multiply
/// in 8 bits, all else is as in bf16 (NVIDIA's Transformer Engine, torchao).
enum class Precision { amp, bf16, fp16, fp32, fp8, tf32 };

/// What gradients are sent in.
enum class WirePrecision { fp32, fp16, bf16, unknown };

/// What a preset's framework moves gradients with.
enum class Library { nccl, mpi, gloo, grpc, ps_lite, byteps };

/// How GPUs of one node reach each other.
enum class IntraKind { none, pcie_tree, nvlink_mesh, nvswitch, host_staging };

/// How nodes reach each other: all on one non-blocking switch; leaves under narrower uplinks; the same with a leaf of
/// its own for each NIC of a node; every node linked to its neighbours in a grid whose ends meet; groups of switches,
/// all linked to each other.
enum class FabricKind { star, fat_tree, rails, torus, dragonfly };

/// How messages go over the uplinks of a group of a fat-tree: spread over all, or each over the one of its destination.
enum class Routing { adaptive, fixed };

/// Where the nodes of a job are on a fabric: one after another, dealt out over its leaves, or as a list says.
enum class NodeOrder { packed, scattered, listed };

/// What traffic of a NIC passes on its way to the wire, where that is not straight; docs/formats.md says what each does.
enum class NicPath { virtual_switch, efa, ip_over_fabric };

/// What software a transport moves bytes with; shm stays inside a node.
enum class Carrier { nccl, mpi, gloo, grpc, shm };

/// What the GPUs of a node do with a gradient before it leaves for parameter servers:
///   reduce_scatter  each sums a part, and the parts are gathered when they are back
///   one_gpu         one GPU, another for each tensor, sums all of it
enum class NodeReduce { reduce_scatter, one_gpu };

/// How a prior's width is meant: of the logarithm, or in its unit.
enum class PriorScale { log, linear, heavy_log };

/// What a number rests on, the best first: measured here; measured here at smaller scales; measured on another machine
/// or GPU; a prior.
enum class EvidenceLabel { calibrated, extrapolated, transferred, assumed };

/// The kinds of measured records, in the order of the variant in record.hpp.
enum class RecordKind { step, collective, point_to_point, layers, server, input, loss, speed_up };

/// What of a step ran in a layer. backward is the whole pass; -data and -weights are its two halves.
enum class LayerPass { forward, backward, backward_data, backward_weights, optimizer };

/// What a step record's iteration did.
enum class RunMode { train, forward };

/// How a node is paid for: by the hour; by the hour after a promise to keep it for a term; once, as one's own; not at
/// all but for its energy, as it is there already.
enum class PriceKind { on_demand, reserved, purchase, owned };

/// What a plan has least of.
enum class PlanGoal { cost, time, energy };

std::string to_text(Algorithm value); ///< the name of its all-reduce
std::string to_text(const CollectiveKind& collective);
std::string to_text(StrategyName value);
std::string to_text(Recompute value);
std::string to_text(Offload value);
std::string to_text(PipelineSchedule value);
std::string to_text(DataParallel value);
std::string to_text(RankOrder value);
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

/// "" for nothing.
template <class Name> std::string to_text(const std::optional<Name>& value) {
  return value ? to_text(*value) : std::string{};
}

/// Every value of an enum above, in the order of its declaration; "unknown" too where it has one.
template <class Name> const std::vector<Name>& values_of() {
  static const auto values = [] {
    std::vector<Name> all;
    for (int i = 0; !to_text(static_cast<Name>(i)).empty(); ++i) all.push_back(static_cast<Name>(i));
    return all;
  }();
  return values;
}

/// Their texts.
template <class Name> std::vector<std::string> names_of(const std::vector<Name>& values) {
  std::vector<std::string> names;
  for (const Name value : values) names.push_back(to_text(value));
  return names;
}
template <class Name> const std::vector<std::string>& names_of() {
  static const auto names = names_of(values_of<Name>());
  return names;
}

/// The texts without "unknown": what a question may say, where a record may have to leave it open.
template <class Name> const std::vector<std::string>& known_names_of() {
  static const auto names = [] {
    auto all = names_of<Name>();
    std::erase(all, "unknown");
    return all;
  }();
  return names;
}

/// The value of that text; nothing for any other text.
template <class Name> std::optional<Name> value_named(std::string_view text) {
  for (const Name value : values_of<Name>())
    if (to_text(value) == text) return value;
  return std::nullopt;
}

/// What others call the values; nothing for an enum whose names are ours alone.
template <class Name> std::span<const OtherWord> other_words_of(Name) {
  return {};
}
std::span<const OtherWord> other_words_of(Precision);
std::span<const OtherWord> other_words_of(WirePrecision);
std::span<const OtherWord> other_words_of(StrategyName);

/// The value that a person means by the text: its name in any spelling, or another's word for it.
template <class Name> std::optional<Name> value_meant(std::string_view text) {
  std::string name = spelt_like(text, names_of<Name>());
  for (const auto& other : other_words_of(Name{}))
    if (name.empty() && folded(text) == other.word) name = other.name;
  return name.empty() ? std::nullopt : value_named<Name>(name);
}

StrategyFamily family_of(StrategyName strategy);

/// ps and ps-async.
bool is_parameter_server(StrategyName strategy);

/// zero-1, zero-2 and fsdp.
bool is_sharded(StrategyName strategy);

/// Not every rank computes all layers.
bool is_model_parallel(StrategyName strategy);

/// The all-reduce that a strategy names; nothing where it leaves it open or is no all-reduce.
std::optional<Algorithm> algorithm_of(StrategyName strategy);

/// The name in front of a strategy's text: that of "ps(2 dedicated, bytes)" is ps. Nothing for a text of none.
std::optional<StrategyName> strategy_name_in(std::string_view strategy_text);

/// The transports that cluster files may name: "nccl-ib", "nccl-tcp", "mpi-ib", "mpi-tcp", "gloo-tcp", "grpc", "shm".
const std::vector<std::string>& transport_names();

/// What moves the bytes of the transport of that name; nothing for a name of none.
std::optional<Carrier> carrier_of(std::string_view transport);

/// 16 bits a number, on tensor cores where the GPU has them; amp counts, and fp8, whose activations have 16; tf32 does
/// not.
bool has_16_bit_values(Precision precision);

} // namespace ddlsim
