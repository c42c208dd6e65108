#include "sim/compute/other_clusters.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <filesystem>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// One-GPU training steps of a cluster, of which every line is read.
std::vector<StepRecord> all_of(const DataFolder& data, const std::string& cluster) {
  std::vector<StepRecord> found;
  for (const auto& step : records_of<StepRecord>(read_cluster_measurements(data.platforms_of(cluster), cluster)))
    if (is_one_gpu_training(step)) found.push_back(step);
  return found;
}

/// A line of a step whose GPUs are written like that.
std::string step_on(const std::string& gpus, const std::string& note) {
  return fmt::format(
             R"({{"record":"step","series":"s","transport":"unknown","library":"unknown","statistic":"mean","origin":"run",)"
             R"("note":"{}","model":"resnet50_v1.5","precision":"fp32","wire_precision":"fp32",)"
             R"("batch_per_gpu":8,"preset":"unknown","strategy":{{"name":"none"}},"algorithm":"unknown",)"
             R"({},"nodes":1,"gpus_per_node":1,"synchronised":false,"data":"synthetic","mode":"train",)"
             R"("value":10,"unit":"samples/s"}})",
             note, gpus) +
         "\n";
}

} // namespace

TEST_CASE("one-GPU times of all clusters: lines that are passed over hold none", "[other-clusters]") {
  const DataFolder shipped{DDLSIM_SOURCE_DIR};
  const auto measured = read_measured_times(shipped);
  std::size_t count = 0;
  for (const auto& [name, records] : measured.of_clusters) {
    INFO(name);
    const auto all = all_of(shipped, name);
    REQUIRE(records.size() == all.size());
    count += records.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(records[i].head.line == all[i].head.line);
      CHECK(records[i].iteration_s == all[i].iteration_s);
    }
  }
  CHECK(count > 100);
}

TEST_CASE("sharded runs of all clusters: none is passed over", "[other-clusters]") {
  const DataFolder shipped{DDLSIM_SOURCE_DIR};
  const auto measured = read_measured_times(shipped);
  std::size_t count = 0;
  for (const auto& [name, one_gpu] : measured.of_clusters) {
    std::vector<int> lines;
    for (const auto& step : records_of<StepRecord>(read_cluster_measurements(shipped.platforms_of(name), name)))
      if (can_be_read_back(step)) lines.push_back(step.head.line);
    const auto found = measured.spread_on.find(name);
    INFO(name);
    REQUIRE((found == measured.spread_on.end() ? 0 : found->second.size()) == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) CHECK(found->second[i].head.line == lines[i]);
    count += lines.size();
  }
  CHECK(count > 30);
}

TEST_CASE("one-GPU times of all clusters: however a line is written", "[other-clusters]") {
  const ddlsim_test::TemporaryFolder folder;
  const fs::path measurements = folder.path() / "platforms" / "iris" / "measurements";
  fs::create_directories(measurements);
  fs::create_directories(folder.path() / "scenarios");
  fs::copy(fs::path(DDLSIM_SOURCE_DIR) / "platforms" / "gpus.json", folder.path() / "platforms");
  fs::copy(fs::path(DDLSIM_SOURCE_DIR) / "platforms" / "iris" / "cluster.json", measurements.parent_path());
  fs::copy(fs::path(DDLSIM_SOURCE_DIR) / "scenarios" / "models", folder.path() / "scenarios" / "models");
  std::string text = R"({"record":"context","version":1,"cluster":"iris","gpu":"V100-SXM2-16GB","machine":"m",)"
                     R"("software":"s","date":"2023","who":"w","source":{"title":"t"},"emulated":false})"
                     "\n";
  for (const char* gpus : {R"("gpus":1)", R"("gpus" : 1)", R"("gp\u0075s":1)"}) text += step_on(gpus, "plain");
  for (const char* note : {"gpus", "step", "\\\"gpus\\\":2"}) text += step_on(R"("gpus":1)", note);
  folder.write("platforms/iris/measurements/steps.jsonl", text);
  const auto measured = read_measured_times(DataFolder{folder.path()});
  CHECK(measured.of_clusters.at("iris").size() == 6);
}

} // namespace ddlsim
