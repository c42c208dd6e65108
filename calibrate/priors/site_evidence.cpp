#include "calibrate/priors/site_evidence.hpp"

#include "calibrate/fit/step_fit.hpp"
#include "sim/formats/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ddlsim {

namespace {

// How much sites may differ, by kind, in ln x. Chosen before any prior was learnt.
constexpr double compute_share = 0.08; ///< forward over backward is arithmetic
constexpr double rate_share = 0.25;    ///< of a link's nominal rate
constexpr double software_rate = 0.45;
constexpr double latency = 0.5;
constexpr double software_cost = 0.8;
constexpr double variation = 0.7; ///< how unlike equal nodes are, what overlap costs

constexpr double unbounded_value = std::numeric_limits<double>::infinity();
constexpr double above_line_rate = 1.15; ///< of a nominal rate: more than its rounding
constexpr double whole_slow_down = 1;    ///< compute twice as long beside communication

constexpr LearntParameter table[] = {
    {"forward_share", compute_share, 1},
    {"interference", variation, whole_slow_down},
    {"nic_efficiency", rate_share, above_line_rate},
    {"socket_rate", software_rate, unbounded_value},
    {"net_latency", latency, unbounded_value},
    {"link_spread", variation, 1},
    {"intra_efficiency", rate_share, unbounded_value},
    {"intra_latency_factor", latency, unbounded_value},
    {"operation_cost", software_cost, unbounded_value},
    {"tensor_cost", software_cost, unbounded_value},
    {"tensor_cost_slope", software_cost, unbounded_value},
    {"sync_on", software_cost, unbounded_value, true},
    {"sync_share", software_cost, 1, true},
    {"second_node_jump", software_cost, unbounded_value, true},
    {"step_spread", variation, 1},
    {"server_process_rate", software_rate, unbounded_value},
    {"server_connection_rate", software_rate, unbounded_value},
    {"server_duplex", rate_share, above_line_rate},
    {"server_message_cost", software_cost, unbounded_value},
};

constexpr double hardly_narrowed = 0.9; ///< of the prior's width
constexpr double least_error = 0.03;    ///< of a site's value: a model of a network is no better

} // namespace

PriorClass class_of(const Prior& prior) {
  return {prior.parameter, prior.transport, prior.preset, to_text(prior.path)};
}

const LearntParameter* learnt_parameter(const std::string& name) {
  const auto* found =
      std::find_if(std::begin(table), std::end(table), [&](const LearntParameter& row) { return name == row.name; });
  return found == std::end(table) ? nullptr : found;
}

void add_evidence(SiteEvidence& evidence, const Calibration& calibration, const Cluster& cluster, EvidenceRuns runs) {
  for (std::size_t at = 0; at < calibration.parameters.size(); ++at) {
    const auto& parameter = calibration.parameters[at];
    const auto* learnt = learnt_parameter(parameter.name);
    const auto& prior = parameter.prior;
    if (learnt == nullptr || learnt->synthetic_only != (runs == EvidenceRuns::synthetic)) continue;
    if (parameter.borrowed_points > 0 || parameter.error >= hardly_narrowed) continue;
    if (is_share_of_assumed_rate(cluster, prior)) continue;
    const double all_information = 1 / (parameter.error * parameter.error);
    const double of_records = all_information - weight_of(step_prior_loss, parameter.z_score);
    const double error = 1 / std::sqrt(of_records);
    const double mean = std::log(prior.median) + prior.width * parameter.z_score * all_information / of_records;
    const bool wants_more = prior.highest && prior_value(prior, parameter.z_score) >= *prior.highest;
    if (wants_more || mean > std::log(learnt->highest)) continue;
    evidence[class_of(prior)].push_back({cluster.site, mean, prior.width * error});
  }
}

namespace {

SiteValue mean_of(const std::string& site, const std::vector<SiteValue>& own) {
  double weight = 0;
  double mean = 0;
  double scatter = 0;
  const auto weight_of = [](const SiteValue& one) { return 1 / (one.error * one.error + least_error * least_error); };
  for (const auto& one : own) weight += weight_of(one);
  for (const auto& one : own) mean += weight_of(one) * one.mean / weight;
  for (const auto& one : own) scatter += weight_of(one) * (one.mean - mean) * (one.mean - mean) / weight;
  return {site, mean, std::sqrt(std::max(1 / weight, scatter / static_cast<double>(own.size())))};
}

} // namespace

std::vector<SiteValue> pooled(const std::vector<SiteValue>& values) {
  std::map<std::string, std::vector<SiteValue>> measured;
  for (const auto& value : values) measured[value.site].push_back(value);
  std::vector<SiteValue> all;
  for (const auto& [site, own] : measured) all.push_back(mean_of(site, own));
  return all;
}

} // namespace ddlsim
