#include "sim/formats/parameters.hpp"

#include "sim/base/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>

namespace ddlsim {
namespace {

// Scopes: the measurements that share a parameter's value.
constexpr ParameterScope of_cluster{};
constexpr ParameterScope of_transport{.transport = true};
constexpr ParameterScope of_stack{.transport = true, .preset = true};
constexpr ParameterScope of_server_software{.transport = true, .preset = true, .servers = true};
constexpr ParameterScope of_preset{.preset = true};
constexpr ParameterScope of_preset_in_precision{.preset = true, .precision = true};
constexpr ParameterScope of_stack_on_gpu{.preset = true, .precision = true, .evidence = true};
constexpr ParameterScope of_model{.preset = true, .precision = true, .evidence = true, .model = true};
constexpr ParameterScope of_workload{.precision = true, .evidence = true, .model = true, .batch = true};

// The measurements that depend on a parameter.
constexpr SeenBy by_everything{true, true, true, true, true};
constexpr SeenBy by_steps{.all_reduce_step = true, .server_step = true};
constexpr SeenBy by_all_reduce_steps{.all_reduce_step = true};
constexpr SeenBy by_operations{.all_reduce_step = true, .all_reduce = true};
constexpr SeenBy by_server_steps{.server_step = true};
constexpr SeenBy by_servers{.server_step = true, .server = true};
constexpr SeenBy by_nothing{}; // the deviation that no parameter explains depends on no measurement

constexpr std::array<ParameterField, 23> fields{{
    {"compute_stack", &Parameters::compute_stack, "1", of_stack_on_gpu, by_steps,
     "one GPU with any model of this framework, without synchronisation", NodePart::gpu},
    {"compute_model", &Parameters::compute_model, "1", of_model, by_steps,
     "one GPU with this model at any batch, without synchronisation", NodePart::gpu},
    {"compute_factor", &Parameters::compute_factor, "1", of_workload, by_steps,
     "one GPU with this model, precision and batch, without synchronisation", NodePart::gpu},
    {"forward_share", &Parameters::forward_share, "1", of_cluster, by_steps,
     "forward and backward of one GPU, timed apart", NodePart::gpu},
    {"interference", &Parameters::interference, "1", of_transport, by_all_reduce_steps,
     "one node with and without overlap"},
    {"nic_efficiency", &Parameters::nic_efficiency, "1", of_transport, by_everything,
     "an all-reduce sweep over two or three nodes (nccl-tests all_reduce_perf, 1 MiB to 256 MiB)"},
    {"socket_rate", &Parameters::socket_Bps, "B/s", of_transport, by_everything,
     "an all-reduce sweep over two or three nodes with all GPUs (nccl-tests all_reduce_perf, 1 MiB to 256 MiB)",
     NodePart::none, ParameterUse::constant},
    {"net_latency", &Parameters::net_latency_s, "s", of_transport, by_everything,
     "small all-reduces over two or three nodes (nccl-tests all_reduce_perf, 4 B to 64 KiB)"},
    {"link_spread", &Parameters::link_spread, "1", of_transport, by_everything,
     "the same all-reduce sweep over two nodes and over all nodes at hand", NodePart::none, ParameterUse::constant},
    {"intra_efficiency", &Parameters::intra_efficiency, "1", of_cluster, by_everything,
     "an all-reduce sweep inside one node (nccl-tests all_reduce_perf, 1 MiB to 256 MiB)", NodePart::paths},
    {"intra_latency_factor", &Parameters::intra_latency_factor, "1", of_cluster, by_everything,
     "small all-reduces inside one node (nccl-tests all_reduce_perf, 4 B to 64 KiB)", NodePart::paths,
     ParameterUse::constant},
    {"operation_cost", &Parameters::operation_cost_s, "s", of_stack, by_operations,
     "all-reduces of 4 B inside one node"},
    {"tensor_cost", &Parameters::tensor_cost_s, "s", of_stack, by_all_reduce_steps,
     "a small model beside a large one on one node", NodePart::none, ParameterUse::constant},
    {"tensor_cost_slope", &Parameters::tensor_cost_slope_s, "s", of_stack, by_all_reduce_steps,
     "a small model on one node, two nodes and four", NodePart::none, ParameterUse::constant},
    {"sync_on", &Parameters::sync_on_s, "s", of_stack, by_steps, "two GPUs of one node against one", NodePart::none,
     ParameterUse::constant},
    {"sync_share", &Parameters::sync_share, "1", of_stack, by_steps,
     "two GPUs of one node against one, with a small batch and a large one"},
    {"second_node_jump", &Parameters::second_node_jump, "1", of_preset_in_precision, by_steps, "two nodes against one"},
    {"step_spread", &Parameters::step_spread, "1", of_preset, by_steps,
     "step times of every node over some hundred steps"},
    {"server_process_rate", &Parameters::server_process_Bps, "B/s", of_server_software, by_servers,
     "two servers, all workers pushing and pulling the largest tensor"},
    {"server_connection_rate", &Parameters::server_connection_Bps, "B/s", of_server_software, by_servers,
     "one worker and one server, push and pull of a large tensor"},
    {"server_duplex", &Parameters::server_duplex, "1", of_server_software, by_server_steps,
     "one worker and one server, push and pull at once against push alone", NodePart::none, ParameterUse::constant},
    {"server_message_cost", &Parameters::server_message_cost_s, "s", of_server_software, by_servers,
     "one worker and one server, many small tensors", NodePart::none, ParameterUse::constant},
    {"model_discrepancy", &Parameters::model_discrepancy, "1", of_cluster, by_nothing,
     "a run of this model at the largest scale at hand"},
}};

} // namespace

double compute_factor_of(const Parameters& sample) {
  return sample.compute_stack * sample.compute_model * sample.compute_factor;
}

bool is_compute_factor(const ParameterField& field) {
  return field.value == &Parameters::compute_stack || field.value == &Parameters::compute_model ||
         field.value == &Parameters::compute_factor;
}

std::span<const ParameterField> parameter_fields() {
  return fields;
}

const ParameterField& parameter_field(std::string_view name) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const ParameterField& field) { return name == field.name; });
  if (found == fields.end()) throw std::out_of_range("no parameter of that name");
  return *found;
}

