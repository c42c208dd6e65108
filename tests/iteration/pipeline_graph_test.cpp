#include "sim/iteration/execution.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "tests/iteration/fixed_times.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace ddlsim {
namespace {

constexpr WholePasses one_and_two{1, 2};
constexpr double closed_form_rounding = 1e-9;

ModelParallelOptions options_of(int pipeline, int micro_batches, PipelineSchedule schedule, int virtual_stages = 1) {
  return {1, pipeline, micro_batches, schedule, virtual_stages};
}

/// Pieces of equal time that send a byte a sample each.
std::vector<PieceShape> even_pieces(int count) {
  PieceShape piece;
  piece.forward = piece.backward = 1.0 / count;
  piece.parameters = 10;
  piece.sent_bytes = 1;
  return std::vector<PieceShape>(static_cast<std::size_t>(count), piece);
}

Graph graph_of(const ModelParallelOptions& options, const WholePasses& passes = one_and_two, int replicas = 1) {
  Machine machine;
  machine.ranks = options.pipeline * replicas;
  PipelineGroups carriers;
  carriers.groups.resize(2);
  carriers.of_pair.assign(static_cast<std::size_t>(options.pipeline), 0);
  if (replicas > 1) carriers.of_replicas = 1;
  return pipeline_graph(even_pieces(options.pipeline * options.virtual_stages), passes, options, {1, 4}, carriers,
                        machine);
}

/// Idle time of a GPU over its compute, on a network that takes no time.
double bubble(const ModelParallelOptions& options) {
  return end_without_network_s(graph_of(options)) / (one_and_two.forward_s + one_and_two.backward_s) - 1;
}

} // namespace

TEST_CASE("GPipe and 1F1B idle for (p-1)/m of the compute on a free network", "[pipeline]") {
  // Huang et al. 2019, section 2.3: (K-1)/(M+K-1) of the time; Narayanan et al. 2021, section 2.2.1: (p-1)/m of the
  // compute.
  for (const auto schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b})
    for (const int stages : {2, 3, 4, 8, 16})
      for (const int micro_batches : {1, 2, 3, 7, 8, 32}) {
        INFO(to_text(schedule) << ", " << stages << " stages, " << micro_batches << " micro-batches");
        const double expected = (stages - 1.0) / micro_batches;
        CHECK(bubble(options_of(stages, micro_batches, schedule)) == Approx(expected).epsilon(closed_form_rounding));
      }
}

TEST_CASE("interleaved stages idle for (p-1)/(v m)", "[pipeline]") {
  // Narayanan et al. 2021, section 2.2.2.
  for (const int stages : {2, 4, 8})
    for (const int pieces : {2, 3, 4})
      for (const int rounds : {1, 2, 5}) {
        INFO(stages << " stages, " << pieces << " pieces a stage, " << rounds << " rounds");
        const auto options = options_of(stages, rounds * stages, PipelineSchedule::interleaved, pieces);
        const double expected = (stages - 1.0) / (pieces * options.micro_batches);
        CHECK(bubble(options) == Approx(expected).epsilon(closed_form_rounding));
      }
}

TEST_CASE("every micro-batch goes forward and back through every piece once", "[pipeline]") {
  for (const auto& options :
       {options_of(4, 3, PipelineSchedule::gpipe), options_of(4, 8, PipelineSchedule::one_f_one_b),
        options_of(3, 6, PipelineSchedule::interleaved, 2)})
    for (int stage = 0; stage < options.pipeline; ++stage) {
      std::map<std::pair<int, int>, int> forwards;
      std::map<std::pair<int, int>, int> backwards;
      for (const auto& step : steps_of_stage(options, stage)) {
        const auto passed = std::pair{step.piece, step.micro_batch};
        CHECK(step.piece % options.pipeline == stage);
        if (!step.forward) CHECK(forwards[passed] == 1); // before its backward
        ++(step.forward ? forwards : backwards)[passed];
      }
      const auto all = at(options.micro_batches) * at(options.virtual_stages);
      CHECK(forwards.size() == all);
      CHECK(backwards.size() == all);
    }
}

TEST_CASE("bytes between stages and in sums are those of the formula", "[pipeline]") {
  for (const auto& options :
       {options_of(4, 8, PipelineSchedule::one_f_one_b), options_of(4, 8, PipelineSchedule::gpipe),
        options_of(4, 8, PipelineSchedule::interleaved, 3)}) {
    double sent_bytes = 0;
    double summed_bytes = 0;
    for (const auto& operation : graph_of(options, one_and_two, 2).operations) {
      if (operation.kind == OperationKind::send) sent_bytes += operation.size_bytes;
      if (operation.kind == OperationKind::all_reduce) summed_bytes += operation.size_bytes;
    }
    const double pieces = options.pipeline * options.virtual_stages;
    CHECK(sent_bytes ==
          2 * (pieces - 1) * options.micro_batches); // there and back over every cut, a byte a micro-batch
    CHECK(summed_bytes == 4 * 10 * pieces);
  }
}

