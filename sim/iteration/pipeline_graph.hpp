#pragma once
// Pipelines: each stage computes its pieces of the model for one micro-batch after another, sends what the next stage
// needs, and gets gradients back; stages are repeated for data parallelism.

#include "sim/compute/piece_shape.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/sharded_graph.hpp"

#include <vector>

namespace ddlsim {

/// What carries a pipeline's transfers, as numbers in `groups`.
struct PipelineGroups {
  std::vector<TransferGroup> groups;
  std::vector<int> of_pair;    ///< of each stage and the next one; the last and the first where pieces are interleaved
  int of_replicas = -1;        ///< sums of gradients; -1: one replica, which sums nothing
  int of_shards = -1;          ///< the same where each replica keeps a part: halves of a ring; -1: none does
  int of_tensor = -1;          ///< gathers and scatters inside layers; -1: no layer is cut
  int of_context = -1;         ///< gathers and scatters of keys and values; -1: each rank has whole sequences
  int of_expert = -1;          ///< tokens on their way to experts and back; -1: each rank has all experts
  int of_expert_replicas = -1; ///< as of_replicas, of experts' gradients; -1 where each expert is there once
  int of_expert_shards = -1;   ///< as of_shards, the same
};

/// How much travels.
struct PipelineBytes {
  double outputs = 0;  ///< of a micro-batch for each byte a sample of a piece's outputs, in PieceShape, whole sequences
  double gradient = 0; ///< on the wire, of a parameter
  double gathered = 0; ///< of a parameter, in what is computed with
  /// Seconds that a rank of a tensor group computes beyond its part of a block, for each byte of the block's outputs;
  /// 0: no layer is cut.
  double beside_s = 0;
};

/// One step of a stage: a micro-batch's forward or backward through one piece.
struct PipelineStep {
  bool forward = true;
  int piece = 0;
  int micro_batch = 0;
};

/// What a stage runs, in order, on p stages with m micro-batches and v pieces a stage:
///   gpipe        all forwards, then all backwards, the last micro-batch first (Huang et al., GPipe, NeurIPS 2019,
///                figure 2c)
///   1f1b         p-s-1 forwards on stage s, then a forward and a backward in turns (Narayanan et al., SC 2021,
///                section 2.2)
///   interleaved  the same with 2(p-s-1) + (v-1)p forwards before, in rounds of p micro-batches a piece (the same
///                section; megatron/core/pipeline_parallel/schedules.py)
/// Pieces are dealt out in rounds: stage s has pieces s, s+p, s+2p.
std::vector<PipelineStep> steps_of_stage(const ModelParallelOptions& options, int stage);

/// Operations of an iteration, about: what a pass over it costs.
double operations_of_pipeline(const ModelParallelOptions& options);

/// One iteration. `passes` are one GPU's, of the whole model with that GPU's batch; a replica of t c p ranks has t c p
/// times the batch and t c ranks for each layer, so that a piece takes p/m of its share of them for a micro-batch. A
/// stage sends its outputs to the next stage and the gradients of its inputs, as many bytes, to the one before, each of
/// its t ranks a part; a send waits for nothing but its compute and the send before it, and the stage computes on
/// meanwhile. When a stage has run all, it sums its gradients over its replicas in one all-reduce.
///
/// With zero-1 a stage gathers the parameters of one block with attention after another from the start of the iteration
/// on, and a block's first forward waits for them; a block's gradients are reduce-scattered behind its last backward,
/// beside what the stage has still to compute (Megatron-LM's distributed optimizer with --overlap-param-gather and
/// --overlap-grad-reduce, megatron/core/distributed/param_and_grad_buffer.py, whose buckets are of 40 million
/// parameters or more: a block, or a part of one). Blocks of a piece are taken to be alike; a piece without attention
/// is one block. The update takes no time.
///
/// Tensor parallelism with sequence parallelism (Korthikanti et al., Reducing activation recomputation, MLSys 2023,
/// section 4.2): every layer is cut in t, and each pass of a transformer's block gathers its outputs' bytes over the t
/// ranks twice, before attention and before what follows it, and reduce-scatters them twice, behind each: the bytes of
/// the two all-reduces of Shoeybi et al. (Megatron-LM, 2019). Nothing is computed meanwhile. They stand behind their
/// piece's compute, all gathers of it and then all scatters; where they stand inside it does not change when it ends.
/// A rank's part of a block takes longer than its share of the whole one, because each rank reads and writes what all
/// tokens put in and out (ModelConstants::tensor_part_touches): a third of that forward.
/// With tensor_overlap each is cut in t parts, of which all but one are carried while the matrix before or behind it is
/// computed (Transformer Engine's userbuffers, Megatron-LM's --tp-comm-overlap; Wang et al., ASPLOS 2023, section 4): a
/// t-th stands behind the compute, and the rest beside it, or where that is longer than it.
/// With experts on several ranks, each pass of a block that has some exchanges its tokens twice, to their experts and
/// back (Lepikhin et al., GShard, ICLR 2021, section 2.4): what the experts put out, the busiest rank's times the imbalance. Nothing is
/// computed meanwhile; they stand behind their piece's compute. Experts' compute takes as long as the busiest rank's.
/// Their gradients are summed among the replicas that have the same ones.
/// With context parallelism every rank of a group of c has two of 2c equal chunks of each sequence, one from the front and
/// one from the back, so that a causal mask leaves all of them as much attention (Megatron-LM's and Llama 3's split), and
/// what it sends and gathers for others is a c-th. Attention needs the keys and values of the whole sequence. Of the
/// ways that there are, this is the all-gather (Llama 3, arXiv:2407.21783, section 3.3.2; Transformer Engine,
/// AttnFuncWithCPAndKVAllGather in context_parallel.py at d0067d0): forward gathers the keys and values of each block
/// with attention, backward gathers them again and reduce-scatters their gradients, and nothing is computed meanwhile.
/// They stand behind their piece's compute. All c d ranks with the same parameters share gradients and optimizer state.
/// What is computed again (Chen et al., arXiv:1604.06174; Korthikanti et al., section 5) is in the backward of its piece,
/// which waits for the gradients first. A block that is computed again whole gathers, scatters and exchanges all that its
/// forward does once more, as a function that runs its whole forward does (CheckpointFunction in
/// megatron/core/tensor_parallel/random.py); attention that is, alone or in its block, its keys and values.
/// On a free network with even pieces the idle time is (p-1)/m of the compute, and (p-1)/(v m) interleaved.
Graph pipeline_graph(const std::vector<PieceShape>& pieces, const WholePasses& passes,
                     const ModelParallelOptions& options, const PipelineBytes& bytes, const PipelineGroups& carriers,
                     const Machine& machine);

} // namespace ddlsim
