// Four tiny iterations, every span of them, against files whose numbers were worked out by hand (in the head of each).
// After a change that is meant: DDLSIM_REFRESH_GOLDEN=1 build/release/bin/golden_test, then check every line that
// moved.
#include "sim/iteration/all_reduce_graph.hpp"
#include "sim/iteration/execution.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "tests/golden/message_trace.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {
namespace {

constexpr double us = 1e-6;

struct TimelineRow {
  double start_s = 0;
  double end_s = 0;
  std::string who;
  std::string what;
};

/// One row a line, microseconds with one decimal, in the order given.
std::string to_text(const std::vector<TimelineRow>& rows) {
  std::string text = "  start us     end us  who         what\n";
  for (const auto& row : rows)
    text += fmt::format("{:10.1f} {:10.1f}  {:<11} {}\n", row.start_s / us, row.end_s / us, row.who, row.what);
  return text;
}

/// The committed file tests/golden/NAME.txt: its leading lines with # are the calculation by hand, the rest is the
/// timeline. With DDLSIM_REFRESH_GOLDEN set in the environment the timeline is written there first, the calculation
/// kept.
struct Golden {
  std::string calculation;
  std::string timeline;
};

std::string path_of(const std::string& name) {
  return std::string(DDLSIM_SOURCE_DIR) + "/tests/golden/" + name + ".txt";
}

Golden read(const std::string& name) {
  Golden golden;
  std::ifstream in(path_of(name));
  for (std::string line; std::getline(in, line);) {
    const bool comment = golden.timeline.empty() && line.starts_with('#');
    (comment ? golden.calculation : golden.timeline) += line + "\n";
  }
  return golden;
}

Golden golden(const std::string& name, const std::string& timeline_now) {
  if (std::getenv("DDLSIM_REFRESH_GOLDEN") != nullptr) {
    const std::string calculation = read(name).calculation;
    std::ofstream(path_of(name)) << calculation << timeline_now;
  }
  return read(name);
}

/// Both runs are SimGrid's; they differ by rounding of additions alone.
constexpr double rounding = 1e-9;

/// A layer of one tensor.
struct TinyLayer {
  std::string name;
  double backward_share = 0;
  double size_bytes = 0;
};

/// 1 ms forward, 2 ms backward; nodes of one GPU, 1 GB/s, 100 us; software costs nothing.
struct TinyCluster : SmallCluster {
  TinyCluster(const std::vector<TinyLayer>& layers, StrategyName strategy, int gpus_) : gpus(gpus_) {
    model.layers.clear();
    for (const auto& layer : layers) // the roofline of layers of one kind without activations goes by their FLOP
      model.layers.push_back(
          {layer.name, "linear", layer.backward_share * 1e9, 0, {{layer.name, {}, layer.size_bytes}}});
    sample.net_latency_s = 100e-6;
    sample.compute_factor = 1;
    sample.model_discrepancy = 1;
    strategy_name = strategy;
  }

  StepSetup step() const {
    auto step = setup(strategy_name, gpus);
    step.one_gpu_s = 3e-3;
    step.strategy.servers = {ServerCount::Rule::count, 1};
    step.strategy.placement = Placement::dedicated;
    return step;
  }

  ComputeProfile profile() const {
    const auto now = step();
    return compute_profile(model, gpu, Precision::fp32, now.batch_per_gpu, now.one_gpu_s, sample.forward_share, 4);
  }

  Machine machine() const {
    Machine machine;
    machine.ranks = gpus;
    machine.nic_Bps = 1e9;
    machine.net_latency_s = 100e-6;
    return machine;
  }

