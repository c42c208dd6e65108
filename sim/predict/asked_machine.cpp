#include "sim/predict/asked_machine.hpp"

#include "sim/formats/model_state.hpp"
#include "sim/iteration/memory_fit.hpp"
#include "sim/predict/prediction_sentences.hpp"
#include "sim/predict/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// "image 3x224x224" -> "images".
std::string unit_of(const Model& model) {
  for (const std::string unit : {"image", "sequence"})
    if (model.sample.starts_with(unit)) return unit + "s";
  return "samples";
}

std::string ports_in_words(const Cluster& cluster, const Transport& transport) {
  if (transport.nic.empty()) return "";
  constexpr double bits_per_Gbit = 8e-9;
  const auto& nic = find_nic(cluster, transport.nic);
  const auto ports = nic.count > 1 ? fmt::format("{} x ", nic.count) : "";
  return fmt::format("{}{:.3g} Gb/s {}", ports, nic.bandwidth_Bps * bits_per_Gbit, transport.name);
}

std::string servers_of(const Strategy& strategy) {
  const auto kind = strategy.name == StrategyName::ps_async ? "asynchronous parameter server" : "parameter server";
  switch (strategy.servers.rule) {
  case ServerCount::Rule::best:
    return fmt::format("the best {}s", kind);
  case ServerCount::Rule::count:
    return fmt::format("{} {}{}", strategy.servers.value, kind, strategy.servers.value == 1 ? "" : "s");
  case ServerCount::Rule::per_node:
    return fmt::format("{} {}{} a node", strategy.servers.value, kind, strategy.servers.value == 1 ? "" : "s");
  case ServerCount::Rule::equal_workers:
    return fmt::format("a {} a GPU", kind);
  case ServerCount::Rule::unknown:
    break;
  }
  return fmt::format("{}s", kind);
}

/// "nccl 2.21.5" -> "NCCL"; other libraries keep their name.
std::string library_in_words(const std::string& library) {
  auto name = library.substr(0, library.find(' '));
  if (name != "nccl" && name != "mpi") return name;
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  return name;
}

std::string sharded_in_words(const Strategy& strategy) {
  const auto name = strategy.name == StrategyName::fsdp     ? "FSDP"
                    : strategy.name == StrategyName::zero_1 ? "ZeRO-1"
                                                            : "ZeRO-2";
  return strategy.sharded.recompute == Recompute::none ? name : fmt::format("{} with recomputation", name);
}

} // namespace

AskedMachine asked_machine(const Scenario& scenario, const Model& model, const Cluster& cluster, const Gpu& gpu,
                           const Transport& transport) {
  AskedMachine machine;
  machine.unit = unit_of(model);
  machine.tokens_per_sample = model.tokens_per_sample();
  machine.gpus_per_node = scenario.gpus_per_node > 0 ? scenario.gpus_per_node : cluster.gpus_per_node;
  machine.gpu_memory_bytes = gpu.memory_bytes > 0 ? installed_bytes(gpu) : 0;
  machine.needs_shards = gpu.memory_bytes > 0 && training_state_bytes(model) > gpu.memory_bytes;
  machine.attends = has_attention_layer(model);
  machine.node = fmt::format("{} {}", machine.gpus_per_node, gpu.name.empty() ? "processes" : gpu.name);
  machine.network = ports_in_words(cluster, transport);
  return machine;
}

std::string strategy_in_words(const StrategyAnswer& answer) {
  const auto& strategy = shown_strategy(answer);
  if (is_parameter_server(strategy.name)) return servers_of(strategy);
  if (is_sharded(strategy.name)) return sharded_in_words(strategy);
  if (seeks_best_layout(strategy)) return "the best layout";
  if (is_model_parallel(strategy.name)) return degrees_in_words(strategy);
  if (strategy.name == StrategyName::automatic || strategy.name == StrategyName::all_reduce)
    return fmt::format("the all-reduce that {} chooses", library_in_words(answer.library));
  return fmt::format("{} all-reduce", to_text(strategy.name));
}

} // namespace ddlsim
