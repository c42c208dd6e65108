#include "sim/iteration/pipeline_graph.hpp"

#include "sim/iteration/expert_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace ddlsim {
namespace {

constexpr std::size_t not_there = std::numeric_limits<std::size_t>::max();

/// The streams of a stage.
struct StageStreams {
  std::size_t compute = 0;
  std::size_t onward = 0; ///< stream of the sends of outputs to the next stage
  std::size_t back = 0;   ///< stream of the sends of gradients to the stage before
  std::size_t of_replicas = 0;
  std::size_t inside = 0; ///< stream of the transfers inside layers
  std::size_t keys = 0;   ///< stream of the transfers of keys and values in a context group
};

/// Builds the graph with one role a stage. It adds a step of a stage as soon as all operations that the step needs are
/// in the graph.
class PipelineBuilder {
public:
  PipelineBuilder(const std::vector<PieceShape>& pieces, const WholePasses& passes, const ModelParallelOptions& options,
                  const PipelineBytes& bytes, const PipelineGroups& carriers, const Machine& machine)
      : pieces_(pieces), passes_(passes), options_(options), bytes_(bytes), carriers_(carriers) {
    const std::size_t inputs = pieces.size() * static_cast<std::size_t>(options.micro_batches);
    outputs_at_.assign(inputs, not_there);
    gradients_at_.assign(inputs, not_there);
    gathered_at_.resize(pieces.size());
    backwards_left_.assign(pieces.size(), options.micro_batches);
    graph_.machine = machine;
    graph_.groups = carriers.groups;
    for (const auto& piece : pieces) graph_.units.push_back(piece.name);
    const auto operations = static_cast<std::size_t>(operations_of_pipeline(options));
    graph_.operations.reserve(operations);
    graph_.waits.reserve(2 * operations);
    for (int stage = 0; stage < options.pipeline; ++stage) add_stage(stage);
  }

  Graph build() {
    std::vector<std::size_t> next(steps_.size(), 0);
    for (bool adds = true; adds;) {
      adds = false;
      for (std::size_t stage = 0; stage < steps_.size(); ++stage)
        for (; next[stage] < steps_[stage].size() && is_fed(steps_[stage][next[stage]]); ++next[stage]) {
          add_step(stage, steps_[stage][next[stage]]);
          adds = true;
        }
    }
    for (std::size_t stage = 0; stage < steps_.size(); ++stage) {
      if (next[stage] < steps_[stage].size()) throw std::logic_error("a pipeline waits for itself");
      add_gradient_all_reduces(stage);
    }
    return std::move(graph_);
  }

private:
  void add_stage(int stage) {
    const std::size_t role = add_role(graph_, fmt::format("stage {}", stage), graph_.machine.ranks / options_.pipeline);
    StageStreams streams;
    streams.compute = add_stream(graph_, StreamKind::compute, role);
    streams.onward = add_stream(graph_, StreamKind::transfers, role);
    streams.back = add_stream(graph_, StreamKind::transfers, role);
    streams.of_replicas = add_stream(graph_, StreamKind::transfers, role);
    streams.inside = add_stream(graph_, StreamKind::transfers, role);
    if (carriers_.of_context >= 0) streams.keys = add_stream(graph_, StreamKind::transfers, role);
    streams_.push_back(streams);
    steps_.push_back(steps_of_stage(options_, stage));
    last_.push_back(not_there);
    if (carriers_.of_shards < 0) return;
    for (std::size_t piece = at(stage); piece < pieces_.size(); piece += at(options_.pipeline))
      for (int part = 0; part < parts_of(piece); ++part)
        gathered_at_[piece].push_back(add_shards(at(stage), OperationKind::all_gather, piece));
  }