  int gpus;
  StrategyName strategy_name;
};

std::string megabytes(double size_bytes) {
  return fmt::format("{:g} MB", size_bytes / 1e6);
}

/// Forward, and the backward of each layer: each ends when its gradient is ready.
std::vector<TimelineRow> compute_rows(const TinyCluster& tiny, const ComputeProfile& profile) {
  std::vector<TimelineRow> rows{{0, profile.forward_s, "compute", "forward"}};
  for (const auto& tensor : profile.tensors) {
    const auto& name = tiny.model.layers[static_cast<std::size_t>(tensor.tensor)].name;
    rows.push_back({rows.back().end_s, tensor.ready_s, "compute",
                    fmt::format("backward {}, gradient of {}", name, megabytes(tensor.size_bytes))});
  }
  return rows;
}

std::string names_of(const TinyCluster& tiny, const ComputeProfile& profile, std::size_t first, int tensors) {
  std::string names;
  for (std::size_t t = first; t < first + static_cast<std::size_t>(tensors); ++t)
    names += (names.empty() ? "" : " + ") + tiny.model.layers[static_cast<std::size_t>(profile.tensors[t].tensor)].name;
  return names;
}

/// Every group on the communication stream, below it the messages of its ring.
std::vector<TimelineRow> ring_rows(const TinyCluster& tiny, const ComputeProfile& profile, const Execution& execution) {
  std::vector<TimelineRow> rows;
  std::size_t first = 0;
  for (const auto& group : execution.collectives) {
    rows.push_back({group.span.start_s, group.span.end_s, "all-reduce",
                    names_of(tiny, profile, first, group.tensors) + ", " + megabytes(group.size_bytes)});
    for (const auto& message : ring_messages(tiny.machine(), group.size_bytes))
      rows.push_back({group.span.start_s + message.start_s, group.span.start_s + message.end_s,
                      fmt::format("  {} -> {}", message.from, message.to),
                      "chunk of " + megabytes(group.size_bytes / tiny.gpus)});
    first += static_cast<std::size_t>(group.tensors);
  }
  return rows;
}

std::string ring_timeline(const TinyCluster& tiny) {
  const auto profile = tiny.profile();
  const auto graph = all_reduce_graph(profile, tiny.preset, tiny.machine());
  const auto execution = execute(graph, executor_of(Engine::full));
  auto rows = compute_rows(tiny, profile);
  const auto communication = ring_rows(tiny, profile, execution);
  rows.insert(rows.end(), communication.begin(), communication.end());
  rows.push_back({0, execution.end_s, "iteration", "ends"});
  CHECK(time_step(tiny.step(), tiny.sample, Fidelity::full).iteration_s == Approx(execution.end_s).epsilon(rounding));
  return to_text(rows);
}

/// As the answer does: tensors in the order they are ready, all on the one server.
ServerExchange exchange_of(const ComputeProfile& profile) {
  ServerExchange exchange;
  for (const auto& tensor : profile.tensors) {
    exchange.shards.push_back({tensor.tensor, 0, tensor.size_bytes});
    exchange.ready_s.push_back(tensor.ready_s);
  }
  return exchange;
}

std::string server_timeline(const TinyCluster& tiny) {
  const auto profile = tiny.profile();
  const auto exchange = exchange_of(profile);
  const auto timing = executor_of(Engine::full).server_exchange(tiny.machine(), {}, exchange);
  auto rows = compute_rows(tiny, profile);
  std::map<std::pair<int, int>, std::size_t> sent; // by connection
  for (const auto& message : server_messages(tiny.machine(), {}, exchange)) {
    const bool push = message.to == tiny.gpus; // the server's number
    const auto& shard = exchange.shards[sent[{message.from, message.to}]++];
    const auto& name = tiny.model.layers[static_cast<std::size_t>(shard.tensor)].name;
    rows.push_back({message.start_s, message.end_s,
                    push ? fmt::format("{} -> server", message.from) : fmt::format("server -> {}", message.to),
                    fmt::format("{} {}, {}", push ? "push" : "pull", name, megabytes(shard.size_bytes))});
  }
  for (std::size_t i = 0; i < exchange.shards.size(); ++i) {
    const auto& name = tiny.model.layers[static_cast<std::size_t>(exchange.shards[i].tensor)].name;
    rows.push_back({exchange.ready_s[i], timing.pulled_s[i], "workers", name + " from gradient ready to pulled"});
  }
  rows.push_back({0, timing.end_s, "iteration", "ends"});
  CHECK(time_step(tiny.step(), tiny.sample, Fidelity::full).iteration_s == Approx(timing.end_s).epsilon(rounding));
  return to_text(rows);
}

/// Forward, backward, gathers and scatters of every unit.
std::string sharded_timeline(const TinyCluster& tiny) {
  const auto step = tiny.step();
  const auto graph = iteration_graph(step, communication_inputs(step, tiny.sample), backward_shape_of(step));
  const auto execution = execute(graph, executor_of(Engine::full));
  std::vector<TimelineRow> rows;
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& operation = graph.operations[i];
    if (operation.unit < 0) continue; // input
    const auto& unit = graph.units.at(at(operation.unit));
    const bool forward = operation.part == ComputePart::forward;
    const bool gathers = operation.kind == OperationKind::all_gather;
    const bool computes = operation.kind == OperationKind::compute;
    const std::string who = computes ? "compute" : gathers ? "gather" : "scatter";
    const std::string what = computes ? (forward ? "forward " : "backward ") + unit
                                      : fmt::format("{}, {}", unit, megabytes(operation.size_bytes));
    rows.push_back({execution.spans[i].start_s, execution.spans[i].end_s, who, what});
  }
  rows.push_back({0, execution.end_s, "iteration", "ends"});
  CHECK(time_step(step, tiny.sample, Fidelity::full).iteration_s == Approx(execution.end_s).epsilon(rounding));
  return to_text(rows);
}

