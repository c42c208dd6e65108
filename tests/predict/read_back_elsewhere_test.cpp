#include "sim/compute/layer_times.hpp"
#include "sim/compute/other_clusters.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/read_back.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

constexpr const char* planted_on = "mosaic-h100-80gb";

const ReferenceData& shipped_files() {
  static const ReferenceData reference = read_reference_data(DataFolder{DDLSIM_SOURCE_DIR});
  return reference;
}

const Cluster& planted_cluster() {
  return shipped_files().clusters.at(planted_on);
}

/// The sharded iteration that the simulator gives where one GPU needs `one_gpu_s`.
StepRecord planted(double one_gpu_s, int nodes, Recompute recompute = Recompute::none) {
  const auto& reference = shipped_files();
  const auto& cluster = planted_cluster();
  const auto& preset = find_preset(reference.presets, "pytorch-fsdp");
  StepRecord record;
  record.model = "mpt_1b_seq2048";
  record.precision = Precision::bf16;
  record.wire_precision = WirePrecision::fp32;
  record.batch_per_gpu = 14;
  record.preset = preset.name;
  record.strategy.name = StrategyName::fsdp;
  record.strategy.sharded.recompute = recompute;
  record.gpus = 8 * nodes;
  record.nodes = nodes;
  record.gpus_per_node = 8;
  record.head.transport = "nccl-ib";
  StepSetup setup{reference.models.at(record.model),
                  find_device(reference.gpus, cluster.gpu),
                  cluster,
                  preset,
                  *transport_for(cluster, preset, record.head.transport),
                  record.strategy};
  setup.precision = record.precision;
  setup.wire_bytes_per_parameter = bytes_per_parameter(record.wire_precision);
  setup.batch_per_gpu = record.batch_per_gpu;
  setup.one_gpu_s = one_gpu_s;
  setup.gpus = record.gpus;
  setup.gpus_per_node = record.gpus_per_node;
  const auto sample = median_parameters(
      priors_of_fields(priors_on(cluster, priors_for(reference.priors)), "compute_measured", "nccl-ib", preset.name));
  record.iteration_s = time_step(setup, sample, Fidelity::formula).iteration_s;
  return record;
}

} // namespace

TEST_CASE("the time of one GPU that was planted is read back from sharded runs, hidden or exposed", "[read-back]") {
  for (const double one_gpu_s : {0.6, 0.05}) // at 0.05 s the network decides
    for (const int nodes : {1, 4}) {
      INFO(one_gpu_s << " s on " << nodes << " nodes");
      const auto record = planted(one_gpu_s, nodes);
      const auto one = read_back_one_gpu(record, planted_cluster(), shipped_files());
      REQUIRE(one);
      CHECK(one->iteration_s == Approx(one_gpu_s).epsilon(1e-6));
      CHECK(one->read_back_uncertainty == Approx(std::log(record.iteration_s / one_gpu_s)).margin(1e-6));
      CHECK(one->strategy.name == StrategyName::none);
      CHECK_FALSE(one->optimizer); // of which each GPU had a part
    }
}

TEST_CASE("what a run computes again is taken off without a doubt", "[read-back]") {
  constexpr double one_gpu_s = 0.6;
  const auto record = planted(one_gpu_s, 1, Recompute::full);
  const auto one = read_back_one_gpu(record, planted_cluster(), shipped_files());
  REQUIRE(one);
  CHECK(one->iteration_s == Approx(one_gpu_s).epsilon(1e-6));
  const double again = std::log(record.iteration_s / one_gpu_s) - one->read_back_uncertainty;
  CHECK(again > std::log(1.2)); // of a third, all but embeddings and the decoder of words
  CHECK(again < std::log(4.0 / 3));
}

TEST_CASE("of runs elsewhere that differ in GPUs alone the one on fewest speaks, and none of the own site",
          "[read-back]") {
  auto many = planted(0.6, 4);
  many.iteration_s *= 2;
  const std::map<std::string, std::vector<StepRecord>> spread_on{{planted_on, {many, planted(0.6, 1)}}};
  const auto found = read_back_elsewhere(spread_on, Cluster{}, shipped_files());
  REQUIRE(found.size() == 1);
  CHECK(found.front().iteration_s == Approx(0.6).epsilon(1e-6));
  CHECK(found.front().head.gpu == planted_cluster().gpu);
  CHECK(found.front().site == planted_cluster().site);
  Cluster of_the_site;
  of_the_site.site = planted_cluster().site;
  CHECK(read_back_elsewhere(spread_on, of_the_site, shipped_files()).empty());
}

TEST_CASE("sharded runs on several GPUs can be read back for others, and pipelines, all-reduces and one GPU cannot",
          "[read-back]") {
  auto record = planted(0.6, 1);
  CHECK(can_be_read_back(record));
  record.strategy.name = StrategyName::model_parallel;
  CHECK_FALSE(can_be_read_back(record));
  record.strategy.name = StrategyName::ring;
  CHECK_FALSE(can_be_read_back(record));
  record = planted(0.6, 1);
  record.gpus = 1;
  CHECK_FALSE(can_be_read_back(record));
}

TEST_CASE("shipped sharded runs are read back for another site's cluster", "[read-back]") {
  const auto measured = read_measured_times(DataFolder{DDLSIM_SOURCE_DIR});
  REQUIRE(measured.spread_on.count(planted_on) == 1);
  CHECK(read_back_elsewhere(measured.spread_on, Cluster{}, shipped_files()).size() >= 30);
}

} // namespace ddlsim
