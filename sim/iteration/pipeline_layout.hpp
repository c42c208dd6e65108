#pragma once
// Where the ranks of a pipeline are: which of them sum gradients together, which send to each other, and over which
// links.

#include "sim/formats/model.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/network/machine.hpp"

#include <string>

namespace ddlsim {

/// The ranks of a tensor group are consecutive; tensor groups that hold parts of the same sequences follow each other.
///   stages_last    the groups of all replicas make a stage; stages follow each other (Megatron-LM,
///                  megatron/core/parallel_state.py, "tp-cp-ep-dp-pp")
///   replicas_last  the groups of all stages make a replica; replicas follow each other (Llama 3, arXiv:2407.21783,
///                  section 3.3.2; Megatron-LM's --use-tp-pp-dp-mapping)
struct PipelineLayout {
  int stages = 1;
  int replicas = 1;
  int tensor = 1;
  int context = 1;
  RankOrder order = RankOrder::stages_last;
  int expert_tensor = 0;                             ///< ranks that compute an expert together; 0: as many as `tensor`
  int sharers() const { return replicas * context; } ///< number of ranks that have the same parameters
  int ranks_of_stage() const { return sharers() * tensor; }
  int ranks_of_group() const { return tensor * context; } ///< number of ranks of one stage in one replica
  int ranks_of_expert() const { return expert_tensor > 0 ? expert_tensor : tensor; }
  /// number of ranks, or groups that compute an expert together, among which the experts of a stage are divided
  int expert_sharers() const { return ranks_of_stage() / ranks_of_expert(); }
};
PipelineLayout layout_of(const ModelParallelOptions& options, int gpus);

/// The ranks that compute a layer together, on one node.
Machine machine_of_tensor_group(const Machine& all, const PipelineLayout& layout);

/// The ranks that hold parts of the same sequences. Their tensor groups follow each other, so they are on as few nodes
/// as possible. As many such groups as fill the nodes gather at the same time.
Machine machine_of_context(const Machine& all, const PipelineLayout& layout);

/// The ranks that sum the same gradients, one of each tensor group of each replica. `tensor` such groups all-reduce at
/// the same time and share the NICs of a node and the uplinks. With replicas_last, groups of other stages on the same
/// node or leaf share them, too, and fewer nodes of a leaf follow each other in the group. All stages have the same
/// machine, because layout_complaint() refuses uneven ones.
Machine machine_of_replicas(const Machine& all, const PipelineLayout& layout);

/// The ranks with the same dense parameters, or where a rank has whole experts all ranks of a stage, among which a
/// block's experts are divided. Megatron-LM's order has them
/// next to each other, so they are on as few nodes as possible. As many such groups as fill the nodes exchange tokens
/// at the same time.
Machine machine_of_experts(const Machine& all, const PipelineLayout& layout, int expert);

/// The ranks that sum the gradients of the same experts.
Machine machine_of_expert_replicas(const Machine& all, const PipelineLayout& layout, int expert);

/// A machine of two ranks, a rank of `stage` and its partner in the next stage, which stands for all such pairs. The
/// first stage comes after the last one. All pairs send at the same time: those of a node share its NICs, those of a
/// leaf its uplinks. A pair that is alone on its node may use all of the node's NICs, up to the rate inside the node.
Machine machine_of_pair(const Machine& all, const PipelineLayout& layout, int stage);

/// Samples in a micro-batch: the batch of a replica is that of all its GPUs.
double micro_batch_samples(const ModelParallelOptions& options, double batch_per_gpu);

/// Returns sentences that say why `gpus` GPUs cannot run that pipeline, and what to do, all at once; "" where they can,
/// and for other strategies. `gpus_per_node` GPUs reach each other without a NIC.
std::string layout_complaint(const Model& model, const Strategy& strategy, double batch_per_gpu, int gpus,
                             int gpus_per_node);

/// Returns how many GPUs of each NVLink domain of `domain_nodes` nodes the layout uses: those of as many whole nodes as
/// share them evenly, as 64 of 72. Where no number of nodes does, it is all of them, which layout_complaint() refuses.
int gpus_of_domain_used(const ModelParallelOptions& options, int gpus, int gpus_per_node, int domain_nodes);

/// The largest number of GPUs up to `most` that layout_complaint() does not refuse for any part of a domain; 0 where there
/// is none.
int most_gpus_laid_out(const ModelParallelOptions& options, int most, int gpus_per_node, int domain_nodes = 1);

} // namespace ddlsim
