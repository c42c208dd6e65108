// "tensor", "pipeline", "micro_batches": "best": the degrees that win, and why.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/parallel_checks.hpp"
#include "sim/iteration/memory_fit.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/predict/best_layout.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/report.hpp"
#include "tests/predict/even_model.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <set>

namespace ddlsim {
namespace {

constexpr int searched = ModelParallelOptions::best;

StepSetup seeking_layout(const EvenModel& model, int gpus,
                         ModelParallelOptions parallel = {searched, searched, searched}) {
  auto setup = model.pipeline(1, 1, gpus);
  setup.strategy.parallel = parallel;
  setup.gpus_per_node = std::min(gpus, model.cluster.gpus_per_node);
  return setup;
}

FoundLayout layout_at(const EvenModel& model, const Parameters& sample, int gpus,
                      ModelParallelOptions parallel = {searched, searched, searched}) {
  return BestLayout(seeking_layout(model, gpus, parallel), sample, model.cluster.gpus_per_node).at(gpus);
}

std::string degrees_of(const Strategy& strategy) {
  const auto& parallel = strategy.parallel;
  return std::to_string(parallel.tensor) + " x " + std::to_string(parallel.pipeline) + " / " +
         std::to_string(parallel.micro_batches);
}

} // namespace

TEST_CASE("layouts are divisors, and stated degrees stay", "[best-layout]") {
  EvenModel even(6);
  even.cluster.gpus_per_node = 4;
  std::set<std::string> found;
  for (const auto& one : layout_candidates(seeking_layout(even, 8))) found.insert(degrees_of(one)); // 8 samples a GPU
  // No attention, so no tensor groups; two and four stages of 16 and 32 samples a replica; eight are more than blocks.
  CHECK(found == std::set<std::string>{"1 x 2 / 1", "1 x 2 / 2", "1 x 2 / 4", "1 x 2 / 8", "1 x 2 / 16", "1 x 4 / 1",
                                       "1 x 4 / 2", "1 x 4 / 4", "1 x 4 / 8", "1 x 4 / 16", "1 x 4 / 32"});
  for (const auto& one : layout_candidates(seeking_layout(even, 8, {1, 2, searched})))
    CHECK(one.parallel.pipeline == 2);
  CHECK(layout_candidates(seeking_layout(even, 8, {1, searched, 32})).size() == 1);
  CHECK(layout_candidates(seeking_layout(even, 7)).empty());
  ModelParallelOptions interleaved{1, searched, searched, PipelineSchedule::interleaved, 2};
  for (const auto& one : layout_candidates(seeking_layout(even, 8, interleaved))) {
    CHECK(one.parallel.pipeline == 2); // three blocks a piece at most
    CHECK(one.parallel.micro_batches % 2 == 0);
  }
}

TEST_CASE("data parallelism alone is a layout where all but the micro-batches is stated", "[best-layout]") {
  const EvenModel even(6);
  std::set<std::string> found;
  for (const auto& one : layout_candidates(seeking_layout(even, 4, {1, 1, searched}))) found.insert(degrees_of(one));
  CHECK(found == std::set<std::string>{"1 x 1 / 1", "1 x 1 / 2", "1 x 1 / 4", "1 x 1 / 8"}); // 8 samples a GPU
  for (const auto& one : layout_candidates(seeking_layout(even, 4, {1, searched, searched})))
    CHECK(one.parallel.pipeline > 1);
}

TEST_CASE("on a free network the fewest stages and the smallest micro-batches win, by (p-1)/m", "[best-layout]") {
  const EvenModel even(8);
  const auto found = layout_at(even, free_network(even.sample), 8);
  REQUIRE(found.best);
  REQUIRE(found.runner_up);
  CHECK(degrees_of(found.strategy) == "1 x 2 / 16"); // 1/16
  CHECK(found.best->time.iteration_s == Approx(0.3 * (1 + 1.0 / 16)).epsilon(1e-9));
  CHECK(degrees_of(found.runner_up->strategy) == "1 x 4 / 32"); // 3/32
  CHECK(found.runner_up->time.iteration_s == Approx(0.3 * (1 + 3.0 / 32)).epsilon(1e-9));
  CHECK(found.refused_by_memory == 0);
  CHECK_FALSE(found.too_large);
}

TEST_CASE("a tensor group wins where its gathers are cheap, a pipeline where they are not", "[best-layout]") {
  TwoBlocks two;
  const auto free = layout_at(two, free_network(two.sample), 2);
  CHECK(degrees_of(free.strategy) == "2 x 1 / 1");    // no bubble
  const double beside_s = 30 * 0.5 * 2 * 16e6 / 1e15; // 30 times half of two blocks' 16 MB, over the GPU's memory
  CHECK(free.best->time.iteration_s == Approx(0.3 + beside_s).epsilon(1e-9));
  // 16 samples of 1 MB gathered or scattered 16 times, half of them over 1 GB/s: 128 ms; a bubble of 1/16: 19 ms, and
  // the sends.
  const auto slow = layout_at(two, two.sample, 2);
  CHECK(slow.strategy.parallel.pipeline == 2);
  CHECK(slow.best->time.parts.exposed.tensor_s == Approx(0).margin(1e-12));
  const auto only_tensor = layout_at(two, two.sample, 2, {searched, 1, 1});
  CHECK(only_tensor.best->time.parts.exposed.tensor_s == Approx(0.128).epsilon(1e-6));
  CHECK(only_tensor.tried == 1);
  CHECK_FALSE(only_tensor.runner_up);
}

TEST_CASE("a tensor group cuts matrices evenly", "[best-layout]") {
  TwoBlocks two;
  CHECK(layout_candidates(seeking_layout(two, 2, {searched, 1, 1})).size() == 1); // two on a node
  two.model.layers[1].tensors = {{"w", {500, 501}, 1e6}};
  CHECK(layout_candidates(seeking_layout(two, 2, {searched, 1, 1})).empty());
  two.model.layers[1].tensors = {{"w", {501}, 1e6}}; // no matrix
  CHECK(layout_candidates(seeking_layout(two, 2, {searched, 1, 1})).size() == 1);
}

TEST_CASE("memory decides against the fastest, which is reported", "[best-layout]") {
  EvenModel even(8);
  const auto peak_of = [&](int stages, int micro_batches) {
    return peak_memory(even.pipeline(stages, micro_batches, 8)).total();
  };
  constexpr double usable_share = 0.95; // of a small card
  even.gpu.memory_bytes = (peak_of(2, 16) + peak_of(4, 32)) / 2 / usable_share;
  const auto found = layout_at(even, free_network(even.sample), 8);
  REQUIRE(found.too_large);
  CHECK(degrees_of(found.strategy) == "1 x 4 / 32");
  CHECK(degrees_of(found.too_large->strategy) == "1 x 2 / 16");
  CHECK(found.refused_by_memory > 0);
  even.gpu.memory_bytes = 1;
  const auto none = layout_at(even, free_network(even.sample), 8);
  CHECK_FALSE(none.best);
  CHECK(none.refused_by_memory == none.tried);
  CHECK(none.strategy.parallel.pipeline == 8); // needs least
}

namespace {

/// Whether the search, which runs few layouts, finds the two fastest of all.
void check_against_all(const EvenModel& model, int gpus, const ModelParallelOptions& asked) {
  const auto found = layout_at(model, model.sample, gpus, asked);
  std::vector<double> times_s;
  auto setup = seeking_layout(model, gpus, asked);
  for (const auto& one : layout_candidates(seeking_layout(model, gpus, asked))) {
    setup.strategy = one;
    times_s.push_back(time_step(setup, model.sample, Fidelity::formula).iteration_s);
  }
  std::sort(times_s.begin(), times_s.end());
  REQUIRE(times_s.size() >= 2);
  CHECK(found.tried == static_cast<int>(times_s.size()));
  CHECK(found.best->time.iteration_s == Approx(times_s[0]).epsilon(1e-9));
  CHECK(found.runner_up->time.iteration_s == Approx(times_s[1]).epsilon(1e-9));
}

} // namespace

TEST_CASE("no layout is faster than the best, nor any but it than the next", "[best-layout]") {
  for (const double latency_s : {0.0, 1e-3, 5e-3})
    for (const double uneven : {1.0, 3.0}) {
      TwoBlocks two;
      EvenModel even(8);
      two.model.layers[1].forward_flop_per_sample *= uneven;
      even.model.layers[1].forward_flop_per_sample *= uneven;
      two.sample.net_latency_s = even.sample.net_latency_s = latency_s;
      two.sample.model_discrepancy = even.sample.model_discrepancy = 0.9;
      even.cluster.gpus_per_node = 2;
      for (const auto schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b}) {
        INFO(to_text(schedule) << ", " << latency_s << " s, " << uneven);
        check_against_all(two, 4, {searched, searched, searched, schedule, 1});
        check_against_all(even, 8, {searched, searched, searched, schedule, 1, DataParallel::zero_1});
      }
      check_against_all(even, 8, {1, searched, searched, PipelineSchedule::interleaved, 2});
    }
}

