#pragma once
// A shipped scenario, looked up as `ddlsim predict` does, but without the priors that its own cluster shaped.

#include "sim/compute/layer_times.hpp"
#include "sim/compute/one_gpu_estimate.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/ask.hpp"

#include <algorithm>
#include <string>

namespace ddlsim {

struct Question {
  explicit Question(const std::string& name, const std::string& preset_name = "")
      : data{DDLSIM_SOURCE_DIR}, scenario(read_scenario(data.scenarios() / (name + ".json"))),
        model(load_model(data, scenario.model)), cluster(load_cluster(data, scenario.cluster)),
        gpu(find_gpu(load_gpus(data), cluster.gpu)),
        preset(find_preset(load_presets(data), preset_name.empty() ? scenario.preset : preset_name)),
        transport(choose_transport(scenario, cluster, preset)) {
    const auto own = records_of<StepRecord>(read_cluster_measurements(data.platforms(), scenario.cluster));
    const auto compute = find_compute({model, gpu, scenario.precision, scenario.batch_per_gpu, preset.name}, own,
                                      borrowed_steps(data, cluster));
    one_gpu_s = compute.one_gpu_s;
    median = median_parameters(
        priors_of_stack(priors_without(load_priors(data), cluster.name), compute.prior, transport.name, preset));
  }

  StepTime step(const Strategy& strategy, int gpus, Fidelity fidelity) const {
    StepSetup setup{model, gpu, cluster, preset, transport, strategy};
    setup.batch_per_gpu = scenario.batch_per_gpu;
    setup.one_gpu_s = one_gpu_s;
    setup.gpus = gpus;
    setup.gpus_per_node = std::min(gpus, cluster.gpus_per_node);
    setup.synchronised = gpus > 1;
    return time_step(setup, median, fidelity);
  }

  double samples_per_s(const Strategy& strategy, int gpus, Fidelity fidelity) const {
    return gpus * scenario.batch_per_gpu / step(strategy, gpus, fidelity).iteration_s;
  }

  double efficiency(const Strategy& strategy, int gpus, Fidelity fidelity) const {
    return one_gpu_s / step(strategy, gpus, fidelity).iteration_s;
  }

  DataFolder data;
  Scenario scenario;
  Model model;
  Cluster cluster;
  Gpu gpu;
  Preset preset;
  Transport transport;
  double one_gpu_s = 0;
  Parameters median; ///< of the priors; a test may change it
};

} // namespace ddlsim
