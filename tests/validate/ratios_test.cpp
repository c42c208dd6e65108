// Speed-ups without a base rate: predicted by the function behind `predict`, told as far off as they are.

#include "calibrate/data/fit_data.hpp"
#include "sim/predict/posterior.hpp"
#include "sim/predict/predict.hpp"
#include "tests/calibrate/planted_cluster.hpp"
#include "tests/calibrate/shipped_data.hpp"
#include "validate/ratios/ratios.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

namespace ddlsim {
namespace {

const DataFolder& ratio_data() {
  static const DataFolder folder = ddlsim_test::shipped_data();
  return folder;
}

/// ResNet-50 over NCCL on nodes of four of the shipped cluster.
SpeedUpRecord iris_speed_up(int base_gpus, int gpus, double speed_up) {
  SpeedUpRecord record;
  record.head.series = "planted";
  record.head.gpu = "V100-SXM2-16GB";
  record.head.transport = "nccl-ib";
  record.model = "resnet50_v1.5";
  record.batch_per_gpu = 64;
  record.preset = "horovod";
  record.strategy.name = StrategyName::ring;
  record.gpus = gpus;
  record.nodes = (gpus + 3) / 4;
  record.gpus_per_node = 4;
  record.base_gpus = base_gpus;
  record.base_nodes = (base_gpus + 3) / 4;
  record.speed_up = speed_up;
  record.trust = "A";
  return record;
}

MeasurementFile file_with(const std::string& cluster, std::vector<Record> records) {
  MeasurementFile file;
  file.context.cluster = cluster;
  file.records = std::move(records);
  return file;
}

std::vector<PredictedRatio> predicted_on_iris(std::vector<Record> records) {
  static const auto reference = read_reference_data(ratio_data());
  static const auto measured = [] { // other clusters' one-GPU times count, too
    std::vector<MeasurementFile> all;
    for (const auto& cluster : list_clusters(ratio_data()))
      for (auto& file : read_cluster_measurements(ratio_data().platforms(), cluster)) all.push_back(std::move(file));
    return all;
  }();
  return predict_ratios(reference, [](const std::string& name) { return load_calibration(ratio_data(), name); },
                        measured, {file_with("iris", std::move(records))});
}

Prediction predict_on_iris() {
  Scenario scenario;
  scenario.name = "planted";
  scenario.model = "resnet50_v1.5";
  scenario.batch_per_gpu = 64;
  scenario.cluster = "iris";
  scenario.gpus = {8, 64};
  scenario.strategies.resize(1);
  scenario.strategies[0].name = StrategyName::ring;
  scenario.preset = "horovod";
  scenario.transport = "nccl-ib";
  return predict(scenario, ratio_data(), {});
}

/// How many times as fast the likeliest sample of the priors is on so many GPUs of the invented cluster, by the model that
/// the fit runs.
double planted_speed_up(int gpus) {
  const auto reference = ddlsim_test::planted_reference();
  const auto series = ddlsim_test::planted_data(reference, {"small"}).front();
  const PosteriorQuestion question{series.compute_prior, series.setup.preset, false, series.scope, series.priors};
  const auto& cluster = reference.clusters.at("planted");
  const auto sample = find_posterior(priors_on(cluster, priors_for(reference.priors)), nullptr, question, 1, 1).mode;
  const auto time_s = [&](int at) {
    for (const auto& point : series.points)
      if (point.gpus == at) return model_time_s(series, point, sample);
    return 0.0;
  };
  return gpus * ddlsim_test::planted_one_gpu_s("small") / time_s(gpus); // one GPU synchronises nothing
}

/// The invented cluster before any measurement across GPUs: `small` is known on one GPU.
std::vector<PredictedRatio> predicted_on_planted(const std::vector<std::pair<int, double>>& speed_ups) {
  auto reference = ddlsim_test::planted_reference();
  const auto measured = ddlsim_test::planted_file(ddlsim_test::planted_records("small", {}));
  std::vector<Record> records;
  for (const auto& [gpus, speed_up] : speed_ups) {
    auto one = iris_speed_up(1, gpus, speed_up);
    one.head.gpu = "G";
    one.model = "small";
    one.preset = "pytorch-ddp";
    one.batch_per_gpu = 32;
    records.emplace_back(one);
  }
  return predict_ratios(reference, [](const std::string&) { return std::nullopt; }, {measured},
                        {file_with("planted", std::move(records))});
}

} // namespace

TEST_CASE("a speed-up is what predict says of the same two scales", "[ratios]") {
  const auto answer = predict_on_iris();
  const auto& points = answer.strategies.at(0).points;
  const auto ratios = predicted_on_iris({iris_speed_up(1, 64, 60), iris_speed_up(8, 64, 7)});
  REQUIRE(ratios.size() == 2);
  CHECK(ratios[0].refusal.empty());
  CHECK(ratios[0].as_shipped.times == Approx(64 * points.at(1).efficiency).epsilon(1e-12));
  CHECK(ratios[1].as_shipped.times == Approx(points.at(1).samples_per_s / points.at(0).samples_per_s).epsilon(1e-12));
  for (const auto& one : ratios) {
    CHECK(one.as_shipped.low < one.as_shipped.times);
    CHECK(one.as_shipped.times < one.as_shipped.high);
    CHECK(one.from_cluster_file.high / one.from_cluster_file.low > one.as_shipped.high / one.as_shipped.low);
  }
}

TEST_CASE("a planted cluster's speed-up is predicted exactly, and a doubled one is reported as twice off", "[ratios]") {
  std::vector<std::pair<int, double>> truth{{4, planted_speed_up(4)}, {32, planted_speed_up(32)}};
  for (const auto& one : predicted_on_planted(truth)) {
    REQUIRE(one.refusal.empty());
    CHECK(one.record.speed_up < one.record.gpus); // less than linear
    CHECK(ratio_error(one.from_cluster_file, one.record) < 1e-9);
    CHECK(one.from_cluster_file.times == one.as_shipped.times); // nothing was calibrated
    CHECK(holds(one.from_cluster_file, one.record));
  }
  for (auto& [gpus, speed_up] : truth) speed_up *= 2;
  for (const auto& one : predicted_on_planted(truth)) {
    CHECK(ratio_error(one.from_cluster_file, one.record) == Approx(std::log(2)).epsilon(1e-12));
    CHECK_FALSE(holds(one.from_cluster_file, one.record));
  }
}

TEST_CASE("a ratio that cannot be answered says why", "[ratios]") {
  auto unknown_model = iris_speed_up(1, 64, 60);
  unknown_model.model = "my-net";
  auto nodes_of_eight = iris_speed_up(1, 8, 7);
  nodes_of_eight.nodes = 1;
  const auto ratios = predicted_on_iris({unknown_model, nodes_of_eight});
  CHECK(ratios.at(0).refusal == "model my-net has no layer table");
  CHECK_FALSE(ratios.at(1).refusal.empty());
  const auto nowhere = predict_ratios(ddlsim_test::planted_reference(), [](const std::string&) { return std::nullopt; },
                                      {}, {file_with("nobody-knows", {iris_speed_up(1, 4, 3)})});
  CHECK(nowhere.at(0).refusal == "the cluster has no cluster.json");
  CHECK(ratios_report_text(nowhere).find("no answer") != std::string::npos);
}

TEST_CASE("ratios: a cluster weighs as much as another, and every answer is in the report", "[ratios]") {
  std::vector<PredictedRatio> ratios;
  for (int i = 0; i < 3; ++i) ratios.push_back({"a", iris_speed_up(1, 4, 2), {4, 3, 5}, {2, 1, 3}, ""});
  ratios.push_back({"b", iris_speed_up(1, 4, 4), {4, 3, 5}, {4, 3, 5}, ""});
  ratios.push_back({"b", iris_speed_up(1, 8, 4), {}, {}, "no room"});
  const auto json = nlohmann::json::parse(ratios_json(ratios));
  CHECK(json["mean"]["cluster_file"].get<double>() == Approx(std::log(2) / 2));
  CHECK(json["mean"]["held"].get<double>() == Approx(0.5));
  CHECK(json["mean"]["as_shipped"] == 0);
  CHECK(json["mean"]["linear"].get<double>() == Approx(std::log(2) / 2));
  CHECK(json["mean"]["ratios"] == 4);
  CHECK(json["ratios"].size() == 5);
  CHECK(json["ratios"][4]["refusal"] == "no room");
  const auto text = ratios_report_text(ratios);
  CHECK(text.find("mean of clusters") != std::string::npos);
  CHECK(text.find("no answer: no room") != std::string::npos);
  CHECK(ratios_report_text({}) == "no speed-up or efficiency of unknown base is recorded\n");
}

TEST_CASE("a name in a ratio moves no cursor", "[ratios]") {
  auto record = iris_speed_up(1, 4, 2);
  record.head.series = "\x1b[2Jgone";
  for (const char* refusal : {"", "\x1b]0;title"}) {
    const auto text = ratios_report_text({{"a", record, {4, 3, 5}, {2, 1, 3}, refusal}});
    CHECK(text.find('\x1b') == std::string::npos);
  }
}

} // namespace ddlsim
