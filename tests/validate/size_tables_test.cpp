#include "calibrate/data/transfer_series.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/predict/posterior.hpp"
#include "validate/collectives/size_tables.hpp"
#include "validate/methods/simulator.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

namespace ddlsim {
namespace {

constexpr const char* planted_on = "dgx1-v100";

const ReferenceData& shipped_reference() {
  static const ReferenceData reference = read_reference_data(DataFolder{DDLSIM_SOURCE_DIR});
  return reference;
}

/// 16 ranks on two nodes, 4 KiB to 512 MiB, every size twice the one before.
MeasurementFile table_of(const std::string& algorithm) {
  MeasurementFile file;
  file.file = "planted.jsonl";
  file.context.cluster = planted_on;
  int line = 1;
  for (double size_bytes = 4096; size_bytes <= 512 << 20; size_bytes *= 2) {
    CollectiveRecord one;
    one.head.line = ++line;
    one.head.series = "planted";
    one.head.transport = "nccl-ib";
    one.head.library = "nccl";
    one.operation = "all_reduce";
    one.algorithm = algorithm;
    one.ranks = 16;
    one.nodes = 2;
    one.size_bytes = size_bytes;
    one.time_s = size_bytes * 1e-9; // stands for the planted time until that is known
    file.records.emplace_back(one);
  }
  return file;
}

/// The same table as a network of `nic_share` of the usual rate would give it.
MeasurementFile planted(const std::string& algorithm, double nic_share) {
  const auto reference = without_site(shipped_reference(), planted_on);
  auto file = table_of(algorithm);
  const auto& cluster = reference.clusters.at(planted_on);
  const auto table = collective_series(reference, priors_for(reference.priors), cluster, {file}, 1).front();
  const PosteriorQuestion question{table.compute_prior, table.setup.preset, false, table.scope, table.priors};
  auto sample = find_posterior(priors_on(cluster, priors_for(reference.priors)), nullptr, question, 1, 1).mode;
  sample.nic_efficiency *= nic_share;
  for (std::size_t i = 0; i < file.records.size(); ++i)
    std::get<CollectiveRecord>(file.records[i]).time_s = model_time_s(table, table.points[i], sample);
  return file;
}

std::vector<PredictedCollective> predicted(const MeasurementFile& file) {
  return predict_collectives(shipped_reference(), {file});
}

double error(double predicted_s, double measured_s) {
  return std::abs(predicted_s / measured_s - 1);
}

} // namespace

TEST_CASE("all-reduces size by size: two sizes of a slower network teach its rate", "[collectives]") {
  // A size is as noisy as transfer_noise says: of two, a seventh of ln 0.6 stays the prior's.
  constexpr double prior_keeps = 0.08;
  for (const char* algorithm : {"unknown", "ring"}) {
    INFO(algorithm);
    int large = 0;
    for (const auto& point : predicted(planted(algorithm, 0.6))) {
      if (point.size_bytes < 16 << 20) continue;
      ++large;
      INFO(point.size_bytes << " B");
      CHECK(error(point.from_cluster_file_s, point.measured_s) > 0.2);
      CHECK(error(point.from_two_sizes_s, point.measured_s) < prior_keeps);
    }
    CHECK(large == 5); // 256 MiB is shown
  }
}

TEST_CASE("all-reduces size by size: the two sizes shown are not scored, nor are tables of two", "[collectives]") {
  auto file = table_of("unknown");
  const auto points = predicted(file);
  CHECK(points.size() == file.records.size() - 2);
  for (const auto& point : points) {
    CHECK(point.size_bytes != 256 << 20);
    CHECK(point.size_bytes != 1 << 20);
    CHECK(point.line_s == Approx(point.measured_s)); // the table is a line through zero
  }
  file.records.resize(2);
  CHECK(predicted(file).empty());
  file.context.cluster = "nobody-knows";
  CHECK(predicted(file).empty());
}

TEST_CASE("all-reduces size by size: a table's own version of the library decides", "[collectives]") {
  const auto said = [](const std::string& software) {
    auto file = table_of("unknown");
    file.context.software = software;
    std::vector<double> times_s;
    for (const auto& point : predicted(file)) times_s.push_back(point.from_cluster_file_s);
    return times_s;
  };
  const auto unstated = said("nccl-tests");
  CHECK(said("NCCL 2.21.5, nccl-tests") == unstated); // the preset's
  CHECK(said("NCCL 2.3.7, nccl-tests") != unstated);  // rings only, LL by size
}

TEST_CASE("all-reduces size by size: classes hold every size, and a table weighs as much as another", "[collectives]") {
  std::vector<PredictedCollective> points;
  for (int i = 0; i < 3; ++i) points.push_back({"one", "one/a", "nccl-ib", 8, 1, 4096, 1, 1.4, 1.1, 1});
  points.push_back({"two", "two/b", "nccl-ib", 8, 1, 8192, 1, 1, 1.3, 1});
  points.push_back({"two", "two/c", "mpi-tcp", 8, 2, 1e9, 1, 3, 1, 1});
  const auto json = nlohmann::json::parse(collectives_json(points));
  int sizes = 0;
  for (const auto& one : json["by_size"]) sizes += one["sizes"].get<int>();
  CHECK(sizes == 5);
  const auto& smallest = json["by_size"][0];
  CHECK(smallest["tables"] == 2);
  CHECK(smallest["cluster_file"].get<double>() == Approx(0.2));
  CHECK(smallest["two_sizes"].get<double>() == Approx(0.2));
  CHECK(json["points"].size() == 5);
  const auto& over_nccl =
      json["all_sizes"][0]; // tables 0.4 and 0 off: each resample is their mean, or one of them alone
  CHECK(over_nccl["cluster_file"].get<double>() == Approx(0.2));
  CHECK(over_nccl["cluster_file_low"].get<double>() == Approx(0).margin(1e-12));
  CHECK(over_nccl["cluster_file_high"].get<double>() == Approx(0.4));
  CHECK(json["all_sizes"][1]["two_sizes_high"].get<double>() == 0);
  CHECK(collectives_report_text(points).find("over MPI, Gloo") != std::string::npos);
  CHECK(collectives_report_text(points).find("all sizes: cluster file 0.0..40.0, two sizes") != std::string::npos);
  CHECK(collectives_report_text({}).find("no table") == 0);
}

} // namespace ddlsim