  /// Number of parameters of a piece that one rank has, and the group of ranks that shares them.
  struct Shared {
    int group = -1;
    double parameters = 0;
  };
  Shared everywhere(std::size_t piece, int group) const {
    const auto& shape = pieces_[piece];
    const double dealt = options_.expert > 1 ? shape.expert_parameters : 0;
    return {group, (shape.parameters - dealt) / options_.tensor};
  }
  Shared of_experts(std::size_t piece, int group) const {
    const int ranks = options_.expert * options_.ranks_of_expert();
    return {group, options_.expert > 1 ? pieces_[piece].expert_parameters / ranks : 0};
  }

  /// Number of parts in which a piece's parameters are gathered and scattered: its blocks with attention.
  int parts_of(std::size_t piece) const {
    return carriers_.of_shards < 0 ? 1 : std::max(1, pieces_[piece].attentive_blocks);
  }

  /// Whether a step is computed in such parts: the first forward of a piece and its last backward are.
  bool is_in_parts(const PipelineStep& step) const {
    return step.forward ? step.micro_batch == 0 : backwards_left_[at(step.piece)] == 1;
  }

  /// Adds the transfer of a part of a piece's parameters, or of its gradients, among the replicas. Returns not_there
  /// where there is none.
  std::size_t add_shards(std::size_t stage, OperationKind kind, std::size_t piece) {
    const double bytes = kind == OperationKind::all_gather ? bytes_.gathered : bytes_.gradient;
    std::size_t added = not_there;
    for (const auto& [group, parameters] :
         {everywhere(piece, carriers_.of_shards), of_experts(piece, carriers_.of_expert_shards)}) {
      Operation shards{kind, streams_[stage].of_replicas};
      shards.size_bytes = bytes * parameters / parts_of(piece);
      shards.unit = static_cast<int>(piece);
      shards.group = group;
      if (group >= 0 && shards.size_bytes > 0) added = add_operation(graph_, shards);
    }
    return added;
  }

  std::size_t place_of(int piece, int micro_batch) const {
    return at(piece) * static_cast<std::size_t>(options_.micro_batches) + at(micro_batch);
  }
  int last_piece() const { return static_cast<int>(pieces_.size()) - 1; }

  /// The operations that bring a step's inputs or gradients; the first forward has none.
  std::size_t feeds(const PipelineStep& step) const {
    return (step.forward ? outputs_at_ : gradients_at_)[place_of(step.piece, step.micro_batch)];
  }
  bool is_fed(const PipelineStep& step) const { return (step.forward && step.piece == 0) || feeds(step) != not_there; }

  double duration_s(const PipelineStep& step) const {
    const auto& piece = pieces_[at(step.piece)];
    const double more = options_.imbalance() - 1; // tokens that the busiest rank has beyond an even share
    const double again_s = passes_.forward_s * (piece.again.forward + more * piece.again.expert_forward);
    const double all_s = step.forward ? passes_.forward_s * (piece.forward + more * piece.expert_forward)
                                      : passes_.backward_s * (piece.backward + more * piece.expert_backward) + again_s;
    return all_s * options_.pipeline / options_.micro_batches + beside_s(step);
  }

  /// Seconds that a rank of a tensor group computes beyond its share. A third is in forward, as for all matrix work.
  double beside_s(const PipelineStep& step) const {
    const auto& piece = pieces_[at(step.piece)];
    if (piece.attentive_blocks == 0) return 0;
    const double a_pass_s = bytes_.beside_s * bytes_.outputs * piece.inner_bytes / options_.context / 3;
    const double again = 1.0 * piece.again.attentive_blocks / piece.attentive_blocks;
    return a_pass_s * (step.forward ? 1 : 2 + again);
  }

  void add_step(std::size_t stage, const PipelineStep& step) {
    const int parts = is_in_parts(step) ? parts_of(at(step.piece)) : 1;
    const auto before = last_[stage];
    for (int part = 0; part < parts; ++part) add_compute(stage, step, part, parts);
    if (carriers_.of_expert >= 0) add_routing(stage, step, before);
    if (!step.forward) --backwards_left_[at(step.piece)];
    pass_on(stage, step);
  }

