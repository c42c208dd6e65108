#include "sim/predict/predict.hpp"

#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/calibration_basis.hpp"
#include "sim/formats/record.hpp"
#include "sim/predict/ask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace ddlsim {
namespace {

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

/// One-GPU times of a cluster. What other clusters measured takes a while to read: only where it could matter.
class OneGpuReader {
public:
  /// `measured` may be null: then it is read when it is needed.
  OneGpuReader(const DataFolder& data, const Cluster& cluster, std::vector<StepRecord> own,
               const MeasuredTimes* measured)
      : data_(data), cluster_(cluster), own_(std::move(own)), borrowed_(borrowed_steps(data, cluster)),
        measured_(measured) {}

  OneGpuEstimate find(const ComputeQuestion& question) {
    const auto near = find_compute(question, own_, borrowed_);
    if (is_settled(near)) return near;
    if (!all_) {
      const auto unnamed_gpu = cluster_.gpu.empty() ? unnamed_device().name : cluster_.gpu;
      auto others = other_cluster_times(measured_ != nullptr ? *measured_ : read_measured_times(data_), cluster_);
      all_ = std::make_unique<OneGpuTimes>(unnamed_gpu, own_, borrowed_, std::move(others));
    }
    return all_->find(question);
  }

private:
  const DataFolder& data_;
  const Cluster& cluster_;
  std::vector<StepRecord> own_;
  std::vector<StepRecord> borrowed_;
  const MeasuredTimes* measured_;
  std::unique_ptr<const OneGpuTimes> all_; ///< null: not needed so far
};

std::vector<std::string> left_open_by(const Strategy& strategy) {
  std::vector<std::string> open;
  if (!is_parameter_server(strategy.name)) return open;
  if (strategy.servers.rule == ServerCount::Rule::unknown) open.emplace_back("servers");
  if (strategy.placement == Placement::unknown) open.emplace_back("placement");
  if (strategy.sharding == Sharding::unknown) open.emplace_back("sharding");
  return open;
}

StrategyAnswer answer_strategy(const Scenario& scenario, const Strategy& strategy, const Curve& curve,
                               const PredictOptions& options) {
  StrategyAnswer answer;
  answer.strategy = strategy;
  answer.left_open = left_open_by(strategy);
  answer.taken = strategy;
  if (!answer.left_open.empty()) answer.taken = strategy_taken(curve.setup, curve.median);
  answer.transport = curve.setup.transport.name;
  int largest = 0;
  std::vector<double> largest_times_s;
  std::map<int, double> efficiencies;
  const auto narrate = [&](int gpus) {
    if (options.progress) options.progress(fmt::format("{} at {} GPUs", label_of(strategy), gpus));
  };
  for (auto& [point, times_s] : predict_points(curve, scenario.gpus, options.fidelity, narrate)) {
    answer.points.push_back(point);
    if (!point.error.empty()) continue;
    efficiencies[point.gpus] = point.efficiency;
    largest = point.gpus;
    largest_times_s = std::move(times_s);
  }
  if (largest == 0) return answer;
  if (options.progress) options.progress(fmt::format("{}: the largest efficient scale", label_of(strategy)));
  answer.largest_scale = find_largest_efficient_scale(curve, scenario.efficiency_bound, options.fidelity, efficiencies);
  answer.measure_next = find_measure_next(curve, largest, largest_times_s);
  return answer;
}

OneGpuRate one_gpu_rate(const Scenario& scenario, const Model& model, const Knowledge& known) {
  const auto compute = one_gpu_of(scenario, model, known);
  return {scenario.batch_per_gpu / compute.one_gpu_s, compute.label, compute.text};
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

Prediction predict(const Scenario& scenario, const DataFolder& data, const PredictOptions& options) {
  const auto model = load_model(data, scenario.model);
  const auto cluster = load_cluster(data, scenario.cluster);
  const auto gpus = load_gpus(data);
  const auto presets = load_presets(data);
  const auto priors = load_priors(data);
  auto calibration = load_calibration(data, scenario.cluster);
  std::vector<std::string> warnings;
  if (calibration) warnings = forget_what_changed(*calibration, cluster, data);
  auto own = records_of<StepRecord>(read_cluster_measurements(data.platforms(), scenario.cluster));
  check_named_records(scenario, own);
  OneGpuReader one_gpu_times(data, cluster, std::move(own), options.measured);
  const Knowledge known{
      cluster, gpus, presets, priors, calibration ? &*calibration : nullptr, [&](const ComputeQuestion& question) {
        return one_gpu_times.find(question);
      }};

  Prediction prediction;
  prediction.scenario = scenario;
  prediction.gpu = scenario.gpu.empty() ? cluster.gpu : scenario.gpu;
  for (const auto& strategy : scenario.strategies) {
    const auto curve = make_curve(scenario, strategy, model, known);
    prediction.strategies.push_back(answer_strategy(scenario, strategy, curve, options));
    auto& answer = prediction.strategies.back();
    answer.preset = curve.setup.preset.name;
    answer.one_gpu = one_gpu_rate(asked_with(scenario, strategy), model, known);
  }
  prediction.one_gpu = one_gpu_rate(scenario, model, known);
  const int gpus_per_node = scenario.gpus_per_node > 0 ? scenario.gpus_per_node : cluster.gpus_per_node;
  prediction.available_gpus = cluster.available_nodes * gpus_per_node;
  prediction.growth_gpus = cluster.growth_max_nodes * gpus_per_node;
  prediction.warnings = std::move(warnings);
  prediction.files = used_files(scenario, data);
  return prediction;
}

} // namespace ddlsim
