#include "sim/iteration/all_reduce_graph.hpp"
#include "sim/iteration/execution.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "tests/iteration/fixed_times.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace ddlsim {
namespace {

/// Backward from 1 s to 3 s; three tensors ready at 1.5, 2 and 3 s.
ComputeProfile three_tensors() {
  ComputeProfile profile;
  profile.forward_s = 1;
  profile.backward_s = 2;
  profile.tensors = {{2, 100, 1.5}, {1, 200, 2.0}, {0, 300, 3.0}};
  return profile;
}

Preset preset(Grouping grouping) {
  Preset preset;
  preset.grouping = grouping;
  preset.overlapped = grouping != Grouping::single;
  return preset;
}

double hundred_bytes_a_second(double size_bytes) {
  return size_bytes / 100;
}

double a_tenth(double) {
  return 0.1;
}

/// Where compute ends, and what the stream of collectives runs.
struct Timeline {
  double compute_end_s = 0;
  double end_s = 0;
  std::vector<Collective> collectives;
};

Timeline run(const ComputeProfile& profile, const Preset& preset, double interference,
             double (*all_reduce_s)(double size_bytes)) {
  Graph graph = all_reduce_graph(profile, preset, {});
  graph.interference = interference;
  FixedTimes executor;
  executor.all_reduce_s = all_reduce_s;
  const auto execution = execute(graph, executor);
  Timeline timeline{0, execution.end_s, execution.collectives};
  for (std::size_t i = 0; i < graph.operations.size(); ++i)
    if (graph.operations[i].kind == OperationKind::compute)
      timeline.compute_end_s = std::max(timeline.compute_end_s, execution.spans[i].end_s);
  return timeline;
}

} // namespace

TEST_CASE("golden timeline: one operation a tensor, overlapped", "[graph]") {
  //  compute  |--forward--|------backward------|            ends at 3
  //  stream               1.5[100]2.5[ 200  ]4.5[  300   ]7.5
  const auto timeline = run(three_tensors(), preset(Grouping::per_tensor), 0, hundred_bytes_a_second);
  REQUIRE(timeline.collectives.size() == 3);
  CHECK(timeline.collectives[0].span.start_s == Approx(1.5));
  CHECK(timeline.collectives[0].span.end_s == Approx(2.5));
  CHECK(timeline.collectives[1].span.start_s == Approx(2.5));
  CHECK(timeline.collectives[1].span.end_s == Approx(4.5));
  CHECK(timeline.collectives[2].span.end_s == Approx(7.5));
  CHECK(timeline.compute_end_s == Approx(3));
  CHECK(timeline.end_s == Approx(7.5));
}

TEST_CASE("golden timeline: everything after backward", "[graph]") {
  const auto timeline = run(three_tensors(), preset(Grouping::single), 0, hundred_bytes_a_second);
  REQUIRE(timeline.collectives.size() == 1);
  CHECK(timeline.collectives[0].span.start_s == Approx(3));
  CHECK(timeline.end_s == Approx(9));
}

TEST_CASE("golden timeline: compute slows while the stream is busy", "[graph]") {
  // The first operation takes 1 s from 1.5 s on; at half speed 0.5 s of compute is done in it, so that at 2.5 s compute
  // stands at 2.0: the second tensor is ready. It takes 2 s, in which the last second of compute ends exactly at 4.5 s.
  const auto timeline = run(three_tensors(), preset(Grouping::per_tensor), 1, hundred_bytes_a_second);
  CHECK(timeline.collectives[1].span.start_s == Approx(2.5));
  CHECK(timeline.compute_end_s == Approx(4.5));
  CHECK(timeline.collectives[2].span.start_s == Approx(4.5));
  CHECK(timeline.end_s == Approx(7.5));
}

TEST_CASE("c10d buckets: a small first one, then the cap", "[graph]") {
  auto ddp = preset(Grouping::buckets);
  ddp.first_bucket_bytes = 50;
  ddp.bucket_bytes = 400;
  const auto timeline = run(three_tensors(), ddp, 0, hundred_bytes_a_second);
  REQUIRE(timeline.collectives.size() == 2);
  CHECK(timeline.collectives[0].size_bytes == 100); // full at once: 100 >= 50
  CHECK(timeline.collectives[1].size_bytes == 500);
  CHECK(timeline.collectives[1].span.start_s == Approx(3)); // its last tensor's time
}

TEST_CASE("Horovod: ticks collect what is ready, up to the fusion buffer", "[graph]") {
  auto horovod = preset(Grouping::fusion);
  horovod.cycle_s = 0.4;
  horovod.bucket_bytes = 1000;
  const auto timeline = run(three_tensors(), horovod, 0, a_tenth);
  REQUIRE(timeline.collectives.size() == 3);
  CHECK(timeline.collectives[0].span.start_s == Approx(1.7)); // 1.5 and half a cycle
  CHECK(timeline.collectives[1].span.start_s == Approx(2.1)); // a cycle later
  CHECK(timeline.collectives[2].span.start_s == Approx(3.2)); // 3 and half a cycle
}