  /// One of the parts in which a step is computed.
  struct StepPart {
    int part = 0;
    int parts = 1;

    /// How many of `count` items belong to this part.
    int share_of(int count) const { return count * (part + 1) / parts - count * part / parts; }
  };

  /// Adds the compute of a part of a step, and the transfers that follow it.
  void add_compute(std::size_t stage, const PipelineStep& step, int part, int parts) {
    Operation operation{OperationKind::compute, streams_[stage].compute, duration_s(step) / parts};
    operation.part = step.forward ? ComputePart::forward : ComputePart::backward;
    operation.unit = step.piece;
    operation.micro_batch = step.micro_batch;
    const auto before = needed_by(stage, step, part);
    last_[stage] = add_operation(graph_, operation);
    for (const std::size_t one : before) wait_for(graph_, one);
    if (carriers_.of_tensor >= 0) add_inside(stage, step, {part, parts}, before);
    if (carriers_.of_context >= 0) add_keys(stage, step, {part, parts});
    if (!step.forward && backwards_left_[at(step.piece)] == 1) scatter(stage, at(step.piece));
  }

  /// The operations that a part of a step waits for: the arrival of its micro-batch, the stage's last compute or
  /// transfer inside layers, and the gather of a block's parameters.
  std::vector<std::size_t> needed_by(std::size_t stage, const PipelineStep& step, int part) const {
    std::vector<std::size_t> needed;
    if (part == 0 && feeds(step) != not_there) needed.push_back(feeds(step));
    if (last_[stage] != not_there) needed.push_back(last_[stage]);
    const auto& gathered = gathered_at_[at(step.piece)];
    const bool is_first = step.forward && step.micro_batch == 0 && !gathered.empty();
    if (is_first && gathered[at(part)] != not_there) needed.push_back(gathered[at(part)]);
    return needed;
  }

  void scatter(std::size_t stage, std::size_t piece) {
    if (carriers_.of_shards < 0) return;
    if (add_shards(stage, OperationKind::reduce_scatter, piece) != not_there) wait_for(graph_, last_[stage]);
  }

  /// Adds two gathers and two scatters for each block with attention, after its compute. Where they overlap with
  /// compute, one of the t parts of each transfer is exposed, and the others run beside compute.
  void add_inside(std::size_t stage, const PipelineStep& step, const StepPart& part,
                  const std::vector<std::size_t>& before) {
    if (pieces_[at(step.piece)].cut_layers > 0) add_outputs(stage, step);
    if (pieces_[at(step.piece)].attentive_blocks == 0) return;
    const double seen = options_.tensor_overlap ? 1.0 / options_.tensor : 1;
    std::size_t beside = not_there;
    for (const auto kind : {OperationKind::all_gather, OperationKind::reduce_scatter}) {
      if (!options_.tensor_overlap) break;
      beside = add_operation(graph_, inside_of(stage, step, kind, part, 1 - seen));
      for (const std::size_t one : before) wait_for(graph_, one);
    }
    for (const auto kind : {OperationKind::all_gather, OperationKind::reduce_scatter}) {
      last_[stage] = add_operation(graph_, inside_of(stage, step, kind, part, seen), {last_[stage]});
      if (beside != not_there) wait_for(graph_, beside);
    }
  }

  /// Adds the transfers of layers that are cut by their outputs. Forward gathers the outputs. Backward gathers outputs
  /// again where they are recomputed, and then scatters gradients, of which each rank has one summand for all inputs of
  /// the next layer.
  void add_outputs(std::size_t stage, const PipelineStep& step) {
    const auto& piece = pieces_[at(step.piece)];
    const auto& again = piece.again;
    if (!step.forward && again.cut_layers > 0)
      add_outputs(stage, step, OperationKind::all_gather, again.cut_layers, again.inner_bytes);
    add_outputs(stage, step, step.forward ? OperationKind::all_gather : OperationKind::reduce_scatter, piece.cut_layers,
                piece.inner_bytes);
  }

