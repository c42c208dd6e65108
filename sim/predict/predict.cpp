#include "sim/predict/predict.hpp"

#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/base/statistics.hpp"
#include "sim/base/text_file.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/compute/one_gpu_estimate.hpp"
#include "sim/formats/record.hpp"
#include "sim/predict/posterior.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

/// All that a scenario names, read from its files.
struct PredictionInputs {
  Model model;
  Cluster cluster;
  std::vector<Gpu> gpus;
  Preset preset;
  std::vector<Prior> priors;
  Transport transport;
  OneGpuEstimate compute;
  std::optional<Calibration> calibration;
};

/// A series that the cluster's records do not have is a slip of the pen, and so is a software that none of them names.
void check_named_records(const Scenario& scenario, const std::vector<StepRecord>& own) {
  std::set<std::string> series;
  bool has_software = scenario.software.empty();
  for (const auto& record : own) {
    series.insert(record.head.series);
    has_software = has_software || record.head.software.find(scenario.software) != std::string::npos;
  }
  if (!scenario.series.empty() && series.count(scenario.series) == 0) {
    const auto nearest = nearest_name(scenario.series, {series.begin(), series.end()});
    throw UserError(scenario.name, "/series",
                    fmt::format("{} has no series {}; {}", scenario.cluster, in_quotes(scenario.series),
                                nearest.empty() ? "name one of its records' series, or leave it out"
                                                : "did you mean " + nearest + "?"));
  }
  if (!has_software)
    throw UserError(scenario.name, "/software",
                    fmt::format("no record of {} names the software {}; leave it out, or give a part of what they say",
                                scenario.cluster, in_quotes(scenario.software)));
}

PredictionInputs read_inputs(const Scenario& scenario, const DataFolder& data) {
  PredictionInputs material{load_model(data, scenario.model),
                            load_cluster(data, scenario.cluster),
                            load_gpus(data),
                            find_preset(load_presets(data), scenario.preset),
                            load_priors(data),
                            {},
                            {},
                            load_calibration(data, scenario.cluster)};
  material.transport = choose_transport(scenario, material.cluster, material.preset);
  const auto own = records_of<StepRecord>(read_cluster_measurements(data.platforms(), scenario.cluster));
  check_named_records(scenario, own);
  material.priors = priors_on(material.cluster, material.priors);
  const Gpu& gpu = find_device(material.gpus, material.cluster.gpu);
  const ComputeQuestion question{material.model,     gpu,
                                 scenario.precision, scenario.batch_per_gpu,
                                 scenario.preset,    scenario.series,
                                 scenario.software,  scenario.one_gpu};
  const auto borrowed = borrowed_steps(data, material.cluster);
  material.compute = find_compute(question, own, borrowed);
  if (!is_settled(material.compute)) // what other clusters measured takes a while to read
    material.compute = find_compute(question, own, borrowed, read_other_cluster_times(data, material.cluster));
  material.priors = with_doubts_of(std::move(material.priors), material.compute);
  return material;
}

bool has_servers(const CalibratedSeries& series) {
  const auto name = strategy_name_in(series.strategy);
  return name && is_parameter_server(*name);
}

/// Most records do not state which algorithm the library took: "all-reduce" is then what the preset does.
bool same_strategy(const CalibratedSeries& series, const Strategy& strategy) {
  const bool any_all_reduce = series.strategy == to_text(StrategyName::all_reduce) &&
                              (strategy.name == StrategyName::ring || strategy.name == StrategyName::automatic);
  return any_all_reduce || series.strategy == to_text(strategy) || series.strategy == to_text(strategy.name);
}

/// The same stack, model and batch from the same one-GPU time.
bool same_stack(const CalibratedSeries& series, const CalibrationScope& scope) {
  return covers(series.scope, scope) && series.scope.preset == scope.preset && series.scope.model == scope.model;
}

/// Residuals of a stack's series: of the strategy asked for, where it was measured; else of its others, so that
/// strategies of one stack are compared by what they do and not by what the model misses of one of them.
void learn_residuals(CalibrationInfo& learnt, const std::vector<const CalibratedSeries*>& of_stack,
                     const Strategy& strategy) {
  std::vector<const CalibratedSeries*> used;
  for (const auto* series : of_stack)
    if (same_strategy(*series, strategy)) used.push_back(series);
  if (used.empty()) used = of_stack;
  for (const auto* series : used) {
    learnt.residual_process.spread = std::max(learnt.residual_process.spread, series->spread);
    for (const auto& point : series->points)
      learnt.own.push_back({{point.gpus, point.nodes}, point.residual, point.noise});
  }
}

/// What the calibration knows of this strategy: its stack's series, else how far series of that transport are off.
CalibrationInfo learn(const Calibration& calibration, const CalibrationScope& scope, const Strategy& strategy) {
  CalibrationInfo learnt;
  learnt.any = true;
  for (const int at : calibrated_fields(calibration, scope)) {
    const auto* one = at >= 0 ? &calibration.parameters[static_cast<std::size_t>(at)] : nullptr;
    learnt.identified.push_back(one != nullptr && one->identified);
    learnt.borrowed.push_back(one != nullptr && one->identified && one->borrowed_points == one->points);
  }
  std::vector<double> spreads;
  std::vector<const CalibratedSeries*> of_stack;
  for (const auto& series : calibration.series) {
    if (series.scope.transport != scope.transport) continue;
    spreads.push_back(series.spread);
    if (!series.borrowed && same_stack(series, scope)) of_stack.push_back(&series);
    if (has_servers(series) != is_parameter_server(strategy.name)) continue;
    learnt.donated = learnt.donated || series.borrowed;
    if (series.borrowed) continue;
    for (const auto& point : series.points) learnt.largest_nodes = std::max(learnt.largest_nodes, point.nodes);
  }
  learnt.residual_process.spread = of_stack.empty() && !spreads.empty() ? quantile(spreads, 0.5) : 0;
  if (spreads.empty()) learnt.residual_process.spread = ResidualProcess{}.spread;
  learn_residuals(learnt, of_stack, strategy);
  return learnt;
}

