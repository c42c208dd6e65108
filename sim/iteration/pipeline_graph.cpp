#include "sim/iteration/pipeline_graph.hpp"

#include "sim/iteration/sharded_units.hpp"
#include "sim/iteration/stage_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <stdexcept>
#include <utility>

namespace ddlsim {
namespace {

constexpr std::size_t not_there = std::numeric_limits<std::size_t>::max();

/// Builds the graph with one role a stage. It adds a step of a stage as soon as all operations that the step needs are
/// in the graph.
class PipelineBuilder {
public:
  PipelineBuilder(const std::vector<PieceShape>& pieces, const WholePasses& passes, const ModelParallelOptions& options,
                  const PipelineBytes& bytes, const PipelineGroups& carriers, const Machine& machine,
                  const PipelineShards& shards)
      : pieces_(pieces), options_(options), bytes_(bytes), carriers_(carriers), shards_(shards),
        work_(graph_, passes, options, bytes, carriers) {
    const std::size_t inputs = pieces.size() * static_cast<std::size_t>(options.micro_batches);
    outputs_at_.assign(inputs, not_there);
    gradients_at_.assign(inputs, not_there);
    gathered_at_.resize(pieces.size());
    backwards_left_.assign(pieces.size(), options.micro_batches);
    graph_.machine = machine;
    graph_.groups = carriers.groups;
    const auto operations = static_cast<std::size_t>(operations_of_pipeline(options));
    graph_.operations.reserve(operations);
    graph_.waits.reserve(2 * operations);
    for (int stage = 0; stage < options.pipeline; ++stage) add_stage(stage);
    if (is_sharded()) add_units();
    if (!is_sharded())
      for (const auto& piece : pieces) graph_.units.push_back(piece.name);
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
  bool is_sharded() const { return !shards_.units.empty(); }

  void add_stage(int stage) {
    const std::size_t role = add_role(graph_, fmt::format("stage {}", stage), graph_.machine.ranks / options_.pipeline);
    StageStreams streams;
    streams.compute = add_stream(graph_, StreamKind::compute, role);
    streams.onward = add_stream(graph_, StreamKind::transfers, role);
    streams.back = add_stream(graph_, StreamKind::transfers, role);
    streams.of_replicas = add_stream(graph_, is_sharded() ? StreamKind::collectives : StreamKind::transfers, role);
    streams.inside = add_stream(graph_, StreamKind::transfers, role);
    if (carriers_.of_context >= 0) streams.keys = add_stream(graph_, StreamKind::transfers, role);
    if (carriers_.of_copies >= 0) streams.sums = add_stream(graph_, StreamKind::collectives, role);
    streams_.push_back(streams);
    steps_.push_back(steps_of_stage(options_, stage));
    last_.push_back(not_there);
    if (carriers_.of_shards < 0 || is_sharded()) return;
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
    return step.forward ? step.micro_batch == 0 : ends_backward(step) && backwards_left_[at(step.piece)] == 0;
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

  /// Whether the step is the end of a backward through its piece.
  static bool ends_backward(const PipelineStep& step) { return !step.forward && step.backward != BackwardPart::inputs; }

  void add_step(std::size_t stage, const PipelineStep& step) {
    if (ends_backward(step)) --backwards_left_[at(step.piece)];
    if (is_sharded()) {
      add_sharded_step(step);
    } else {
      const int parts = is_in_parts(step) ? parts_of(at(step.piece)) : 1;
      const std::vector<std::size_t> before(last_[stage] == not_there ? 0 : 1, last_[stage]);
      for (int part = 0; part < parts; ++part) add_compute(stage, {step, step.piece, part, parts});
      last_[stage] =
          work_.add_routing(pieces_[at(step.piece)], {step, step.piece}, streams_[stage], before, last_[stage]);
    }
    if (step.backward != BackwardPart::weights) pass_on(stage, step);
  }

  /// Adds a part of a step, and the scatter of gradients that are then complete.
  void add_compute(std::size_t stage, const StepPart& part) {
    const auto& step = part.step;
    last_[stage] = work_.add(pieces_[at(step.piece)], part, streams_[stage], 0, needed_by(stage, step, part.part));
    const bool completes = ends_backward(step) && backwards_left_[at(step.piece)] == 0;
    if (completes && carriers_.of_shards >= 0 &&
        add_shards(stage, OperationKind::reduce_scatter, at(step.piece)) != not_there)
      wait_for(graph_, last_[stage]);
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

  /// Adds the units of each piece, on the streams of its stage.
  void add_units() {
    sharded_.reshard_after_forward = frees_after_forward(options_);
    for (std::size_t piece = 0; piece < shards_.units.size(); ++piece) {
      const auto& streams = streams_[piece % steps_.size()];
      UnitCarriers unit{streams.of_replicas};
      if (carriers_.of_copies >= 0) unit.sums = streams.sums;
      unit.of_shards = carriers_.of_shards;
      unit.of_scatters = carriers_.of_scatters;
      unit.of_copies = carriers_.of_copies;
      unit.of_expert_shards = carriers_.of_expert_shards;
      unit.dense_part = 1.0 / options_.tensor;
      unit.expert_part = 1.0 / options_.tensor / options_.expert;
      unit.experts_apart = options_.expert > 1;
      unit.shared = carriers_.of_shards >= 0;
      unit.first_unit = static_cast<int>(graph_.units.size());
      for (const auto& one : shards_.units[piece].shape.units) graph_.units.push_back(one.name);
      const auto add_compute = [this, piece, first = unit.first_unit](std::size_t of_unit, ComputePart, double copies_s,
                                                                      const std::vector<std::size_t>& before) {
        return add_stage_of_units(piece, of_unit, first, copies_s, before);
      };
      const ShardBytes bytes{bytes_.gathered, bytes_.gradient, shards_.copy_s_per_byte};
      units_.emplace_back(graph_, shards_.units[piece].shape, sharded_, bytes, shards_.group, unit, add_compute,
                          nullptr);
    }
  }

  /// Adds a step unit by unit.
  void add_sharded_step(const PipelineStep& step) {
    step_ = step;
    arrives_ = feeds(step);
    auto& units = units_[at(step.piece)];
    const bool has_stages = options_.pipeline > 1;
    if (has_stages && arrives_ != not_there) units.wait_for_arrival(arrives_);
    if (step.forward)
      units.run_forward();
    else
      units.run_backward(!has_stages || backwards_left_[at(step.piece)] == 0);
  }

  std::size_t add_stage_of_units(std::size_t piece, std::size_t of_unit, int first_unit, double copies_s,
                                 std::vector<std::size_t> before) {
    const std::size_t stage = piece % steps_.size();
    const auto& units = shards_.units[piece];
    if (arrives_ != not_there) before.push_back(std::exchange(arrives_, not_there));
    if (last_[stage] != not_there) before.push_back(last_[stage]);
    const StepPart part{step_, first_unit + static_cast<int>(units.shape.stages[of_unit].unit)};
    const auto& shape = units.stages[of_unit];
    const std::size_t last = work_.add(shape, part, streams_[stage], copies_s, before);
    last_[stage] = work_.add_routing(shape, part, streams_[stage], before, last);
    return last_[stage];
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
  const ModelParallelOptions& options_;
  const PipelineBytes& bytes_;
  const PipelineGroups& carriers_;
  const PipelineShards& shards_;
  Graph graph_;
  StageWork work_;
  std::vector<StageStreams> streams_;            ///< the streams of each stage
  std::vector<std::vector<PipelineStep>> steps_; ///< the steps of each stage
  std::vector<std::size_t> last_;                ///< the last operation of each stage's compute, or inside its layers
  std::vector<std::size_t> outputs_at_;          ///< operations that bring a micro-batch to a piece, by place_of()
  std::vector<std::size_t> gradients_at_; ///< operations that bring a micro-batch's gradients to a piece, by place_of()
  std::vector<std::vector<std::size_t>> gathered_at_; ///< operations that gather the parameters of each piece
  std::vector<int> backwards_left_;                   ///< number of backwards that each piece still has to run
  ShardedOptions sharded_;                            ///< by which units are freed
  std::deque<ShardedUnits> units_;                    ///< the units of each piece with fsdp
  PipelineStep step_;                                 ///< the step that is added unit by unit
  std::size_t arrives_ = not_there;                   ///< what the next stage of units waits for
};

} // namespace

Graph pipeline_graph(const std::vector<PieceShape>& pieces, const WholePasses& passes,
                     const ModelParallelOptions& options, const PipelineBytes& bytes, const PipelineGroups& carriers,
                     const Machine& machine, const PipelineShards& shards) {
  return PipelineBuilder(pieces, passes, options, bytes, carriers, machine, shards).build();
}

} // namespace ddlsim
