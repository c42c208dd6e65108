#include "sim/predict/predict.hpp"

#include "sim/base/text_file.hpp"
#include "sim/formats/stand_in_preset.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/input.hpp"
#include "sim/predict/known_files.hpp"
#include "sim/predict/largest_efficient_scale.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace ddlsim {
namespace {

/// The settings that the strategy leaves to the preset. A strategy that searches for the best servers leaves none,
/// because it reports its own choice.
std::vector<std::string> left_open_by(const Strategy& strategy, const Preset& preset) {
  std::vector<std::string> open;
  if (!is_parameter_server(strategy.name)) return open;
  const bool searched = seeks_best_servers(strategy);
  if (strategy.servers.rule == ServerCount::Rule::unknown) open.emplace_back("servers");
  if (strategy.placement == Placement::unknown && !searched) open.emplace_back("placement");
  if (strategy.sharding == Sharding::unknown && !(searched && !preset.sharding_choices.empty()))
    open.emplace_back("sharding");
  return open;
}

/// Sets how the benchmark must run: in the same manner as the largest all-reduce at its scale.
void name_deciding_all_reduce(const StrategyAnswer& answer, MeasureNext& next) {
  if (next.parameter.empty() || is_input_factor(next.parameter)) return;
  if (!parameter_field(next.parameter).seen_by.all_reduce) return;
  for (const auto& point : answer.points) {
    if (point.gpus != next.at_gpus || point.protocol.empty()) continue;
    next.algorithm = point.algorithm;
    next.protocol = point.protocol;
    next.all_reduce_bytes = point.largest_collective_bytes;
  }
}

/// Adds to each point its iteration time without the other jobs on the fabric.
void add_alone(std::vector<PredictedPoint>& points, const Curve& curve, const PredictOptions& options) {
  if (!curve.setup.fabrics || curve.setup.fabrics->co_location().neighbours.empty()) return;
  Curve alone = curve;
  alone.setup.fabrics = curve.setup.fabrics->without_neighbours();
  std::vector<int> scales;
  for (const auto& point : points) scales.push_back(point.gpus);
  const auto answers = predict_points(alone, scales, options.fidelity, [](int) {});
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& one = answers[i].point;
    if (one.error.empty()) points[i].alone = {one.iteration_s, one.iteration_s_low, one.iteration_s_high};
  }
}

StrategyAnswer answer_strategy(const Scenario& scenario, const Strategy& strategy, const Curve& curve,
                               const OneGpuRate& one_gpu, const PredictOptions& options) {
  StrategyAnswer answer;
  answer.strategy = strategy;
  answer.one_gpu = one_gpu;
  answer.left_open = left_open_by(strategy, curve.setup.preset);
  answer.taken = strategy;
  if (!answer.left_open.empty()) answer.taken = strategy_taken(curve.setup, curve.median);
  answer.transport = curve.setup.transport.name;
  if (!is_parameter_server(strategy.name)) {
    answer.library = to_text(library_of(curve.setup, curve.median));
    answer.library_stated = strategy.library.has_value();
  }
  PointAndSamples largest;
  std::map<int, double> efficiencies;
  const auto narrate = [&](int gpus) {
    if (options.progress) options.progress(fmt::format("{} at {} GPUs", label_of(strategy), gpus));
  };
  for (auto& one : predict_points(curve, scenario.gpus, options.fidelity, narrate)) {
    answer.points.push_back(one.point);
    if (!one.point.error.empty()) continue;
    efficiencies[one.point.gpus] = one.point.efficiency;
    largest = std::move(one);
  }
  add_alone(answer.points, curve, options);
  if (largest.point.gpus == 0) return answer;
  if (options.progress) options.progress(fmt::format("{}: the largest efficient scale", label_of(strategy)));
  answer.largest_scale = find_largest_efficient_scale(curve, scenario.efficiency_bound, options.fidelity, efficiencies);
  answer.measure_next = find_measure_next(curve, largest.point.gpus, largest.sample_times_s);
  if (options.why) answer.why = why_sentences(curve, one_gpu, largest);
  name_deciding_all_reduce(answer, answer.measure_next);
  return answer;
}

OneGpuRate one_gpu_rate(const Scenario& scenario, const Model& model, const Knowledge& known) {
  const auto compute = one_gpu_of(scenario, scenario.strategies.front(), model, known);
  return {scenario.batch_per_gpu / compute.one_gpu_s, compute.label, compute.text};
}

