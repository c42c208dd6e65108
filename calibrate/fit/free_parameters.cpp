#include "calibrate/fit/free_parameters.hpp"

#include "sim/iteration/server_graph.hpp"
#include "sim/predict/posterior.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <utility>

namespace ddlsim {
namespace {

/// The key of a free parameter: entries with equal keys are one parameter.
struct FreeParameterKey {
  std::size_t field = 0;
  std::string transport;
  std::string preset;
  std::optional<Precision> precision;
  std::string model;
  double batch_per_gpu = 0;
  double one_gpu_s = 0;
  std::string evidence;
  double prior_median = 0;
  double prior_width = 0;
  auto operator<=>(const FreeParameterKey&) const = default;
};

FreeParameterKey key_of(const FreeParameter& one) {
  const auto& scope = one.scope;
  return {one.field,           scope.transport, scope.preset,   scope.precision,  scope.model,
          scope.batch_per_gpu, scope.one_gpu_s, scope.evidence, one.prior.median, one.prior.width};
}

/// Whether the times of the series can depend on that parameter at all.
bool depends_on(const SeriesData& series, const ParameterField& field) {
  if (field.use == ParameterUse::constant) return false;
  const bool is_measured = series.compute_prior == "compute_measured"; // its repeats differ only as much as runs do
  if (field.value == &Parameters::compute_factor && is_measured) return false;
  const auto& seen_by = field.seen_by;
  switch (series.measured) {
  case Measured::all_reduce:
  case Measured::all_gather:
  case Measured::reduce_scatter:
  case Measured::all_to_all:
    return seen_by.all_reduce;
  case Measured::message:
    return seen_by.message;
  case Measured::push:
  case Measured::pull:
  case Measured::push_pull:
    return seen_by.server;
  case Measured::step:
    break;
  }
  return is_parameter_server(series.setup.strategy.name) ? seen_by.server_step : seen_by.all_reduce_step;
}

} // namespace

FreeParameters find_free_parameters(const std::vector<SeriesData>& series) {
  const auto fields = parameter_fields();
  std::map<FreeParameterKey, int> known;
  FreeParameters free_parameters;
  for (const auto& one : series) {
    const auto with_servers = of_servers(one.scope, one.setup.preset);
    std::vector<int> of_fields(fields.size(), -1);
    for (std::size_t k = 0; k < fields.size(); ++k) {
      if (one.priors[k].width == 0 || !depends_on(one, fields[k])) continue;
      const FreeParameter free_parameter{k, scope_of(fields[k], fields[k].scope.servers ? with_servers : one.scope),
                                         one.priors[k]};
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

CalibrationScope scope_of(const ParameterField& field, const CalibrationScope& full) {
  CalibrationScope scope;
  if (field.scope.transport) scope.transport = full.transport;
  if (field.scope.preset) scope.preset = full.preset;
  if (field.scope.precision) scope.precision = full.precision;
  if (field.scope.evidence) scope.evidence = full.evidence;
  if (field.scope.model) scope.model = full.model;
  if (field.scope.batch) {
    scope.batch_per_gpu = full.batch_per_gpu;
    scope.one_gpu_s = full.one_gpu_s;
  }
  return scope;
}

} // namespace ddlsim