void check_golden(const std::string& name, const std::string& timeline) {
  const Golden committed = golden(name, timeline);
  CHECK_FALSE(committed.calculation.empty());
  CHECK(committed.timeline == timeline);
}

} // namespace

TEST_CASE("golden: DDP buckets over a ring of 2 nodes", "[golden]") {
  TinyCluster tiny({{"a", 0.25, 4e6}, {"b", 0.25, 1e6}, {"c", 0.25, 1e6}, {"d", 0.25, 1e6}}, StrategyName::ring, 2);
  tiny.preset.grouping = Grouping::buckets;
  tiny.preset.first_bucket_bytes = 1e6;
  tiny.preset.bucket_bytes = 2e6;
  tiny.preset.overlapped = true;
  check_golden("ddp-ring-2-nodes", ring_timeline(tiny));
}

TEST_CASE("golden: Horovod's cycles and fusion buffer on 3 nodes", "[golden]") {
  TinyCluster tiny({{"a", 0.2, 0.9e6}, {"b", 0.4, 1.5e6}, {"c", 0.2, 0.6e6}, {"d", 0.2, 0.3e6}}, StrategyName::ring, 3);
  tiny.preset.grouping = Grouping::fusion;
  tiny.preset.bucket_bytes = 2e6;
  tiny.preset.cycle_s = 1e-3;
  tiny.preset.overlapped = true;
  check_golden("horovod-fusion-3-nodes", ring_timeline(tiny));
}

TEST_CASE("golden: FSDP's two units on 2 nodes", "[golden]") {
  TinyCluster tiny({{"block0.a", 0.5, 2e6}, {"block1.a", 0.5, 2e6}}, StrategyName::fsdp, 2);
  check_golden("fsdp-2-nodes", sharded_timeline(tiny));
}

TEST_CASE("golden: 2 workers and a parameter server, tensor by tensor", "[golden]") {
  TinyCluster tiny({{"a", 0.5, 1.5e6}, {"b", 0.25, 0.4e6}, {"c", 0.25, 1e6}}, StrategyName::ps, 2);
  tiny.preset.grouping = Grouping::per_tensor;
  tiny.preset.overlapped = true;
  check_golden("ps-2-workers-1-server", server_timeline(tiny));
}

} // namespace ddlsim
