#pragma once
// Pipelines: each stage computes its pieces of the model for one micro-batch after another, sends what the next stage
// needs, and gets gradients back; stages are repeated for data parallelism.

#include "sim/compute/piece_shape.hpp"
#include "sim/compute/piece_units.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/sharded_graph.hpp"

#include <vector>

namespace ddlsim {

/// The groups of ranks that run a pipeline's transfers. The members are indices in `groups`.
struct PipelineGroups {
  std::vector<TransferGroup> groups;
  /// sends from each stage to the next; of interleaved stages also from the last to the first
  std::vector<int> of_pair;
  int of_replicas = -1; ///< all-reduces of gradients; -1: one replica, which needs none
  /// reduce-scatters and all-gathers with zero-1, all-gathers with fsdp; -1: none
  int of_shards = -1;
  int of_scatters = -1;        ///< reduce-scatters with fsdp; -1: none
  int of_copies = -1;          ///< all-reduces across groups that share one copy with fsdp; -1: there is one copy
  int of_tensor = -1;          ///< gathers and scatters inside layers; -1: no layer is cut
  int of_context = -1;         ///< gathers and scatters of keys and values; -1: each rank has whole sequences
  int of_expert = -1;          ///< exchanges of tokens with experts; -1: each rank has all experts
  int of_expert_replicas = -1; ///< all-reduces of experts' gradients; -1: one copy of each expert
  /// reduce-scatters and all-gathers of experts' gradients and parameters with zero-1; -1: none
  int of_expert_shards = -1;
};

/// The bytes that travel, and the compute time that cut layers add.
struct PipelineBytes {
  double outputs = 0;  ///< bytes of a micro-batch of whole sequences, for each byte of a sample's outputs in PieceShape
  double gradient = 0; ///< bytes of a parameter's gradient on the wire
  double gathered = 0; ///< bytes of a gathered parameter, in the precision of compute
  /// Seconds that a rank of a tensor group computes beyond its part of a block, for each byte of the block's outputs;
  /// 0: no layer is cut.
  double beside_s = 0;
};

/// How a model's parameters are sharded with fsdp.
struct PipelineShards {
  std::vector<PieceUnits> units{}; ///< of each piece; empty: parameters are not sharded
  double copy_s_per_byte = 0;      ///< as in ShardBytes
  int group = 1;                   ///< number of ranks that share one copy of the state
};

/// The part of a backward that a step is: all of it; gradients of inputs, which the stage before waits for; or gradients
/// of weights.
enum class BackwardPart { whole, inputs, weights };

/// One step of a stage: a micro-batch's forward or backward through one piece.
struct PipelineStep {
  bool forward = true;
  int piece = 0;
  int micro_batch = 0;
  BackwardPart backward = BackwardPart::whole; ///< used where the step is no forward
};

/// The steps that a stage runs, in order, with p stages, m micro-batches and v pieces a stage:
///   gpipe        all forwards, then all backwards, the last micro-batch first (Huang et al., GPipe, NeurIPS 2019,
///                figure 2c)
///   1f1b         p-s-1 forwards on stage s, then a forward and a backward in turns (Narayanan et al., SC 2021,
///                section 2.2)
///   interleaved  as 1f1b, but 2(p-s-1) + (v-1)p forwards come first, in rounds of p micro-batches a piece (the same
///                section; megatron/core/pipeline_parallel/schedules.py)
///   zero_bubble  as 1f1b, with each backward in two steps. Stage s computes the gradients of weights of a micro-batch
///                s micro-batches later than those of inputs, so that it has them to do while it would wait (Qi et al.,
///                Zero bubble pipeline parallelism, ICLR 2024, section 2.2, ZB-H1)
/// Stage s has the pieces s, s+p, s+2p, and so on.
std::vector<PipelineStep> steps_of_stage(const ModelParallelOptions& options, int stage);

/// Approximate number of operations in an iteration. A pass over the graph takes a time that is proportional to it.
double operations_of_pipeline(const ModelParallelOptions& options);

/// The graph of one iteration. `passes` are the times of one GPU for the whole model with that GPU's batch. A replica
/// of t c p ranks has t c p times the batch and t c ranks for each layer, so that a micro-batch takes p/m of a piece's
/// share of `passes`. A stage sends its outputs to the next stage, and the gradients of its inputs, as many bytes, to
/// the stage before. Each of its t ranks sends a part. A send waits for its compute and the send before it only, and
/// the stage computes on meanwhile. After its last step a stage all-reduces its gradients over its replicas, in one
/// operation.
///
/// With zero-1 a stage gathers the parameters of one block with attention after another from the start of the iteration
/// on, and a block's first forward waits for them; a block's gradients are reduce-scattered behind its last backward,
/// while the stage computes on (Megatron-LM's distributed optimizer with --overlap-param-gather and
/// --overlap-grad-reduce, megatron/core/distributed/param_and_grad_buffer.py, whose buckets are of 40 million
/// parameters or more: a block, or a part of one). All blocks of a piece count as equal; a piece without attention
/// is one block. The optimizer's update takes no time.
///
/// With fsdp a rank gathers, frees and scatters the units of its pieces as fsdp_graph() states, a t-th of each. Without
/// stages every micro-batch gathers and scatters all of them. A stage frees its units after forward only where the
/// options say so; it keeps what a backward has gathered, and adds up whole gradients, until the piece's last backward
/// (backward_maybe_with_nosync() of torch/distributed/pipelining/stage.py at 010ae4a). Its gathers begin when the
/// micro-batch has arrived that needs them. Compute is slowed beside these transfers by Graph::interference.
///
/// Tensor parallelism with sequence parallelism (Korthikanti et al., Reducing activation recomputation, MLSys 2023,
/// section 4.2): every layer is cut in t. Each pass of a transformer block gathers the bytes of its outputs over the t
/// ranks twice, before attention and before the layers that follow it, and reduce-scatters them twice, after each: the
/// bytes of the two all-reduces of Shoeybi et al. (Megatron-LM, 2019). Nothing is computed meanwhile. The graph has
/// these transfers after their piece's compute, first all gathers, then all scatters; their place inside the piece does
/// not change when it ends. A rank's part of a block takes longer than its share of the whole block, because each rank
/// reads and writes the inputs and outputs of all tokens (ModelConstants::tensor_part_touches); a third of that is in
/// forward. With tensor_overlap each transfer is cut in t parts, and all but one part travel while the matrix before or
/// after is computed (Transformer Engine's userbuffers, Megatron-LM's --tp-comm-overlap; Wang et al., ASPLOS 2023,
/// section 4): a t-th follows the compute, and the rest runs beside it and adds time only where it is longer than the
/// compute. With experts on several ranks, each pass of a block with experts exchanges its tokens twice, to their
/// experts and back (Lepikhin et al., GShard, ICLR 2021, section 2.4). The bytes are the experts' outputs times the
/// imbalance of the busiest rank; with deepep, those of one copy for each rank that has chosen experts, or between nodes
/// for each node (places_with_a_choice()). Nothing is computed meanwhile; the exchanges follow their piece's compute.
/// With expert_overlap nine tenths of them run beside it, and add time only where they are longer. Ranks that compute
/// an expert together gather its tokens and scatter what they make of them, in place of the second gather and scatter
/// of a dense block; where each rank has experts of its own, there is neither. Experts'
/// compute takes as long as on the busiest rank. Their gradients are summed among the replicas that have the same
/// experts. With context parallelism every rank of a group of c has two of 2c equal chunks of each sequence, one from
/// the front and one from the back. A causal mask then leaves all ranks equally much attention (Megatron-LM's and Llama
/// 3's split), and a rank's other transfers have a c-th of the bytes. Attention needs the keys and values of the whole
/// sequence. They are exchanged by all-gather (Llama 3, arXiv:2407.21783, section 3.3.2; Transformer Engine,
/// AttnFuncWithCPAndKVAllGather in context_parallel.py at d0067d0): forward gathers the keys and values of each block
/// with attention, backward gathers them again and reduce-scatters their gradients, and nothing is computed meanwhile.
/// These transfers follow their piece's compute. All c d ranks with the same parameters share gradients and optimizer
/// state.
/// Recomputation (Chen et al., arXiv:1604.06174; Korthikanti et al., section 5) is part of the backward of its piece,
/// which waits for the gradients first. A whole block that is recomputed repeats all gathers, scatters and exchanges of
/// its forward, as a function that runs its whole forward does (CheckpointFunction in
/// megatron/core/tensor_parallel/random.py). Recomputed attention, alone or in its block, gathers its keys and values
/// once more.
///
/// A context group may attend otherwise than by gathers. In a ring each rank sends the keys and values that it has to the
/// next one while it attends to them (Liu et al., Ring attention, arXiv:2310.01889). As many bytes as in gathers travel
/// beside (c-1)/c of attention. They add time only where they take longer. With all_to_all a rank exchanges its part of all heads for
/// its heads of whole sequences before attention, and back after it, in each pass (Jacobs et al., DeepSpeed-Ulysses,
/// arXiv:2309.14509); nothing is computed meanwhile.
/// On a free network with even pieces the idle time is (p-1)/m of the compute, (p-1)/(v m) interleaved, and (p-1)/m of
/// forward and gradients of inputs less gradients of weights with zero_bubble.
Graph pipeline_graph(const std::vector<PieceShape>& pieces, const WholePasses& passes,
                     const ModelParallelOptions& options, const PipelineBytes& bytes, const PipelineGroups& carriers,
                     const Machine& machine, const PipelineShards& shards = {});

} // namespace ddlsim
