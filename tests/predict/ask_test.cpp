// The function that answers, asked with a calibration and without one.

#include "sim/base/statistics.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/interval.hpp"
#include "sim/predict/shrinking_growth.hpp"
#include "tests/calibrate/shipped_data.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

const DataFolder shipped_for_asking = ddlsim_test::shipped_data();

/// Everything that a question about one cluster needs; the one-GPU time is given, with its evidence.
struct AskedCluster {
  explicit AskedCluster(const std::string& name)
      : cluster(load_cluster(shipped_for_asking, name)), calibration(*load_calibration(shipped_for_asking, name)) {}

  Cluster cluster;
  std::vector<Gpu> gpus = load_gpus(shipped_for_asking);
  std::vector<Preset> presets = load_presets(shipped_for_asking);
  PriorBook priors = load_priors(shipped_for_asking);
  Calibration calibration;
  OneGpuEstimate one_gpu{0.2, "compute_measured", EvidenceLabel::calibrated, "given"};

  Knowledge known(bool calibrated) const {
    return {cluster, gpus, presets, priors, calibrated ? &calibration : nullptr, [this](const ComputeQuestion&) {
              return one_gpu;
            }};
  }
};

Scenario question_about(const std::string& cluster) {
  auto scenario = read_scenario(shipped_for_asking.scenarios() / "iris-resnet50.json");
  scenario.cluster = cluster;
  scenario.strategies.resize(1);
  return scenario;
}

/// Standard deviation of ln of the samples' compute factors.
double compute_width(const AskedCluster& asked, bool calibrated, const Scenario& scenario) {
  const auto model = load_model(shipped_for_asking, scenario.model);
  const auto curve = make_curve(scenario, scenario.strategies.front(), model, asked.known(calibrated));
  std::vector<double> logs;
  for (const auto& sample : curve.samples.values) logs.push_back(std::log(compute_factor_of(sample)));
  return standard_deviation(logs);
}

/// The calibration as it would be had it a compute factor of the question, not identified, from `measured` records.
void plant_unidentified_factor(AskedCluster& asked, const Scenario& scenario) {
  CalibratedParameter one;
  one.name = "compute_factor";
  one.scope.precision = scenario.precision;
  one.scope.model = scenario.model;
  one.scope.batch_per_gpu = scenario.batch_per_gpu;
  one.scope.one_gpu_s = asked.one_gpu.one_gpu_s;
  one.prior = find_prior(priors_for(asked.priors), "compute_measured", "", "");
  one.error = 0.9;
  asked.calibration.parameters.push_back(one);
  asked.calibration.correlation.emplace_back(asked.calibration.parameters.size() - 1, 0.0);
  asked.calibration.contradicted_draws.clear(); // they were of fewer parameters
}

} // namespace

TEST_CASE("a compute factor that no run narrowed is as wide as the evidence of the question", "[ask]") {
  AskedCluster asked("iris");
  const auto scenario = question_about("iris");
  plant_unidentified_factor(asked, scenario);
  const double measured = find_prior(priors_for(asked.priors), "compute_measured", "", "").width;
  CHECK(compute_width(asked, true, scenario) == Approx(0.9 * measured).epsilon(0.02));
  // the same figure, this time only computed from the GPU's data sheet
  asked.one_gpu.prior = compute_estimated;
  asked.one_gpu.stack_width = 0.2;
  asked.one_gpu.model_width = 0.1;
  asked.one_gpu.batch_width = 0.1;
  asked.one_gpu.label = EvidenceLabel::assumed;
  const double without = compute_width(asked, false, scenario);
  CHECK(without > 0.2);
  CHECK(compute_width(asked, true, scenario) >= 0.999 * without);
}

TEST_CASE("another GPU in a calibrated cluster is as doubtful as without the calibration", "[ask]") {
  AskedCluster asked("iris");
  auto scenario = question_about("iris");
  scenario.gpu = "A100-SXM4-40GB";
  asked.one_gpu = {0.07, compute_estimated, EvidenceLabel::transferred, "given", "", 0.15, 0.1, 0.1};
  CHECK(compute_width(asked, true, scenario) >= 0.999 * compute_width(asked, false, scenario));
}

