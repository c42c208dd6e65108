// A prediction from a calibration whose cluster or records changed since.

#include "sim/formats/calibration.hpp"
#include "sim/formats/record.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/report.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

const DataFolder of_stale_calibrations{DDLSIM_SOURCE_DIR};
const std::string name = "azure-nc24rs-v2-p100";

/// The shipped files with one cluster, its records and its calibration, as `ddlsim calibrate` would have just left
/// them.
struct JustCalibrated {
  ddlsim_test::TemporaryFolder folder;
  DataFolder data{folder.path()};
  nlohmann::json cluster =
      nlohmann::json::parse(ddlsim_test::text_of(of_stale_calibrations.platforms() / name / "cluster.json"));
  Calibration calibration = *load_calibration(of_stale_calibrations, name);

  JustCalibrated() {
    fs::create_directories(data.platforms() / name);
    fs::create_directory_symlink(of_stale_calibrations.scenarios(), data.scenarios());
    for (const char* file : {"gpus.json", "priors.json"})
      fs::create_symlink(of_stale_calibrations.platforms() / file, data.platforms() / file);
    fs::copy(of_stale_calibrations.platforms() / name / "measurements", data.platforms() / name / "measurements");
    cluster.erase("borrows");
    write_cluster();
    calibration.machines = {{name, fitted_machine(load_cluster(data, name))}};
    calibration.files.clear();
    for (const auto& file : measurement_files(data.platforms(), name))
      calibration.files.push_back(records_checksum(name, file));
    write_calibration();
  }
  void write_cluster() const { folder.write("platforms/" + name + "/cluster.json", cluster.dump()); }
  void write_calibration() const {
    folder.write("platforms/" + name + "/calibration.json", calibration_json(calibration));
  }

  Prediction answer() const {
    auto scenario = read_scenario(of_stale_calibrations.scenarios() / "iris-resnet50.json");
    scenario.cluster = name;
    scenario.preset = "horovod";
    scenario.transport = "nccl-tcp";
    scenario.model = "resnet50_v1.5";
    scenario.batch_per_gpu = 64;
    scenario.gpus = {16};
    scenario.strategies.resize(1);
    scenario.one_gpu = StatedRate{240, 0, 0};
    return predict(scenario, data, {Fidelity::closed_form, {}});
  }
};

double width_of(const Prediction& prediction) {
  const auto& point = prediction.strategies.at(0).points.at(0);
  return point.iteration_s_high / point.iteration_s_low;
}

} // namespace

TEST_CASE("a calibration of these very files answers without a warning", "[stale]") {
  const JustCalibrated at;
  const auto prediction = at.answer();
  CHECK(prediction.warnings.empty());
  CHECK_FALSE(nlohmann::json::parse(to_json_text(prediction)).contains("warnings"));
}

TEST_CASE("with another NIC the priors answer for its transport, and text and JSON say so", "[stale]") {
  JustCalibrated at;
  const auto fitted = at.answer();
  for (auto& nic : at.cluster["node"]["nics"]) {
    nic["count"] = 2;
    nic.erase("bandwidth_assumed"); // would be told, too, where the calibration says nothing of it
  }
  at.write_cluster();
  const auto stale = at.answer();
  REQUIRE(stale.warnings.size() == 1);
  CHECK_THAT(stale.warnings[0], Catch::Contains("was calibrated on another machine: the network of") &&
                                    Catch::Contains("run `ddlsim calibrate --cluster " + name + "`"));
  CHECK(nlohmann::json::parse(to_json_text(stale))["warnings"].size() == 1);
  CHECK_THAT(to_terminal_text(stale), Catch::Contains("\nNote: " + name + " was calibrated on another machine"));
  CHECK(width_of(stale) > 1.2 * width_of(fitted));
  CHECK(stale.strategies[0].points[0].evidence == EvidenceLabel::assumed);
  // what is left is what is known without any calibration of that network
  fs::remove(at.data.platforms() / name / "calibration.json");
  CHECK(width_of(stale) >= 0.8 * width_of(at.answer()));
}

TEST_CASE("records that changed since are told, and the calibration still answers", "[stale]") {
  const JustCalibrated at;
  const auto fitted = at.answer();
  const auto file = measurement_files(at.data.platforms(), name).front();
  at.folder.write("platforms/" + name + "/measurements/" + file.filename().string(), ddlsim_test::text_of(file) + "\n");
  const auto older = at.answer();
  REQUIRE(older.warnings.size() == 1);
  CHECK_THAT(older.warnings[0], Catch::Contains("older than its records") && Catch::Contains(file.filename().string()));
  CHECK(older.strategies[0].points[0].iteration_s == fitted.strategies[0].points[0].iteration_s);
}

} // namespace ddlsim
