#include "sim/compute/layer_times.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/best_layout.hpp"
#include "sim/predict/read_back.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

const DataFolder release_data{DDLSIM_SOURCE_DIR};
const std::string cluster_name = "megatron-h100";

ReferenceData reference_of(const std::vector<StepRecord>& records) {
  ReferenceData reference{load_gpus(release_data),        load_presets(release_data), load_priors(release_data), {}, {},
                          load_kernel_rates(release_data)};
  for (const auto& record : records) reference.models.emplace(record.model, load_model(release_data, record.model));
  return reference;
}

/// With every parameter at its prior's median and that time of one GPU; the fastest where micro-batches are open.
double simulated_s(const StepRecord& record, double one_gpu_s, const Cluster& cluster, const ReferenceData& reference) {
  const auto& preset = find_preset(reference.presets, record.preset);
  const auto& transport = *transport_for(cluster, preset, record.head.transport);
  const auto& gpu = find_device(reference.gpus, cluster.gpu);
  StepSetup setup{reference.models.at(record.model), gpu, cluster, preset, transport, record.strategy};
  setup.precision = record.precision;
  setup.wire_bytes_per_parameter = bytes_per_parameter(record.wire_precision);
  setup.batch_per_gpu = record.batch_per_gpu;
  setup.one_gpu_s = one_gpu_s;
  setup.gpus = record.gpus;
  setup.gpus_per_node = record.gpus_per_node;
  const auto priors = priors_on(cluster, priors_for(reference.priors));
  const auto sample = median_parameters(priors_of_fields(priors, "compute_measured", transport.name, preset.name));
  if (seeks_best_layout(setup.strategy))
    setup.strategy = BestLayout(setup, sample, record.gpus_per_node).at(record.gpus).strategy;
  return time_step(setup, sample, Fidelity::formula).iteration_s;
}

} // namespace

TEST_CASE("what one GPU takes is read back from runs of pipelines: with it each takes as long as was measured",
          "[read-back]") {
  const auto records =
      records_of<StepRecord>(read_cluster_measurements(release_data.platforms_of(cluster_name), cluster_name));
  const auto cluster = load_cluster(release_data, cluster_name);
  const auto reference = reference_of(records);
  for (const auto& record : records) {
    INFO(record.model << " on " << record.gpus);
    const auto alone = read_back_one_gpu(record, cluster, reference);
    REQUIRE(alone);
    const auto& one = *alone;
    CHECK(one.gpus == 1);
    CHECK(!one.synchronised);
    CHECK(one.batch_per_gpu == record.batch_per_gpu);
    CHECK(one.head.statistic == "read back from " + std::to_string(record.gpus) + " GPUs");
    CHECK(one.iteration_s < record.iteration_s);
    CHECK(simulated_s(record, one.iteration_s, cluster, reference) == Approx(record.iteration_s).epsilon(1e-6));
  }
}

TEST_CASE("nothing is read back of a run that cannot be so quick, or of another strategy", "[read-back]") {
  auto records =
      records_of<StepRecord>(read_cluster_measurements(release_data.platforms_of(cluster_name), cluster_name));
  const auto cluster = load_cluster(release_data, cluster_name);
  records.resize(2);
  records[0].iteration_s = 1e-3; // its gradients alone take longer
  records[1].strategy = {StrategyName::zero_1, {}};
  CHECK(read_back_pipelines(records, cluster, reference_of(records)).empty());
}

} // namespace ddlsim
