#include "sim/predict/predict.hpp"

#include "sim/base/text_file.hpp"
#include "sim/formats/stand_in_preset.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/batch_at_scale.hpp"
#include "sim/predict/input.hpp"
#include "sim/predict/known_files.hpp"
#include "sim/predict/largest_efficient_scale.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
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

/// What a strategy's answer says beside its points.
void describe_strategy(const Strategy& strategy, const Curve& curve, const OneGpuRate& one_gpu,
                       StrategyAnswer& answer) {
  answer.strategy = strategy;
  answer.one_gpu = one_gpu;
  answer.preset = curve.setup.preset.name;
  answer.left_open = left_open_by(strategy, curve.setup.preset);
  answer.taken = strategy;
  if (!answer.left_open.empty()) answer.taken = strategy_taken(curve.setup, curve.median);
  answer.transport = curve.setup.transport.name;
  if (is_parameter_server(strategy.name)) return;
  answer.library = to_text(library_of(curve.setup, curve.median));
  answer.library_stated = strategy.library.has_value();
}

/// The largest of the asked scales up to which every point reaches the bound, of a batch that the scale divides.
LargestEfficientScale largest_asked(const std::vector<PredictedPoint>& points, double bound) {
  LargestEfficientScale largest;
  const auto last_above = [&](double PredictedPoint::*efficiency) {
    int gpus = 0;
    for (const auto& point : points) {
      if (!point.error.empty()) continue;
      if (point.*efficiency < bound) break;
      gpus = point.gpus;
    }
    return gpus;
  };
  largest.gpus = last_above(&PredictedPoint::efficiency);
  largest.gpus_low = last_above(&PredictedPoint::efficiency_low);
  largest.gpus_high = last_above(&PredictedPoint::efficiency_high);
  for (const auto& point : points)
    if (point.gpus == largest.gpus) largest.bottleneck = point.bottleneck;
  return largest;
}

/// Answers one strategy. A question whose batch follows from the scale has a curve for each batch.
class StrategyAnswerer {
public:
  StrategyAnswerer(const Scenario& scenario, const KnownFiles& files, const PredictOptions& options)
      : scenario_(scenario), files_(files), options_(options) {}

  StrategyAnswer answer(const Strategy& strategy, std::vector<std::string>& warnings) {
    StrategyAnswer answer;
    answer.strategy = answer.taken = strategy;
    answer.preset = scenario_with_preset_of(scenario_, strategy).preset;
    for (const auto& asked : questions_of(scenario_, strategy, files_.model())) {
      if (asked.error.empty())
        add(asked, answer, warnings);
      else
        answer.points.push_back(impossible(asked));
    }
    if (curve_ == nullptr) {
      const auto asked = questions_of(scenario_, strategy, files_.model()).front();
      const auto curve = make_curve(asked.scenario, strategy, files_.model(), files_.knowledge());
      describe_strategy(strategy, curve, rate_of(asked), answer);
      return answer;
    }
    find_largest(answer);
    if (largest_.point.gpus > 0) {
      answer.measure_next = find_measure_next(*curve_, largest_.point.gpus, largest_.sample_times_s);
      if (options_.why) answer.why = why_sentences(*curve_, answer.one_gpu, largest_);
      name_deciding_all_reduce(answer, answer.measure_next);
    }
    if (options_.answered) options_.answered(*curve_, answer);
    return answer;
  }

private:
  static PredictedPoint impossible(const QuestionAtScales& asked) {
    PredictedPoint point;
    point.gpus = asked.scenario.gpus.front();
    point.error = asked.error;
    return point;
  }

  OneGpuRate rate_of(const QuestionAtScales& asked) const {
    return one_gpu_rate(scenario_with_preset_of(asked.scenario, asked.strategy), files_.model(), files_.knowledge());
  }

  void add(const QuestionAtScales& asked, StrategyAnswer& answer, std::vector<std::string>& warnings) {
    const auto& known = files_.knowledge();
    auto curve = std::make_unique<Curve>(make_curve(asked.scenario, asked.strategy, files_.model(), known));
    curve->threads = options_.threads;
    auto points = points_of(asked, *curve);
    add_measured(points, scenario_with_preset_of(asked.scenario, asked.strategy), *curve, files_.measured_steps());
    if (batch_follows_scale(scenario_))
      for (auto& point : points) {
        point.batch_per_gpu = asked.scenario.batch_per_gpu;
        point.strategy = asked.strategy;
      }
    answer.points.insert(answer.points.end(), points.begin(), points.end());
    const bool any = std::any_of(points.begin(), points.end(), [](const auto& point) { return point.error.empty(); });
    if (!any && curve_ != nullptr) return;
    describe_strategy(asked.strategy, *curve, rate_of(asked), answer);
    curve_ = std::move(curve);
    warn_of_stand_in(*curve_, warnings);
    warn_of_assumed_rate(*curve_, answer, warnings);
  }

  std::vector<PredictedPoint> points_of(const QuestionAtScales& asked, const Curve& curve) {
    const auto narrate = [&](int gpus) {
      if (options_.progress) options_.progress(fmt::format("{} at {} GPUs", label_of(asked.strategy), gpus));
    };
    std::vector<PredictedPoint> points;
    for (auto& one : predict_points(curve, asked.scenario.gpus, options_.fidelity, narrate)) {
      points.push_back(one.point);
      if (!one.point.error.empty()) continue;
      efficiencies_[one.point.gpus] = one.point.efficiency;
      largest_ = std::move(one);
    }
    add_alone(points, curve, options_);
    return points;
  }

  void find_largest(StrategyAnswer& answer) const {
    if (largest_.point.gpus == 0) return;
    if (scenario_.batch_per_gpu == 0) {
      answer.largest_scale = largest_asked(answer.points, scenario_.efficiency_bound);
      return;
    }
    if (options_.progress) options_.progress(fmt::format("{}: the largest efficient scale", label_of(answer.strategy)));
    answer.largest_scale =
        find_largest_efficient_scale(*curve_, scenario_.efficiency_bound, options_.fidelity, efficiencies_);
  }

  const Scenario& scenario_;
  const KnownFiles& files_;
  const PredictOptions& options_;
  std::unique_ptr<Curve> curve_; ///< of the largest scale that is possible
  PointAndSamples largest_;
  std::map<int, double> efficiencies_;
};

} // namespace

Prediction predict(const Scenario& scenario, const DataFolder& data, const PredictOptions& options) {
  const KnownFiles files(scenario, data, options.measured);
  const Knowledge& known = files.knowledge();
  const Cluster& cluster = known.cluster;
  Prediction prediction;
  prediction.scenario = scenario;
  prediction.warnings = files.warnings();
  prediction.gpu = scenario.gpu.empty() ? cluster.gpu : scenario.gpu;
  for (const auto& strategy : scenario.strategies)
    prediction.strategies.push_back(StrategyAnswerer(scenario, files, options).answer(strategy, prediction.warnings));
  prediction.one_gpu = prediction.strategies.front().one_gpu;
  if (scenario.batch_per_gpu > 0) prediction.one_gpu = one_gpu_rate(scenario, files.model(), known);
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