TEST_CASE("a pipeline whose sends take time runs as worked out by hand", "[pipeline]") {
  // F 1 s, B 2 s, a send 0.5 s:
  //  stage 0  F0 0-1  F1 1-2                                  B0 5-7            B1 8-10   sum 10-10.75
  //  stage 1            F0 1.5-2.5  B0 2.5-4.5  F1 4.5-5.5  B1 5.5-7.5                    sum 7.5-8.25
  const auto graph = graph_of(options_of(2, 2, PipelineSchedule::one_f_one_b), {2, 4}, 2);
  FixedTimes executor;
  executor.all_reduce_s = [](double size_bytes) {
    return size_bytes == 40 ? 0.75 : size_bytes / 4;
  }; // told 2 for a byte
  const auto execution = run_transfers(graph, executor);
  std::vector<std::vector<std::pair<double, double>>> spans(2); // of each stage's compute
  std::vector<double> sums_end_s;
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& operation = graph.operations[i];
    const auto& span = execution.spans[i];
    if (operation.kind == OperationKind::compute)
      spans[graph.streams[operation.stream].role].emplace_back(span.start_s, span.end_s);
    if (operation.kind == OperationKind::all_reduce) sums_end_s.push_back(span.end_s);
  }
  CHECK(spans[0] == std::vector<std::pair<double, double>>{{0, 1}, {1, 2}, {5, 7}, {8, 10}});
  CHECK(spans[1] == std::vector<std::pair<double, double>>{{1.5, 2.5}, {2.5, 4.5}, {4.5, 5.5}, {5.5, 7.5}});
  CHECK(sums_end_s == std::vector<double>{10.75, 8.25});
  CHECK(execution.end_s == 10.75);
  CHECK(execution.collectives.size() == 2);
  CHECK(end_without_network_s(graph) == 9);
}

namespace {

/// A model of three blocks with attention, each of which puts out 5 bytes a sample, on two ranks that compute it
/// together.
Graph graph_of_tensor_group(int micro_batches, bool overlap = false) {
  auto pieces = even_pieces(1);
  pieces.front().attentive_blocks = 3;
  pieces.front().inner_bytes = 3 * 5;
  Machine machine;
  machine.ranks = machine.ranks_per_node = 2;
  PipelineGroups carriers;
  carriers.groups.resize(1);
  carriers.of_tensor = 0;
  ModelParallelOptions options{2, 1, micro_batches, PipelineSchedule::one_f_one_b, 1};
  options.tensor_overlap = overlap;
  return pipeline_graph(pieces, one_and_two, options, {1, 4}, carriers, machine);
}

} // namespace

TEST_CASE("a block gathers and scatters its outputs twice in each pass, as many bytes as two all-reduces",
          "[pipeline]") {
  // Korthikanti et al. 2022, section 4.2.2: four gathers and four scatters a layer, forward and backward, in place of
  // four all-reduces, each of which is a scatter and a gather.
  std::map<OperationKind, double> bytes;
  for (const auto& operation : graph_of_tensor_group(4).operations)
    bytes[operation.kind] += operation.repeats * operation.size_bytes;
  const double of_two_passes = 2 * 2 * 3 * 5; // twice a pass, three blocks
  CHECK(bytes[OperationKind::all_gather] == 4 * of_two_passes);
  CHECK(bytes[OperationKind::reduce_scatter] == 4 * of_two_passes);
  CHECK(bytes.count(OperationKind::send) == 0);
}

TEST_CASE("of a model without attention each cut layer's outputs are gathered, and their gradients scattered",
          "[pipeline]") {
  auto pieces = even_pieces(1);
  pieces.front().cut_layers = 3;
  pieces.front().inner_bytes = 7 + 5 + 3;
  Machine machine;
  machine.ranks = machine.ranks_per_node = 2;
  PipelineGroups carriers;
  carriers.groups.resize(1);
  carriers.of_tensor = 0;
  const ModelParallelOptions options{2, 1, 4, PipelineSchedule::one_f_one_b, 1};
  const auto graph = pipeline_graph(pieces, one_and_two, options, {1, 4}, carriers, machine);
  std::map<OperationKind, double> bytes;
  std::map<OperationKind, int> count;
  for (const auto& operation : graph.operations) {
    bytes[operation.kind] += operation.repeats * operation.size_bytes;
    count[operation.kind] += operation.repeats;
  }
  const double micro_batches = 4;
  CHECK(bytes[OperationKind::all_gather] == Approx(micro_batches * 15));
  CHECK(bytes[OperationKind::reduce_scatter] == Approx(micro_batches * 15));
  CHECK(count[OperationKind::all_gather] == 4 * 3);
  FixedTimes executor;
  executor.all_reduce_s = [](double size_bytes) { return size_bytes / 100; }; // 0.15 a pass
  CHECK(run_transfers(graph, executor).end_s == Approx(3 + 4 * 2 * 0.15));
}