/// Where records contradict each other and none is named, no fitted factor goes with the time in their middle.
double base_of(const OneGpuEstimate& compute) {
  return compute.disagreement > 0 && !compute.own_series ? 0 : compute.one_gpu_s;
}

Curve make_curve(const Scenario& scenario, const Strategy& strategy, const PredictionInputs& material) {
  const auto& cluster = material.cluster;
  StepSetup setup{material.model, find_device(material.gpus, cluster.gpu), cluster, material.preset, material.transport,
                  strategy};
  setup.precision = scenario.precision;
  setup.wire_bytes_per_parameter = bytes_per_parameter(scenario.wire_precision);
  setup.batch_per_gpu = scenario.batch_per_gpu;
  setup.one_gpu_s = material.compute.one_gpu_s;
  setup.slow_node = scenario.slow_node;
  setup.input = scenario.input;
  const auto& transport = material.transport.name;
  const CalibrationScope scope{transport,      scenario.preset,        scenario.precision,
                               scenario.model, scenario.batch_per_gpu, base_of(material.compute)};
  const auto* calibration = material.calibration ? &*material.calibration : nullptr;
  auto posterior = find_posterior(material.priors, calibration,
                                  {material.compute.prior, material.preset, is_parameter_server(strategy.name), scope},
                                  scenario.samples, scenario.seed);
  const double discrepancy_width = find_prior(material.priors, "model_discrepancy", transport, scenario.preset).width;
  CalibrationInfo learnt;
  if (calibration != nullptr) learnt = learn(*calibration, scope, strategy);
  if (!learnt.any) learnt.residual_process.spread = discrepancy_width;
  return {setup,
          posterior.median,
          std::move(posterior.samples),
          cluster.gpus_per_node,
          std::max(cluster.available_nodes, cluster.growth_max_nodes) * cluster.gpus_per_node,
          material.compute.label,
          discrepancy_width,
          std::move(learnt)};
}

StrategyAnswer answer_strategy(const Scenario& scenario, const Strategy& strategy, const PredictionInputs& material,
                               const PredictOptions& options) {
  const auto curve = make_curve(scenario, strategy, material);
  StrategyAnswer answer;
  answer.strategy = strategy;
  answer.transport = material.transport.name;
  int largest = 0;
  std::vector<double> largest_times_s;
  for (const int gpus : scenario.gpus) {
    if (options.progress) options.progress(fmt::format("{} at {} GPUs", to_text(strategy), gpus));
    auto [point, times_s] = predict_point(curve, gpus, options.fidelity);
    answer.points.push_back(point);
    if (!point.error.empty()) continue;
    largest = gpus;
    largest_times_s = std::move(times_s);
  }
  if (largest == 0) return answer;
  if (options.progress) options.progress(fmt::format("{}: the largest efficient scale", to_text(strategy)));
  answer.largest_scale = find_largest_efficient_scale(curve, scenario.efficiency_bound);
  answer.measure_next = find_measure_next(curve, largest, largest_times_s);
  return answer;
}

std::vector<UsedFile> used_files(const Scenario& scenario, const DataFolder& data) {
  std::vector<UsedFile> files;
  for (const auto& file :
       {data.models() / (scenario.model + ".json"), data.platforms() / scenario.cluster / "cluster.json",
        data.platforms() / "gpus.json", data.platforms() / "priors.json", data.scenarios() / "presets.json"})
    files.push_back({std::filesystem::relative(file, data.root).generic_string(), fnv1a_of_file(file)});
  const auto calibration = data.platforms() / scenario.cluster / "calibration.json";
  if (std::filesystem::exists(calibration))
    files.push_back({std::filesystem::relative(calibration, data.root).generic_string(), fnv1a_of_file(calibration)});
  return files;
}

} // namespace

Transport choose_transport(const Scenario& scenario, const Cluster& cluster, const Preset& preset) {
  if (!scenario.transport.empty()) return find_transport(cluster, scenario.transport);
  if (const auto* transport = transport_for(cluster, preset)) return *transport;
  std::vector<std::string> has;
  for (const auto& transport : cluster.transports) has.push_back(transport.name);
  throw UserError(scenario.name, "/preset",
                  fmt::format("preset \"{}\" can use {}, and cluster \"{}\" has {}; give another preset, or /transport",
                              preset.name, join_names(preset.transports), cluster.name, join_names(has)));
}

Prediction predict(const Scenario& scenario, const DataFolder& data, const PredictOptions& options) {
  const auto material = read_inputs(scenario, data);
  Prediction prediction;
  prediction.scenario = scenario;
  prediction.gpu = material.cluster.gpu;
  prediction.one_gpu_samples_per_s = scenario.batch_per_gpu / material.compute.one_gpu_s;
  prediction.one_gpu_evidence = material.compute.label;
  prediction.one_gpu_text = material.compute.text;
  prediction.available_gpus = material.cluster.available_nodes * material.cluster.gpus_per_node;
  prediction.growth_gpus = material.cluster.growth_max_nodes * material.cluster.gpus_per_node;
  for (const auto& strategy : scenario.strategies)
    prediction.strategies.push_back(answer_strategy(scenario, strategy, material, options));
  prediction.files = used_files(scenario, data);
  return prediction;
}

} // namespace ddlsim
