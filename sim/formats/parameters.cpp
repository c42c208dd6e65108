#include "sim/formats/parameters.hpp"

#include "sim/base/statistics.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

namespace ddlsim {
namespace {

constexpr std::array<ParameterField, 20> fields{{
    {"compute_factor", &Parameters::compute_factor},
    {"forward_share", &Parameters::forward_share},
    {"interference", &Parameters::interference},
    {"nic_efficiency", &Parameters::nic_efficiency},
    {"socket_rate", &Parameters::socket_Bps},
    {"net_latency", &Parameters::net_latency_s},
    {"link_spread", &Parameters::link_spread},
    {"intra_efficiency", &Parameters::intra_efficiency},
    {"intra_latency_factor", &Parameters::intra_latency_factor},
    {"operation_cost", &Parameters::operation_cost_s},
    {"tensor_cost", &Parameters::tensor_cost_s},
    {"tensor_cost_slope", &Parameters::tensor_cost_slope_s},
    {"sync_on", &Parameters::sync_on_s},
    {"second_node_jump", &Parameters::second_node_jump},
    {"step_spread", &Parameters::step_spread},
    {"server_process_rate", &Parameters::server_process_Bps},
    {"server_connection_rate", &Parameters::server_connection_Bps},
    {"server_duplex", &Parameters::server_duplex},
    {"server_message_cost", &Parameters::server_message_cost_s},
    {"model_discrepancy", &Parameters::model_discrepancy},
}};

/// A random order of 0..count-1 by Fisher and Yates; std::shuffle's output differs between libraries.
std::vector<int> random_order(int count, std::mt19937_64& random) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (int i = count - 1; i > 0; --i) std::swap(order[i], order[random() % static_cast<std::uint64_t>(i + 1)]);
  return order;
}

} // namespace

std::span<const ParameterField> parameter_fields() {
  return fields;
}

std::vector<Prior> priors_of_fields(const std::vector<Prior>& priors, const std::string& compute_prior,
                                    const std::string& transport, const std::string& preset) {
  std::vector<Prior> found;
  for (const auto& field : fields) {
    const std::string name = field.value == &Parameters::compute_factor ? compute_prior : field.name;
    found.push_back(find_prior(priors, name, transport, preset));
  }
  return found;
}

Parameters median_parameters(const std::vector<Prior>& priors, const std::string& compute_prior,
                             const std::string& transport, const std::string& preset) {
  const auto of_fields = priors_of_fields(priors, compute_prior, transport, preset);
  Parameters parameters;
  for (std::size_t k = 0; k < fields.size(); ++k) parameters.*fields[k].value = of_fields[k].median;
  return parameters;
}

Draws draw_parameters(const std::vector<Prior>& priors, const std::string& compute_prior, const std::string& transport,
                      const std::string& preset, int count, std::uint64_t seed) {
  const auto of_fields = priors_of_fields(priors, compute_prior, transport, preset);
  std::mt19937_64 random(seed);
  std::vector<double> strata(count);
  for (int i = 0; i < count; ++i) strata[i] = normal_quantile((i + 0.5) / count);
  Draws draws;
  draws.values.resize(count);
  draws.z_scores.assign(count, std::vector<double>(fields.size()));
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const auto order = random_order(count, random);
    for (int i = 0; i < count; ++i) {
      const double z_score = strata[order[i]];
      draws.z_scores[i][k] = z_score;
      draws.values[i].*fields[k].value = prior_value(of_fields[k], z_score);
    }
  }
  const auto order = random_order(count, random);
  for (int i = 0; i < count; ++i) draws.algorithm_quantiles.push_back((order[i] + 0.5) / count);
  return draws;
}

std::vector<Prior> priors_without(const std::vector<Prior>& priors, const std::string& cluster) {
  std::vector<Prior> kept;
  std::copy_if(priors.begin(), priors.end(), std::back_inserter(kept), [&](const Prior& prior) {
    return std::find(prior.learnt_from.begin(), prior.learnt_from.end(), cluster) == prior.learnt_from.end();
  });
  return kept;
}

std::vector<Prior> priors_on(const Cluster& cluster, const std::vector<Prior>& priors) {
  const auto path_of = [&](const std::string& name) {
    for (const auto& transport : cluster.transports)
      if (transport.name == name && !transport.nic.empty()) return find_nic(cluster, transport.nic).path;
    return std::string{};
  };
  std::vector<Prior> kept;
  std::copy_if(priors.begin(), priors.end(), std::back_inserter(kept),
               [&](const Prior& prior) { return prior.path.empty() || prior.path == path_of(prior.transport); });
  std::stable_partition(kept.begin(), kept.end(), [](const Prior& prior) { return !prior.path.empty(); });
  return kept;
}

} // namespace ddlsim