TEST_CASE("what a cluster shaped of a prior does not count twice for it", "[ask]") {
  // dlperf-v100 shaped the cost of synchronisation: its fit started from the prior that stands behind that one
  AskedCluster asked("dlperf-v100");
  const auto scenario = question_about("dlperf-v100");
  const auto model = load_model(shipped_for_asking, scenario.model);
  for (auto& one : asked.calibration.parameters) one.identified = one.identified && one.name != "sync_share";
  const auto curve = make_curve(scenario, scenario.strategies.front(), model, asked.known(true));
  const auto once = find_prior(priors_for(asked.priors, asked.cluster.site), "sync_share", "nccl-ib", "pytorch-ddp");
  const auto stands = std::find_if(asked.calibration.parameters.begin(), asked.calibration.parameters.end(),
                                   [&](const CalibratedParameter& one) {
                                     return one.name == "sync_share" && one.scope.preset == scenario.preset &&
                                            one.scope.transport == curve.setup.transport.name;
                                   });
  REQUIRE(stands != asked.calibration.parameters.end());
  const auto& stored = *stands;
  CHECK(stored.prior.median == Approx(once.median));
  CHECK(curve.median.sync_share == Approx(prior_value(stored.prior, stored.z_score)));
}

namespace {

/// Residuals at 8 GPUs of series of one stack and one model, each under another strategy.
void plant_series(AskedCluster& asked, const Scenario& scenario, const std::string& transport,
                  const std::vector<std::pair<std::string, double>>& residuals) {
  asked.calibration.series.clear();
  for (const auto& [strategy, residual] : residuals) {
    CalibratedSeries one;
    one.id = "iris/planted/" + strategy;
    one.strategy = strategy;
    one.scope = {transport,      scenario.preset,        scenario.precision,
                 scenario.model, scenario.batch_per_gpu, asked.one_gpu.one_gpu_s};
    one.spread = 0.1;
    one.points = {{8, 2, residual, 0.01}};
    asked.calibration.series.push_back(one);
  }
}

/// The residuals that a question about that strategy takes over.
std::vector<double> residuals_of(const AskedCluster& asked, Scenario scenario, const Strategy& strategy) {
  scenario.strategies.front() = strategy;
  const auto curve = make_curve(scenario, scenario.strategies.front(), load_model(shipped_for_asking, scenario.model),
                                asked.known(true));
  std::vector<double> residuals;
  for (const auto& known : curve.calibration.own) residuals.push_back(known.value);
  return residuals;
}

std::vector<double> residuals_of(const AskedCluster& asked, const Scenario& scenario, StrategyName name) {
  Strategy strategy;
  strategy.name = name;
  return residuals_of(asked, scenario, strategy);
}

/// What no parameter explains of that question, on GPUs of several nodes.
double spread_of(const AskedCluster& asked, const Scenario& scenario) {
  const auto curve = make_curve(scenario, scenario.strategies.front(), load_model(shipped_for_asking, scenario.model),
                                asked.known(true));
  return curve.calibration.residual_process.spread;
}

} // namespace

TEST_CASE(
    "a model that the cluster has not measured is as doubtful as the prior says, one that it has as its own series",
    "[ask]") {
  AskedCluster asked("iris");
  const auto scenario = question_about("iris");
  const double elsewhere = find_prior(priors_for(asked.priors), "model_discrepancy", "nccl-ib", scenario.preset).width;
  asked.calibration.series.clear();
  CHECK(spread_of(asked, scenario) == elsewhere);
  plant_series(asked, scenario, "nccl-ib", {{"ring", 0.3}});
  CHECK(spread_of(asked, scenario) == 0.1);
}

TEST_CASE("a batch that was not measured takes over what others of its stack leave, less with each doubling", "[ask]") {
  AskedCluster asked("iris");
  auto scenario = question_about("iris");
  plant_series(asked, scenario, "nccl-ib", {{"ring", 0.3}});
  const double measured = scenario.batch_per_gpu;
  const auto residual_at = [&](double batch) {
    scenario.batch_per_gpu = batch;
    const auto curve = make_curve(scenario, scenario.strategies.front(), load_model(shipped_for_asking, scenario.model),
                                  asked.known(true));
    const Scale scale{8, 2, 0, 0, batch};
    return std::pair(curve.calibration.of_other_batches,
                     estimate_residual(curve.calibration.residual_process, curve.calibration.own, scale));
  };
  const auto [other, same] = residual_at(measured);
  CHECK_FALSE(other);
  CHECK(same.mean == Approx(0.3).epsilon(0.02)); // its noise is a tenth of its spread
  for (const double ratio : {2.0, 4.0}) {
    const auto [of_other_batches, carried] = residual_at(ratio * measured);
    const double share = std::pow(ModelConstants{}.residual_per_doubling, std::log2(ratio));
    CHECK(of_other_batches);
    CHECK(carried.mean == Approx(share * same.mean).epsilon(1e-6));
    CHECK(carried.spread > same.spread);
  }
}