TEST_CASE("nothing is computed while a tensor group gathers and scatters", "[pipeline]") {
  FixedTimes executor;
  executor.all_reduce_s = [](double size_bytes) { return size_bytes / 100; }; // 0.05 each, 12 a pass
  const auto graph = graph_of_tensor_group(1);
  CHECK(run_transfers(graph, executor).end_s == Approx(1 + 0.6 + 2 + 0.6));
  CHECK(run_transfers(graph_of_tensor_group(4), executor).end_s == Approx(3 + 4 * 1.2));
  CHECK(end_without_network_s(graph) == Approx(3));
}

TEST_CASE("what overlaps inside layers shows one part in t, and what is longer than the compute", "[pipeline]") {
  // Twelve gathers and scatters a pass of 0.05 s each beside F 1 s and B 2 s: half of 0.6 s is seen. Where they take ten
  // times as long, the other half of 6 s is longer than either pass.
  FixedTimes executor;
  executor.all_reduce_s = [](double size_bytes) { return size_bytes / 100; };
  const auto graph = graph_of_tensor_group(1, true);
  CHECK(run_transfers(graph, executor).end_s == Approx(1 + 2 + 2 * 0.6 / 2));
  CHECK(end_without_network_s(graph) == Approx(3));
  executor.all_reduce_s = [](double size_bytes) { return size_bytes / 10; };
  CHECK(run_transfers(graph, executor).end_s == Approx(2 * 6));
  double bytes = 0;
  double without_overlap = 0;
  for (const auto& operation : graph.operations) bytes += operation.repeats * operation.size_bytes;
  for (const auto& operation : graph_of_tensor_group(1).operations)
    without_overlap += operation.repeats * operation.size_bytes;
  CHECK(bytes == Approx(without_overlap));
}

TEST_CASE("one replica sums nothing", "[pipeline]") {
  for (const auto& operation : graph_of(options_of(2, 2, PipelineSchedule::gpipe)).operations)
    CHECK(operation.kind != OperationKind::all_reduce);
}

TEST_CASE("each piece is gathered once before it is used, and scattered once when it is done", "[pipeline][zero-1]") {
  for (const auto& options :
       {options_of(4, 8, PipelineSchedule::one_f_one_b), options_of(4, 8, PipelineSchedule::gpipe),
        options_of(4, 8, PipelineSchedule::interleaved, 3)}) {
    Machine machine;
    machine.ranks = options.pipeline * 2;
    PipelineGroups carriers;
    carriers.groups.resize(2);
    carriers.of_pair.assign(static_cast<std::size_t>(options.pipeline), 0);
    carriers.of_shards = 1;
    const int pieces = options.pipeline * options.virtual_stages;
    const auto graph = pipeline_graph(even_pieces(pieces), one_and_two, options, {1, 4, 2}, carriers, machine);
    FixedTimes executor;
    executor.all_reduce_s = [](double size_bytes) { return size_bytes / 100; };
    const auto execution = run_transfers(graph, executor);
    std::map<int, double> gathered_s;   // end, by piece
    std::map<int, double> scattered_s;  // start
    std::map<int, double> first_used_s; // start of its first forward
    std::map<int, double> last_used_s;  // end of its last backward
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
      const auto& operation = graph.operations[i];
      const auto& span = execution.spans[i];
      if (operation.kind == OperationKind::compute) {
        const auto [used, is_first] = first_used_s.emplace(operation.unit, span.start_s);
        used->second = std::min(used->second, span.start_s);
        last_used_s[operation.unit] = std::max(last_used_s[operation.unit], span.end_s);
      }
      if (operation.kind == OperationKind::all_gather) {
        CHECK(gathered_s.emplace(operation.unit, span.end_s).second);
        CHECK(operation.size_bytes == 2 * 10);
      }
      if (operation.kind == OperationKind::reduce_scatter) {
        CHECK(scattered_s.emplace(operation.unit, span.start_s).second);
        CHECK(operation.size_bytes == 4 * 10);
      }
    }
    CHECK(gathered_s.size() == static_cast<std::size_t>(pieces));
    CHECK(scattered_s.size() == static_cast<std::size_t>(pieces));
    for (int piece = 0; piece < pieces; ++piece) {
      CHECK(first_used_s[piece] >= gathered_s[piece]);
      CHECK(scattered_s[piece] >= last_used_s[piece]);
    }
    const auto exposed = exposed_parts(graph, execution, end_without_network_s(graph));
    CHECK(exposed.tensor_s + exposed.pipeline_s + exposed.data_parallel_s ==
          Approx(execution.end_s - end_without_network_s(graph)));
    CHECK(exposed.data_parallel_s > 0);
  }
}

