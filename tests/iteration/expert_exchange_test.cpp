#include "sim/iteration/execution.hpp"
#include "sim/iteration/expert_exchange.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "tests/iteration/fixed_times.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace ddlsim {
namespace {

/// One block with 8 experts, of which a token chooses two: 6 bytes a sample go to them. Two ranks cut each layer, and
/// experts are dealt out over four ranks, on two nodes.
struct CutMixture {
  CutMixture() {
    piece.parameters = 10;
    piece.expert_parameters = 8;
    piece.inner_bytes = 3;
    piece.routed_bytes = 6;
    piece.experts = 8;
    piece.experts_a_token = 2;
    piece.expert_blocks = piece.attentive_blocks = 1;
    carriers.groups.resize(2);
    carriers.groups[0].machine.ranks = 4;
    carriers.groups[0].machine.ranks_per_node = 2;
    carriers.groups[1].machine.ranks = carriers.groups[1].machine.ranks_per_node = 2;
    carriers.of_expert = 0;
    carriers.of_tensor = 1;
    options.tensor = 2;
    options.expert = 4;
  }

  /// Bytes of a kind of transfer, by group.
  std::map<int, double> bytes_of(OperationKind kind) const {
    std::map<int, double> bytes;
    for (const auto& operation : pipeline_graph({piece}, WholePasses{1, 2}, options, {1, 4}, carriers, {}).operations)
      if (operation.kind == kind) bytes[operation.group] += operation.repeats * operation.size_bytes;
    return bytes;
  }

  PieceShape piece{"", 1, 1};
  PipelineGroups carriers;
  ModelParallelOptions options{1, 1, 1, PipelineSchedule::one_f_one_b, 1};
};

} // namespace

TEST_CASE("ranks that compute an expert together gather its tokens, others gather none", "[pipeline][expert]") {
  CutMixture mixture;
  // Attention gathers 3 bytes and scatters them, in two passes; experts of two ranks also gather the tokens.
  CHECK(mixture.bytes_of(OperationKind::all_to_all) == std::map<int, double>{{0, 2 * 2 * 6.0 / 2}});
  CHECK(mixture.bytes_of(OperationKind::all_gather) == std::map<int, double>{{1, 2 * (3 + 6.0)}});
  CHECK(mixture.bytes_of(OperationKind::reduce_scatter) == std::map<int, double>{{1, 2 * (3 + 6.0)}});
  mixture.options.expert_tensor = 1;
  CHECK(mixture.bytes_of(OperationKind::all_to_all) == std::map<int, double>{{0, 2 * 2 * 6.0 / 2}});
  CHECK(mixture.bytes_of(OperationKind::all_gather) == std::map<int, double>{{1, 2 * 3.0}});
}

TEST_CASE("deepep sends a token once to each rank, and between nodes once to each node", "[pipeline][expert]") {
  CHECK(places_with_a_choice(8, 1, 4) == Approx(1));
  CHECK(places_with_a_choice(8, 8, 4) == Approx(4));
  // Two of eight over four ranks of two each: 4 (1 - 6 x 5 / (8 x 7)); over two nodes of four: 2 (1 - 4 x 3 / 56).
  CHECK(places_with_a_choice(8, 2, 4) == Approx(4 * (1 - 30.0 / 56)));
  CHECK(places_with_a_choice(8, 2, 2) == Approx(2 * (1 - 12.0 / 56)));
  CutMixture mixture;
  mixture.options.expert_exchange = ExpertExchange::deepep;
  const double all = 2 * 2 * 6.0 / 2;
  CHECK(mixture.bytes_of(OperationKind::all_to_all).at(0) == Approx(all * (1 - 12.0 / 56)));
  mixture.carriers.groups[0].machine.ranks_per_node = 4;
  CHECK(mixture.bytes_of(OperationKind::all_to_all).at(0) == Approx(all * 2 * (1 - 30.0 / 56)));
  mixture.piece.experts_a_token = 0; // not known
  CHECK(mixture.bytes_of(OperationKind::all_to_all).at(0) == Approx(all));
}

TEST_CASE("an exchange beside compute is seen where it is longer, and a tenth of it always", "[pipeline][expert]") {
  CutMixture mixture;
  mixture.options.tensor = 1;
  mixture.carriers.of_tensor = -1;
  auto& group = mixture.carriers.groups[0].machine;
  group.ranks_per_node = 4;
  FixedTimes executor;
  executor.all_reduce_s = [](double) { return 0; };
  const auto end_s = [&](double Bps) {
    group.intra_Bps = Bps;
    const auto graph =
        pipeline_graph({mixture.piece}, WholePasses{1, 2}, mixture.options, {1, 4}, mixture.carriers, {});
    return run_transfers(graph, executor).end_s;
  };
  const double bytes = 2 * 6 * 3 / 4.0; // of a pass: there and back, three of four parts
  CHECK(end_s(100) == Approx(3 + 2 * bytes / 100));
  mixture.options.expert_overlap = true;
  CHECK(end_s(100) == Approx(3 + 2 * 0.1 * bytes / 100));
  CHECK(end_s(1) == Approx(2 * bytes)); // compute is the shorter one
}

} // namespace ddlsim