/// The files on which the answer depends. A calibration stands for all files that its fit read.
std::vector<UsedFile> used_files(const Scenario& scenario, const DataFolder& data, const Calibration* calibration) {
  std::vector<UsedFile> files;
  for (const auto& file :
       {data.model_file(scenario.model), data.platforms_of(scenario.cluster) / scenario.cluster / "cluster.json",
        data.platforms() / "gpus.json", data.platforms() / "priors.json", data.scenarios() / "presets.json"})
    files.push_back({std::filesystem::relative(file, data.root).generic_string(), fnv1a_of_file(file)});
  if (scenario.input_names != InputNames{})
    files.push_back(
        {std::filesystem::relative(data.inputs(), data.root).generic_string(), fnv1a_of_file(data.inputs())});
  if (calibration != nullptr) files.push_back({"calibration of " + calibration->cluster, calibration->inputs});
  return files;
}

/// Adds a warning when the strategy's stack has no preset.
void warn_of_stand_in(const Curve& curve, std::vector<std::string>& warnings) {
  const auto& name = curve.setup.preset.name;
  if (!curve.stand_in && name != unnamed_framework) return;
  const auto warning = stand_in_text(name);
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
}

bool is_known(const Curve& curve, std::string_view parameter) {
  const auto fields = parameter_fields();
  const auto at =
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.name == parameter; });
  const auto place = static_cast<std::size_t>(at - fields.begin());
  return place < curve.calibration.identified.size() && curve.calibration.identified[place];
}

/// Adds a warning when traffic between nodes uses a NIC whose rate is assumed. No warning is needed once a run across
/// nodes or a measured all-reduce shows the rate that software reaches.
void warn_of_assumed_rate(const Curve& curve, const StrategyAnswer& answer, std::vector<std::string>& warnings) {
  const bool crosses = std::any_of(answer.points.begin(), answer.points.end(),
                                   [](const PredictedPoint& point) { return point.error.empty() && point.nodes > 1; });
  const auto& setup = curve.setup;
  const bool measured = curve.calibration.largest_nodes > 1 || is_known(curve, "nic_efficiency");
  if (!crosses || measured || setup.transport.nic.empty()) return;
  const auto& nic = find_nic(setup.cluster, setup.transport.nic);
  if (!nic.bandwidth_assumed) return;
  const auto warning =
      fmt::format("no source states the rate of NIC \"{}\" of {}: {} are assumed, and the intervals "
                  "are wider for it; a run on two nodes settles it",
                  nic.name, setup.cluster.name, print_quantity(nic.bandwidth_Bps, Dimension::bandwidth));
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
}

} // namespace

Prediction predict(const Scenario& scenario, const DataFolder& data, const PredictOptions& options) {
  const KnownFiles files(scenario, data, options.measured);
  const Knowledge& known = files.knowledge();
  const Model& model = files.model();
  const Cluster& cluster = known.cluster;
  Prediction prediction;
  prediction.scenario = scenario;
  prediction.warnings = files.warnings();
  prediction.gpu = scenario.gpu.empty() ? cluster.gpu : scenario.gpu;
  for (const auto& strategy : scenario.strategies) {
    auto curve = make_curve(scenario, strategy, model, known);
    curve.threads = options.threads;
    const auto one_gpu = one_gpu_rate(scenario_with_preset_of(scenario, strategy), model, known);
    prediction.strategies.push_back(answer_strategy(scenario, strategy, curve, one_gpu, options));
    auto& answer = prediction.strategies.back();
    warn_of_stand_in(curve, prediction.warnings);
    warn_of_assumed_rate(curve, answer, prediction.warnings);
    add_measured(answer.points, scenario_with_preset_of(scenario, strategy), curve, files.measured_steps());
    answer.preset = curve.setup.preset.name;
    if (options.answered) options.answered(curve, answer);
  }
  prediction.one_gpu = one_gpu_rate(scenario, model, known);
  const int gpus_per_node = scenario.gpus_per_node > 0 ? scenario.gpus_per_node : cluster.gpus_per_node;
  prediction.available_gpus = cluster.available_nodes * gpus_per_node;
  prediction.growth_gpus = cluster.growth_max_nodes * gpus_per_node;
  prediction.files = used_files(scenario, data, known.calibration);
  return prediction;
}

std::string version() {
  return DDLSIM_VERSION;
}
std::string simgrid_version() {
  return DDLSIM_SIMGRID_VERSION;
}

std::string to_text(InputLimit limit) {
  switch (limit) {
  case InputLimit::none:
    break;
  case InputLimit::decoding:
    return "decoding";
  case InputLimit::storage:
    return "storage";
  case InputLimit::opening:
    return "file-opens";
  case InputLimit::shared_storage:
    return "shared-storage";
  case InputLimit::shared_opening:
    return "shared-file-opens";
  case InputLimit::workers:
    return "workers";
  }
  return "none";
}

} // namespace ddlsim
