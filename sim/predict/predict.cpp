#include "sim/predict/predict.hpp"

#include "sim/base/text_file.hpp"
#include "sim/predict/answer_strategy.hpp"
#include "sim/predict/at_hand.hpp"
#include "sim/predict/known_files.hpp"

namespace ddlsim {
namespace {

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

} // namespace

Prediction predict(const Scenario& scenario, const DataFolder& data, const PredictOptions& options) {
  const KnownFiles files(scenario, data, options.measured);
  const Cluster& cluster = files.knowledge().cluster;
  Prediction prediction;
  prediction.scenario = scenario;
  prediction.warnings = files.warnings();
  prediction.gpu = scenario.gpu.empty() ? cluster.gpu : scenario.gpu;
  const int gpus_per_node = scenario.gpus_per_node > 0 ? scenario.gpus_per_node : cluster.gpus_per_node;
  prediction.available_gpus = cluster.available_nodes * gpus_per_node;
  prediction.growth_gpus = cluster.growth_max_nodes * gpus_per_node;
  std::vector<std::vector<double>> at_hand_s;
  for (const auto& strategy : scenario.strategies) {
    const AskedStrategy asked{
        scenario, strategy, files, options, prediction.strategies.size(), prediction.available_gpus};
    auto answered = answer_strategy(asked, prediction.warnings);
    at_hand_s.push_back(std::move(answered.at_hand_s));
    if (prediction.strategies.empty()) prediction.machine = std::move(answered.machine);
    prediction.strategies.push_back(std::move(answered.answer));
  }
  prediction.one_gpu = prediction.strategies.front().one_gpu;
  if (scenario.batch_per_gpu > 0) prediction.one_gpu = rate_of_one_gpu(scenario, files);
  compare_at_hand(at_hand_s, prediction);
  prediction.files = used_files(scenario, data, files.knowledge().calibration);
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