namespace {

bool has_prior(const std::vector<Prior>& priors, const std::string& parameter) {
  return std::any_of(priors.begin(), priors.end(), [&](const Prior& prior) { return prior.parameter == parameter; });
}

/// Returns the prior of a factor that is exactly 1: where the one-GPU time in question was measured, stacks and models
/// leave no difference.
Prior nothing_to_learn(const std::string& parameter) {
  Prior prior;
  prior.parameter = parameter;
  prior.median = 1;
  prior.width = 0;
  prior.unit = "1";
  return prior;
}

} // namespace

std::vector<Prior> priors_of_fields(const std::vector<Prior>& priors, const std::string& compute_prior,
                                    const std::string& transport, const std::string& preset) {
  std::vector<Prior> found;
  for (const auto& field : fields) {
    const std::string name = field.value == &Parameters::compute_factor ? compute_prior : field.name;
    const bool is_nested = field.value == &Parameters::compute_stack || field.value == &Parameters::compute_model;
    found.push_back(is_nested && !has_prior(priors, name) ? nothing_to_learn(name)
                                                          : find_prior(priors, name, transport, preset));
  }
  return found;
}

std::vector<Prior> priors_of_stack(const std::vector<Prior>& priors, const std::string& compute_prior,
                                   const std::string& transport, const Preset& preset) {
  auto found = priors_of_fields(priors, compute_prior, transport, preset.name);
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (fields[k].scope.servers)
      found[k] = find_prior(priors, fields[k].name, transport, servers_preset(preset, preset.name));
  return found;
}

Parameters median_parameters(const std::vector<Prior>& of_fields) {
  Parameters parameters;
  for (std::size_t k = 0; k < fields.size(); ++k) parameters.*fields[k].value = of_fields[k].median;
  return parameters;
}

std::vector<std::vector<double>> stratified_normals(int count, std::size_t dimensions, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> strata(count);
  for (int i = 0; i < count; ++i) strata[i] = normal_quantile((i + 0.5) / count);
  std::vector<std::vector<double>> rows(count, std::vector<double>(dimensions));
  for (std::size_t k = 0; k < dimensions; ++k) {
    const auto order = random_order(count, random);
    for (int i = 0; i < count; ++i) rows[i][k] = strata[order[i]];
  }
  return rows;
}

Draws draw_parameters(const std::vector<Prior>& of_fields, int count, std::uint64_t seed) {
  Draws draws{{}, stratified_normals(count, fields.size(), seed)};
  std::mt19937_64 key_orders(~seed); // this random stream differs from that of the normals
  for (auto& z_scores : draws.z_scores) {
    auto sample = median_parameters(of_fields);
    for (std::size_t k = 0; k < fields.size(); ++k) {
      if (fields[k].use == ParameterUse::constant) z_scores[k] = 0;
      sample.*fields[k].value = prior_value(of_fields[k], z_scores[k]);
    }
    sample.key_order = key_orders();
    draws.values.push_back(sample);
  }
  return draws;
}

namespace {

/// Mean distance in ln between neighbours of the line rates 10, 25, 40, 50, 56 and 100 Gbit/s: ln(10) / 5.
constexpr double line_rate_step = 0.46;

const Nic* nic_of(const Cluster& cluster, const std::string& transport) {
  const auto* found = transport_named(cluster, transport);
  return found == nullptr || found->nic.empty() ? nullptr : &find_nic(cluster, found->nic);
}

} // namespace

bool is_share_of_assumed_rate(const Cluster& cluster, const Prior& prior) {
  if (prior.parameter != "nic_efficiency") return false;
  const auto* nic = nic_of(cluster, prior.transport);
  return nic != nullptr && nic->bandwidth_assumed;
}

std::vector<Prior> priors_on(const Cluster& cluster, const std::vector<Prior>& priors, int compute_capability) {
  std::vector<Prior> kept;
  for (const auto& prior : priors) {
    const auto* nic = nic_of(cluster, prior.transport);
    if (prior.path && (nic == nullptr || prior.path != nic->path)) continue;
    if (prior.inside && prior.inside != cluster.intra.kind) continue;
    if (prior.from_capability > compute_capability) continue;
    kept.push_back(prior);
    if (!is_share_of_assumed_rate(cluster, prior)) continue;
    kept.back().width = std::hypot(prior.width, line_rate_step);
    kept.back().highest.reset();
  }
  std::stable_partition(kept.begin(), kept.end(),
                        [](const Prior& prior) { return prior.path || prior.inside || prior.from_capability > 0; });
  return kept;
}

} // namespace ddlsim