TEST_CASE("blocks of a piece are gathered and scattered beside each other's compute", "[pipeline][zero-1]") {
  // Three blocks of F 1 s and B 2 s a micro-batch; 20 and 40 bytes of each are gathered and scattered in 0.5 and 1 s.
  // Two micro-batches: the first gather and the last scatter are seen, and nothing else.
  auto piece = even_pieces(1).front();
  piece.parameters = 3 * 10;
  piece.attentive_blocks = 3;
  Machine machine;
  machine.ranks = 2;
  PipelineGroups carriers;
  carriers.groups.resize(1);
  carriers.of_shards = 0;
  const ModelParallelOptions options{1, 1, 2, PipelineSchedule::one_f_one_b, 1, DataParallel::zero_1};
  const auto graph = pipeline_graph({piece}, {6, 12}, options, {1, 4, 2}, carriers, machine);
  FixedTimes executor;
  executor.all_reduce_s = [](double size_bytes) { return size_bytes / 40; };
  CHECK(run_transfers(graph, executor).end_s == Approx(0.5 + 6 + 12 + 1));
  CHECK(end_without_network_s(graph) == Approx(6 + 12));
  std::map<OperationKind, double> bytes;
  for (const auto& operation : graph.operations) bytes[operation.kind] += operation.size_bytes;
  CHECK(bytes[OperationKind::all_gather] == 2 * 30);
  CHECK(bytes[OperationKind::reduce_scatter] == 4 * 30);
}

TEST_CASE("tokens go to their experts and back in each pass, and experts are summed where they are the same",
          "[pipeline][expert]") {
  // Two blocks with experts that put out 6 bytes a sample, 8 of 10 parameters of each: over four ranks of eight
  // replicas, four micro-batches of a sample.
  auto piece = even_pieces(1).front();
  piece.parameters = 2 * 10;
  piece.expert_parameters = 2 * 8;
  piece.expert_forward = piece.expert_backward = 0.5;
  piece.routed_bytes = 2 * 6;
  piece.expert_blocks = piece.attentive_blocks = 2;
  Machine machine;
  machine.ranks = machine.ranks_per_node = 8;
  machine.intra_Bps = 1;
  PipelineGroups carriers;
  carriers.groups.resize(3);
  carriers.groups[0].machine = machine;
  carriers.groups[0].machine.ranks = 4;
  carriers.of_expert = 0;
  carriers.of_replicas = 1;
  carriers.of_expert_replicas = 2;
  ModelParallelOptions options{1, 1, 4, PipelineSchedule::one_f_one_b, 1};
  options.expert = 4;
  const auto bytes_of = [&](const ModelParallelOptions& asked, OperationKind kind) {
    std::map<int, double> bytes; // by group
    for (const auto& operation : pipeline_graph({piece}, one_and_two, asked, {1, 4}, carriers, machine).operations)
      if (operation.kind == kind) bytes[operation.group] += operation.repeats * operation.size_bytes;
    return bytes;
  };
  CHECK(bytes_of(options, OperationKind::all_to_all) == std::map<int, double>{{0, 4 * 2 * 2 * 2 * 6.0}});
  CHECK(bytes_of(options, OperationKind::all_reduce) == std::map<int, double>{{1, 4 * 2 * 2.0}, {2, 4 * 2 * 8.0 / 4}});
  const auto graph = pipeline_graph({piece}, one_and_two, options, {1, 4}, carriers, machine);
  CHECK(end_without_network_s(graph) == Approx(3));
  FixedTimes executor;
  executor.all_reduce_s = [](double) { return 0; };
  const double exchange_s = 6 * 3 / 4.0; // three of four parts to other ranks at 1 B/s
  CHECK(run_transfers(graph, executor).end_s == Approx(3 + 4 * 2 * 2 * 2 * exchange_s));
  options.expert_imbalance = 1.5; // half of the compute takes half as long again, and as many tokens more travel
  const auto uneven = pipeline_graph({piece}, one_and_two, options, {1, 4}, carriers, machine);
  CHECK(end_without_network_s(uneven) == Approx(3 * 1.25));
  CHECK(run_transfers(uneven, executor).end_s == Approx(3 * 1.25 + 4 * 2 * 2 * 2 * 1.5 * exchange_s));
}

} // namespace ddlsim
