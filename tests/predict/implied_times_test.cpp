#include "sim/formats/data_folder.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/implied_times.hpp"
#include "sim/predict/posterior.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

const DataFolder shipped{DDLSIM_SOURCE_DIR};

/// Files that a planted run names.
struct PlantedFiles {
  Model model = load_model(shipped, "mpt_1b_seq2048");
  Cluster cluster = load_cluster(shipped, "mosaic-h100-80gb");
  std::vector<Gpu> gpus = load_gpus(shipped);
  std::vector<Preset> presets = load_presets(shipped);
  std::vector<Prior> priors = load_priors(shipped);

  const Preset& preset() const { return find_preset(presets, "pytorch-fsdp"); }
  const Gpu& gpu() const { return find_device(gpus, cluster.gpu); }
  ShardedRun run_of(const StepRecord& record) const { return {record, model, cluster, gpu(), preset()}; }

  /// The iteration that the simulator gives where one GPU needs `one_gpu_s`.
  StepRecord planted(double one_gpu_s, int nodes) const {
    StepRecord record;
    record.model = model.name;
    record.precision = Precision::bf16;
    record.wire_precision = WirePrecision::fp32;
    record.batch_per_gpu = 14;
    record.preset = "pytorch-fsdp";
    record.strategy.name = StrategyName::fsdp;
    record.gpus = 8 * nodes;
    record.nodes = nodes;
    record.gpus_per_node = 8;
    record.head.transport = "nccl-ib";
    StepSetup setup{model, gpu(), cluster, preset(), *transport_for(cluster, preset(), "nccl-ib"), record.strategy};
    setup.precision = record.precision;
    setup.wire_bytes_per_parameter = bytes_per_parameter(record.wire_precision);
    setup.batch_per_gpu = record.batch_per_gpu;
    setup.one_gpu_s = one_gpu_s;
    setup.gpus = record.gpus;
    setup.gpus_per_node = 8;
    setup.fabrics = std::make_shared<PlacedFabrics>(cluster, setup.transport, Surroundings{});
    const CalibrationScope scope{"nccl-ib", "pytorch-fsdp", Precision::bf16, model.name, 14, 0};
    const auto sample =
        find_posterior(priors_on(cluster, priors), nullptr, {"compute_measured", preset(), false, scope}, 1, 1);
    record.iteration_s = time_step(setup, sample.median, Fidelity::screening).iteration_s;
    return record;
  }
};

} // namespace

TEST_CASE("the time of one GPU that was planted comes back from runs of several, hidden or exposed", "[implied]") {
  const PlantedFiles files;
  for (const double one_gpu_s : {0.6, 0.05}) // at 0.05 s the network decides
    for (const int nodes : {1, 4}) {
      INFO(one_gpu_s << " s on " << nodes << " nodes");
      const auto record = files.planted(one_gpu_s, nodes);
      const auto implied = implied_by(files.run_of(record), files.priors);
      REQUIRE(implied);
      CHECK(implied->iteration_s == Approx(one_gpu_s).epsilon(1e-4));
      CHECK(implied->implied_doubt == Approx(std::log(record.iteration_s / one_gpu_s)).margin(1e-4));
      CHECK(implied->gpus == 1);
      CHECK(implied->strategy.name == StrategyName::none);
      CHECK(implied->head.gpu == files.cluster.gpu);
    }
}

TEST_CASE("of runs that differ in GPUs alone the one on fewest speaks", "[implied]") {
  const PlantedFiles files;
  const auto few = files.planted(0.6, 1);
  auto many = files.planted(0.6, 4);
  many.iteration_s *= 2;
  const auto implied = implied_by_fewest({files.run_of(many), files.run_of(few)}, files.priors);
  REQUIRE(implied.size() == 1);
  CHECK(implied.front().iteration_s == Approx(0.6).epsilon(1e-4));
}

TEST_CASE("a run over a transport that its cluster lacks implies nothing", "[implied]") {
  const PlantedFiles files;
  auto record = files.planted(0.6, 1);
  record.strategy.name = StrategyName::none;
  CHECK_FALSE(implies_one_gpu(record));
  record = files.planted(0.6, 4);
  CHECK(implies_one_gpu(record));
  auto offline = files.cluster;
  offline.transports = {{"shm", ""}};
  CHECK_FALSE(implied_by({record, files.model, offline, files.gpu(), files.preset()}, files.priors));
}

TEST_CASE("runs of a cluster's own site imply nothing there", "[implied]") {
  const auto measured = read_measured_times(shipped);
  REQUIRE(measured.sharded_on.count("mosaic-h100-80gb") == 1);
  const auto presets = load_presets(shipped);
  const auto priors = load_priors(shipped);
  const auto at = [&](const std::string& cluster) {
    return implied_elsewhere(measured, load_cluster(shipped, cluster), presets, priors, shipped);
  };
  for (const auto& one : at("mosaic-a100-80gb")) CHECK(one.head.series.find("mpt") == std::string::npos);
  CHECK(at("p5").size() >= 30);
}

} // namespace ddlsim