TEST_CASE("the best of all layouts of a transformer is within 1 % of the fastest, when all are asked",
          "[best-layout]") {
  EvenModel host(1);
  host.model = load_model(DataFolder{DDLSIM_SOURCE_DIR}, "llama_3.1_8b_seq8192");
  host.cluster.gpus_per_node = 4;
  host.gpu.memory_bytes = 80e9;
  host.gpu.memory_bandwidth_Bps = 3e12;
  ModelParallelOptions asked{
      searched, searched, searched, PipelineSchedule::one_f_one_b, searched, DataParallel::zero_1};
  asked.context = asked.expert = searched;
  asked.recompute = Recompute::best;
  asked.best_layout = true;
  auto setup = seeking_layout(host, 8, asked);
  setup.batch_per_gpu = 1;
  const auto found = BestLayout(setup, host.sample, 4).at(8);
  REQUIRE(found.best);
  double fastest_s = std::numeric_limits<double>::infinity();
  int fit = 0;
  std::set<Recompute> recomputed;
  for (const auto& one : layout_candidates(setup)) {
    auto run = setup;
    run.strategy = one;
    recomputed.insert(one.parallel.recompute);
    if (peak_memory(run).total() > usable_bytes(run.gpu)) continue;
    ++fit;
    fastest_s = std::min(fastest_s, time_step(run, host.sample, Fidelity::formula).iteration_s);
  }
  CHECK(recomputed == std::set<Recompute>{Recompute::none, Recompute::selective, Recompute::full});
  CHECK(fit > 10);
  CHECK(fit < found.tried);
  CHECK(found.best->time.iteration_s <= 1.01 * fastest_s);
}

