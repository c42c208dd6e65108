#include "calibrate/fit/free_parameters.hpp"

#include "sim/iteration/server_step.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace ddlsim {
namespace {

/// What a one-GPU time is of.
struct Workload {
  std::string model;
  std::optional<Precision> precision;
  double batch_per_gpu = 0;
  auto operator<=>(const Workload&) const = default;
};

Workload workload_of(const CalibrationScope& scope) {
  return {scope.model, scope.precision, scope.batch_per_gpu};
}

/// Workloads whose series start from different one-GPU times.
std::set<Workload> workloads_of_several_times(const std::vector<SeriesData>& series) {
  std::map<Workload, std::set<double>> bases;
  for (const auto& one : series) bases[workload_of(one.scope)].insert(one.setup.one_gpu_s);
  std::set<Workload> unlike;
  for (const auto& [key, times_s] : bases)
    if (times_s.size() > 1) unlike.insert(key);
  return unlike;
}

/// Free parameters with equal keys are one.
struct FreeParameterKey {
  std::size_t field = 0;
  std::string transport;
  std::string preset;
  std::optional<Precision> precision;
  std::string model;
  double batch_per_gpu = 0;
  double prior_median = 0;
  double prior_width = 0;
  auto operator<=>(const FreeParameterKey&) const = default;
};

FreeParameterKey key_of(const FreeParameter& one) {
  const auto& scope = one.scope;
  return {one.field,   scope.transport,     scope.preset,     scope.precision,
          scope.model, scope.batch_per_gpu, one.prior.median, one.prior.width};
}

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether the series' times can depend on that parameter at all.
bool depends_on(const SeriesData& series, const std::string& parameter) {
  static const std::vector<std::string> network{"nic_efficiency", "socket_rate",      "net_latency",
                                                "link_spread",    "intra_efficiency", "intra_latency_factor"};
  static const std::vector<std::string> all_reduce_only{"interference", "operation_cost", "tensor_cost",
                                                        "tensor_cost_slope"};
  static const std::vector<std::string> of_server{"server_process_rate", "server_connection_rate",
                                                  "server_message_cost"};
  if (parameter == "model_discrepancy") return false;
  switch (series.measured) {
  case Measured::all_reduce:
    return parameter == "operation_cost" || is_in(network, parameter);
  case Measured::message:
    return is_in(network, parameter);
  case Measured::push:
  case Measured::pull:
  case Measured::push_pull:
    return is_in(of_server, parameter) || is_in(network, parameter);
  case Measured::step:
    break;
  }
  if (is_parameter_server(series.setup.strategy.name)) return !is_in(all_reduce_only, parameter);
  return !parameter.starts_with("server_");
}

} // namespace

FreeParameters find_free_parameters(const std::vector<SeriesData>& series) {
  const auto unlike = workloads_of_several_times(series);
  const auto fields = parameter_fields();
  std::map<FreeParameterKey, int> known;
  FreeParameters free_parameters;
  for (const auto& one : series) {
    std::vector<int> of_fields(fields.size(), -1);
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const std::string name = fields[k].name;
      if (!depends_on(one, name)) continue;
      FreeParameter free_parameter{k, scope_of(name, one.scope), one.priors[k]};
      if (name == "compute_factor" && unlike.count(workload_of(one.scope)) > 0)
        free_parameter.scope.preset = one.scope.preset;
      const auto [found, fresh] = known.emplace(key_of(free_parameter), static_cast<int>(free_parameters.all.size()));
      if (fresh) free_parameters.all.push_back(free_parameter);
      of_fields[k] = found->second;
    }
    free_parameters.of_series.push_back(of_fields);
  }
  return free_parameters;
}

Parameters sample_at(const FreeParameters& free_parameters, const SeriesData& fit_data, std::size_t series,
                     const std::vector<double>& z_scores) {
  const auto fields = parameter_fields();
  Parameters sample;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const int free_parameter = free_parameters.of_series[series][k];
    sample.*fields[k].value = free_parameter < 0
                                  ? fit_data.priors[k].median
                                  : prior_value(fit_data.priors[k], z_scores[static_cast<std::size_t>(free_parameter)]);
  }
  return sample;
}

namespace {

struct Depends {
  bool transport = false;
  bool preset = false;
  bool precision = false;
  bool model = false; ///< and batch
};

const std::map<std::string, Depends>& dependencies() {
  static const Depends network{true, false, false, false};
  static const Depends stack{true, true, false, false};
  static const Depends node{};
  static const std::map<std::string, Depends> all{
      {"compute_factor", {false, false, true, true}},
      {"forward_share", node},
      {"interference", network},
      {"nic_efficiency", network},
      {"socket_rate", network},
      {"net_latency", network},
      {"link_spread", network},
      {"intra_efficiency", node},
      {"intra_latency_factor", node},
      {"operation_cost", stack},
      {"tensor_cost", stack},
      {"tensor_cost_slope", stack},
      {"sync_on", stack},
      {"second_node_jump", {false, true, true, false}},
      {"step_spread", {false, true, false, false}},
      {"server_process_rate", stack},
      {"server_connection_rate", stack},
      {"server_duplex", stack},
      {"server_message_cost", stack},
  };
  return all;
}

} // namespace

CalibrationScope scope_of(const std::string& parameter, const CalibrationScope& full) {
  const auto depends = dependencies().at(parameter);
  CalibrationScope scope;
  if (depends.transport) scope.transport = full.transport;
  if (depends.preset) scope.preset = full.preset;
  if (depends.precision) scope.precision = full.precision;
  if (depends.model) {
    scope.model = full.model;
    scope.batch_per_gpu = full.batch_per_gpu;
  }
  return scope;
}

} // namespace ddlsim