  void add_outputs(std::size_t stage, const PipelineStep& step, OperationKind kind, int layers, double inner_bytes) {
    Operation outputs{kind, streams_[stage].inside};
    outputs.repeats = layers;
    outputs.size_bytes = bytes_.outputs * inner_bytes / layers;
    outputs.unit = step.piece;
    outputs.micro_batch = step.micro_batch;
    outputs.group = carriers_.of_tensor;
    last_[stage] = add_operation(graph_, outputs, {last_[stage]});
  }

  Operation inside_of(std::size_t stage, const PipelineStep& step, OperationKind kind, const StepPart& part,
                      double share) const {
    constexpr int a_block = 2;
    const auto& piece = pieces_[at(step.piece)];
    Operation inside{kind, streams_[stage].inside};
    const int again = step.forward ? 0 : piece.again.attentive_blocks;
    inside.repeats = a_block * part.share_of(piece.attentive_blocks + again);
    inside.size_bytes = share * bytes_.outputs * gathered_bytes(piece, options_);
    inside.unit = step.piece;
    inside.micro_batch = step.micro_batch;
    inside.group = carriers_.of_tensor;
    return inside;
  }

  /// Adds the gathers of keys and values of each block with attention. They are gathered once more where attention is
  /// recomputed. Backward also scatters their gradients.
  void add_keys(std::size_t stage, const PipelineStep& step, const StepPart& part) {
    const auto& piece = pieces_[at(step.piece)];
    if (piece.attentive_blocks == 0) return;
    for (const auto kind : {OperationKind::all_gather, OperationKind::reduce_scatter}) {
      if (step.forward && kind == OperationKind::reduce_scatter) break;
      Operation keys{kind, streams_[stage].keys};
      const bool repeated = !step.forward && kind == OperationKind::all_gather;
      keys.repeats = part.share_of(piece.attentive_blocks + (repeated ? piece.again.key_blocks : 0));
      keys.size_bytes = bytes_.outputs * piece.key_bytes / piece.attentive_blocks / options_.tensor;
      keys.unit = step.piece;
      keys.micro_batch = step.micro_batch;
      keys.group = carriers_.of_context;
      keys.keys = true;
      last_[stage] = add_operation(graph_, keys, {last_[stage]});
    }
  }

  /// Adds the exchanges of tokens, to their experts and back, in each block with experts. Beside compute they wait for
  /// what came before the step, and a part of them still follows it.
  void add_routing(std::size_t stage, const PipelineStep& step, std::size_t before) {
    if (pieces_[at(step.piece)].expert_blocks == 0) return;
    if (carriers_.of_tensor >= 0 && options_.ranks_of_expert() > 1) add_tokens_of_group(stage, step);
    const double seen = options_.expert_overlap ? seen_of_overlapped_exchange : 1;
    auto beside = not_there;
    if (options_.expert_overlap) {
      beside = add_operation(graph_, routing_of(stage, step, 1 - seen));
      if (before != not_there) wait_for(graph_, before);
    }
    last_[stage] = add_operation(graph_, routing_of(stage, step, seen), {last_[stage]});
    if (beside != not_there) wait_for(graph_, beside);
  }

  /// An operation of the exchange, with its place.
  Operation placed(Operation exchange, std::size_t stage, const PipelineStep& step, int group) const {
    exchange.stream = streams_[stage].inside;
    exchange.unit = step.piece;
    exchange.micro_batch = step.micro_batch;
    exchange.group = group;
    return exchange;
  }