TEST_CASE("what replicas do is searched as the preset can, and the best is that of all", "[best-layout]") {
  TwoBlocks two;
  ModelParallelOptions asked{searched, searched, searched, PipelineSchedule::one_f_one_b, 1, DataParallel::zero_1};
  asked.shard_group = searched_replicas;
  const auto kinds_on = [&](int gpus) {
    std::set<std::pair<DataParallel, int>> kinds;
    for (const auto& one : layout_candidates(seeking_layout(two, gpus, asked)))
      kinds.insert({one.parallel.data_parallel, one.parallel.shard_group});
    return kinds;
  };
  const int all = ShardedOptions::all_ranks;
  CHECK(kinds_on(4) == std::set<std::pair<DataParallel, int>>{{DataParallel::zero_1, all}});
  two.preset.name = "megatron-lm";
  CHECK(kinds_on(8) == std::set<std::pair<DataParallel, int>>{{DataParallel::zero_1, all},
                                                              {DataParallel::fsdp, all},
                                                              {DataParallel::fsdp, ShardedOptions::a_node}});
  for (const double latency_s : {0.0, 1e-3, 5e-3})
    for (const double rate : {0.1, 1.0, 10.0}) {
      INFO(latency_s << " s, " << rate);
      two.sample.net_latency_s = latency_s;
      auto faster = two;
      for (auto& nic : faster.cluster.nics) nic.bandwidth_Bps *= rate;
      check_against_all(faster, 4, asked);
      check_against_all(faster, 8, asked);
    }
}