TEST_CASE("Horovod: tensors that wait together are fused until the buffer is full", "[graph]") {
  auto horovod = preset(Grouping::fusion);
  horovod.cycle_s = 10; // one tick, 5 after the first gradient: all are there
  horovod.bucket_bytes = 350;
  const auto timeline = run(three_tensors(), horovod, 0, hundred_bytes_a_second);
  REQUIRE(timeline.collectives.size() == 2);
  CHECK(timeline.collectives[0].tensors == 2);
  CHECK(timeline.collectives[0].size_bytes == 300);
  CHECK(timeline.collectives[1].size_bytes == 300);
  CHECK(timeline.end_s == Approx(12.5));
}

TEST_CASE("over random profiles no byte is lost and overlap is never slower than none", "[graph][property]") {
  std::mt19937_64 random(7);
  const auto uniform = [&] { return static_cast<double>(random() % 1000) / 1000; };
  for (int trial = 0; trial < 200; ++trial) {
    ComputeProfile profile;
    profile.forward_s = 0.1 + uniform();
    profile.backward_s = 0.1 + uniform();
    const int tensors = 1 + static_cast<int>(random() % 40);
    double bytes = 0;
    for (int t = 0; t < tensors; ++t) {
      const double ready_s = profile.forward_s + profile.backward_s * (t + 1) / tensors;
      profile.tensors.push_back({tensors - 1 - t, 1 + 100 * uniform(), ready_s});
      bytes += profile.tensors.back().size_bytes;
    }
    for (const Grouping grouping : values_of<Grouping>()) {
      auto rule = preset(grouping);
      rule.first_bucket_bytes = 50;
      rule.bucket_bytes = 200;
      rule.cycle_s = 0.05;
      const auto operation = [](double size_bytes) { return 1e-3 + size_bytes / 1000; };
      const auto timeline = run(profile, rule, 0, operation);
      const double moved = std::accumulate(timeline.collectives.begin(), timeline.collectives.end(), 0.0,
                                           [](double sum, const Collective& group) { return sum + group.size_bytes; });
      CHECK(moved == Approx(bytes));
      CHECK(timeline.end_s >= profile.total_s() * (1 - 1e-12));
      if (rule.grouping == Grouping::fusion) continue; // its groups depend on time
      auto late = rule;
      late.overlapped = false;
      CHECK(timeline.end_s <= run(profile, late, 0, operation).end_s * (1 + 1e-12));
    }
  }
}

TEST_CASE("input: the slowest of decoding, the node's storage and what all nodes share", "[input]") {
  const InputPipeline input{100e3, 1000, 1e9};
  CHECK(input_times(input, {"nvme", 2e9}, 1, 1, 500).longest_s() == Approx(0.5)); // 500 at 1000/s; reading takes 25 ms
  CHECK(input_times(input, {"efs", 50e6}, 1, 1, 500).longest_s() == Approx(1.0)); // 50 MB at 50 MB/s
  CHECK(input_times(input, {"lustre", 2e9}, 100, 1, 500).longest_s() == Approx(5.0)); // 5 GB at 1 GB/s for all
  CHECK(input_times({100e3, 0, 0}, {"", 0}, 100, 1, 500).longest_s() == 0);           // nothing known that limits
  CHECK(input_times({}, {"nvme", 1e9}, 4, 1, 500).longest_s() == 0);                  // synthetic data
}

TEST_CASE("buckets count gradients as backward leaves them, fusion what is on the wire", "[graph]") {
  Preset preset;
  preset.grouping = Grouping::buckets;
  preset.first_bucket_bytes = 4;
  preset.bucket_bytes = 8;
  ComputeProfile fp32;
  fp32.forward_s = 1;
  fp32.backward_s = 1;
  for (int tensor = 7; tensor >= 0; --tensor) fp32.tensors.push_back({tensor, 4, 2.0});
  auto compressed = fp32;
  compressed.wire_share = 0.5;
  for (auto& tensor : compressed.tensors) tensor.size_bytes = 2;
  const auto tensors_of = [&](const ComputeProfile& profile) {
    std::vector<int> tensors;
    for (const auto& group : run(profile, preset, 0, a_tenth).collectives) tensors.push_back(group.tensors);
    return tensors;
  };
  CHECK(tensors_of(fp32) == std::vector<int>{1, 2, 2, 2, 1});
  CHECK(tensors_of(compressed) == tensors_of(fp32));
  preset.grouping = Grouping::fusion;
  CHECK(tensors_of(fp32) == std::vector<int>{2, 2, 2, 2});
  CHECK(tensors_of(compressed) == std::vector<int>{4, 4});
}

} // namespace ddlsim