TEST_CASE("another batch's run across nodes is not the last point of a straight line, nor a measured point", "[ask]") {
  AskedCluster asked("iris");
  auto scenario = question_about("iris");
  plant_series(asked, scenario, "nccl-ib", {{"ring", 0.3}});
  scenario.batch_per_gpu *= 2;
  const auto curve = make_curve(scenario, scenario.strategies.front(), load_model(shipped_for_asking, scenario.model),
                                asked.known(true));
  CHECK(curve.calibration.of_other_batches);
  CHECK(ln_shift_to_line(curve, 64) == 0);
}

TEST_CASE("auto and the algorithm that the library takes are one run, and share residuals", "[ask]") {
  AskedCluster asked("iris");
  const auto scenario = question_about("iris");
  const std::string servers = "ps"; // of several counts
  using enum StrategyName;
  constexpr int nodes_of_rings = 24;
  constexpr int nodes_of_trees = 1000; // NCCL takes trees from some dozens of nodes on
  asked.cluster.available_nodes = nodes_of_rings;
  plant_series(asked, scenario, "nccl-ib", {{"ring", 0.3}, {servers, -0.5}});
  CHECK(residuals_of(asked, scenario, automatic) == std::vector<double>{0.3});
  CHECK(residuals_of(asked, scenario, ring) == std::vector<double>{0.3});
  CHECK(residuals_of(asked, scenario, ps) == std::vector<double>{-0.5});
  CHECK(residuals_of(asked, scenario, tree) == std::vector<double>{0.3, -0.5}); // never measured: the stack's
  plant_series(asked, scenario, "nccl-ib", {{"all-reduce", 0.2}, {"ring", 0.3}, {"tree", 0.4}});
  CHECK(residuals_of(asked, scenario, automatic) == std::vector<double>{0.2, 0.3});
  CHECK(residuals_of(asked, scenario, ring) == std::vector<double>{0.2, 0.3});
  CHECK(residuals_of(asked, scenario, tree) == std::vector<double>{0.4});
  asked.cluster.available_nodes = nodes_of_trees;
  CHECK(residuals_of(asked, scenario, automatic) == std::vector<double>{0.2, 0.4});
  CHECK(residuals_of(asked, scenario, ring) == std::vector<double>{0.3});
}

TEST_CASE("the series that is meant shows how far its runs are off, unless others reach more nodes", "[ask]") {
  AskedCluster asked("iris");
  auto scenario = question_about("iris");
  using enum StrategyName;
  asked.cluster.available_nodes = 24; // so few that the library takes the ring
  plant_series(asked, scenario, "nccl-ib", {{"all-reduce", 0.2}, {"ring", 0.3}});
  CHECK(residuals_of(asked, scenario, ring) == std::vector<double>{0.2, 0.3});
  scenario.series = "ring"; // planted under their strategies' names
  CHECK(residuals_of(asked, scenario, ring) == std::vector<double>{0.3});
  scenario.series = "all-reduce";
  CHECK(residuals_of(asked, scenario, ring) == std::vector<double>{0.2});
  asked.calibration.series.front().id += " resnet50_v1 fp32 batch 64"; // one of several of that name
  CHECK(residuals_of(asked, scenario, ring) == std::vector<double>{0.2});
  scenario.series = "all";
  CHECK(residuals_of(asked, scenario, ring) == std::vector<double>{0.2, 0.3});
  scenario.series = "ring";
  asked.calibration.series.front().points.front().nodes = 3;
  CHECK(residuals_of(asked, scenario, ring) == std::vector<double>{0.2, 0.3});
}

TEST_CASE("a server for all and servers beside the workers, where both were measured, are two experiments", "[ask]") {
  AskedCluster asked("iris");
  const auto scenario = question_about("iris");
  Strategy central;
  central.name = StrategyName::ps;
  central.servers = {ServerCount::Rule::count, 1};
  central.placement = Placement::dedicated;
  central.sharding = Sharding::bytes;
  auto everywhere = central;
  everywhere.servers = {ServerCount::Rule::count, 4};
  everywhere.placement = Placement::colocated;
  const std::string with_more_nodes = "ps"; // one server a node: their number is not the series'
  plant_series(asked, scenario, "nccl-ib", {{with_more_nodes, -0.5}, {"ps(1 dedicated, bytes)", 0.1}});
  CHECK(residuals_of(asked, scenario, central) == std::vector<double>{0.1});
  CHECK(residuals_of(asked, scenario, everywhere) == std::vector<double>{-0.5});
  plant_series(asked, scenario, "nccl-ib", {{with_more_nodes, -0.5}});
  CHECK(residuals_of(asked, scenario, central) == std::vector<double>{-0.5}); // the nearest that is known
}

} // namespace ddlsim