  Operation routing_of(std::size_t stage, const PipelineStep& step, double share) const {
    const auto& group = carriers_.groups[at(carriers_.of_expert)].machine;
    const auto exchange = exchange_of_tokens(pieces_[at(step.piece)], options_, group, step.forward);
    auto routing = placed(exchange, stage, step, carriers_.of_expert);
    routing.size_bytes *= share * bytes_.outputs;
    return routing;
  }

  void add_tokens_of_group(std::size_t stage, const PipelineStep& step) {
    for (auto tokens : tokens_of_group(pieces_[at(step.piece)], options_, step.forward)) {
      tokens.size_bytes *= bytes_.outputs;
      last_[stage] = add_operation(graph_, placed(tokens, stage, step, carriers_.of_tensor), {last_[stage]});
    }
  }

  /// Adds the send of the step's result to the stage that needs it. The last forward is followed by its own backward.
  void pass_on(std::size_t stage, const PipelineStep& step) {
    if (step.forward && step.piece == last_piece())
      gradients_at_[place_of(step.piece, step.micro_batch)] = last_[stage];
    else if (step.forward)
      outputs_at_[place_of(step.piece + 1, step.micro_batch)] = add_send(stage, step, step.piece);
    else if (step.piece > 0)
      gradients_at_[place_of(step.piece - 1, step.micro_batch)] = add_send(stage, step, step.piece - 1);
  }

  /// Adds a send between that piece and the next one, in either direction.
  std::size_t add_send(std::size_t stage, const PipelineStep& step, int piece) {
    Operation send{OperationKind::send, step.forward ? streams_[stage].onward : streams_[stage].back};
    send.size_bytes = bytes_.outputs * pieces_[at(piece)].sent_bytes / options_.tensor / options_.context;
    send.part = step.forward ? ComputePart::forward : ComputePart::backward;
    send.unit = step.piece;
    send.micro_batch = step.micro_batch;
    send.group = carriers_.of_pair[at(piece % options_.pipeline)];
    return add_operation(graph_, send, {last_[stage]});
  }

  void add_gradient_all_reduces(std::size_t stage) {
    if (carriers_.of_replicas < 0) return;
    for (const bool experts : {false, true}) {
      Operation all_reduce{OperationKind::all_reduce, streams_[stage].of_replicas};
      for (std::size_t piece = stage; piece < pieces_.size(); piece += steps_.size()) {
        const auto shared =
            experts ? of_experts(piece, carriers_.of_expert_replicas) : everywhere(piece, carriers_.of_replicas);
        all_reduce.group = shared.group;
        all_reduce.size_bytes += bytes_.gradient * shared.parameters;
      }
      if (all_reduce.group >= 0 && all_reduce.size_bytes > 0) add_operation(graph_, all_reduce, {last_[stage]});
    }
  }

  const std::vector<PieceShape>& pieces_;
  const WholePasses& passes_;
  const ModelParallelOptions& options_;
  const PipelineBytes& bytes_;
  const PipelineGroups& carriers_;
  Graph graph_;
  std::vector<StageStreams> streams_;            ///< the streams of each stage
  std::vector<std::vector<PipelineStep>> steps_; ///< the steps of each stage
  std::vector<std::size_t> last_;                ///< the last operation of each stage's compute, or inside its layers
  std::vector<std::size_t> outputs_at_;          ///< operations that bring a micro-batch to a piece, by place_of()
  std::vector<std::size_t> gradients_at_; ///< operations that bring a micro-batch's gradients to a piece, by place_of()
  std::vector<std::vector<std::size_t>> gathered_at_; ///< operations that gather the parameters of each piece
  std::vector<int> backwards_left_;                   ///< number of backwards that each piece still has to run
};

} // namespace

Graph pipeline_graph(const std::vector<PieceShape>& pieces, const WholePasses& passes,
                     const ModelParallelOptions& options, const PipelineBytes& bytes, const PipelineGroups& carriers,
                     const Machine& machine) {
  return PipelineBuilder(pieces, passes, options, bytes, carriers, machine).build();
}

} // namespace ddlsim