TEST_CASE("fsdp is chosen where nothing else fits", "[best-layout]") {
  EvenModel host(1);
  host.model = load_model(DataFolder{DDLSIM_SOURCE_DIR}, "llama_3.1_8b_seq8192");
  host.cluster.gpus_per_node = 8;
  host.gpu.memory_bandwidth_Bps = 3e12;
  host.preset.name = "megatron-lm";
  ModelParallelOptions asked{1, 1, searched, PipelineSchedule::one_f_one_b, 1, DataParallel::zero_1};
  asked.shard_group = searched_replicas;
  asked.recompute = Recompute::full;
  auto setup = seeking_layout(host, 8, asked);
  setup.batch_per_gpu = 1;
  const auto peak_of = [&](DataParallel kind) {
    auto run = setup;
    run.strategy.parallel.micro_batches = 1;
    run.strategy.parallel.data_parallel = kind;
    run.strategy.parallel.shard_group = ShardedOptions::all_ranks;
    return peak_memory(run).total();
  };
  host.gpu.memory_bytes = std::round((peak_of(DataParallel::zero_1) + peak_of(DataParallel::fsdp)) / 2);
  const auto found = BestLayout(setup, host.sample, 8).at(8);
  REQUIRE(found.best);
  CHECK(found.best->strategy.parallel.data_parallel == DataParallel::fsdp);
  CHECK(found.refused_by_memory == 1);
}

TEST_CASE("scales without a layout have none, and a point says why", "[best-layout]") {
  const EvenModel even(8);
  const BestLayout layouts(seeking_layout(even, 8), even.sample, 4);
  CHECK(layouts.at(11).tried == 0); // more stages than blocks
  CHECK(layouts.at(1).tried == 0);
  CHECK(layouts.most_usable(100) == 64);
  CHECK(layouts.most_usable(3) == 3);
  CHECK(layouts.most_usable(1) == 0);
  CHECK(layouts.least_usable(100) == 2);
  const BestLayout threes(seeking_layout(even, 8, {1, 3, searched}), even.sample, 4);
  CHECK(threes.most_usable(100) == 96); // twelve, doubled
}

TEST_CASE("context groups divide the GPUs and cut the sequence, and win where sequences are few",
          "[best-layout][context]") {
  TwoBlocks two;
  two.model.layers[0].name = "block0.attention.query_key_value"; // all of 1 MB but what attention puts out
  two.model.layers.insert(two.model.layers.begin() + 1, {"block0.attention.fused", "attention", 0, 0.5e6, {}});
  two.model.layers.insert(two.model.layers.begin() + 4, {"block1.attention.fused", "attention", 0, 0.5e6, {}});
  two.model.layers[0].kind = two.model.layers[3].kind = "linear";
  two.model.layers[3].name = "block1.attention.query_key_value";
  two.model.sample = "sequence of 24 tokens";
  auto asked = ModelParallelOptions{1, 1, 1};
  asked.context = searched;
  std::set<int> found;
  for (const auto& one : layout_candidates(seeking_layout(two, 12, asked))) found.insert(one.parallel.context);
  CHECK(found == std::set<int>{2, 4, 6, 12}); // 3 GPUs share nodes of two unevenly
  const auto best = layout_at(two, free_network(two.sample), 12, asked);
  CHECK(best.strategy.parallel.context == 2); // all take as long
  CHECK(best.best->time.iteration_s == Approx(0.3).epsilon(1e-9));
  two.model.sample = "sequence of 25 tokens";
  CHECK(layout_candidates(seeking_layout(two, 12, asked)).empty());
  asked.pipeline = asked.micro_batches = searched;
  for (const auto& one : layout_candidates(seeking_layout(two, 4, asked))) CHECK(one.parallel.context == 1);
  two.model.sample = "sequence of 24 tokens";
  two.sample.net_latency_s = 0;
  check_against_all(two, 4, asked);
  asked.tensor = searched;
  check_against_all(two, 4, asked);
}

} // namespace ddlsim
