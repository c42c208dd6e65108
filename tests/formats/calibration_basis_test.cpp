#include "sim/formats/calibration.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ddlsim;
using ddlsim_test::TemporaryFolder;

namespace {

CalibratedParameter parameter(const std::string& name, const std::string& transport, int points, int borrowed = 0) {
  CalibratedParameter one;
  one.name = name;
  one.scope.transport = transport;
  one.points = points;
  one.borrowed_points = borrowed;
  return one;
}

CalibratedSeries series(const std::string& id, const std::string& transport, bool borrowed = false) {
  CalibratedSeries one;
  one.id = id;
  one.scope.transport = transport;
  one.borrowed = borrowed;
  return one;
}

/// A cluster "here" that borrows steps from "iris", with a record each, and a calibration of both as they stand.
struct Calibrated {
  TemporaryFolder folder;
  DataFolder data{folder.path()};
  nlohmann::json here = ddlsim_test::sample_cluster();
  nlohmann::json iris = ddlsim_test::sample_cluster();
  Calibration calibration;

  Calibrated() {
    write_sample_data(folder);
    for (auto* cluster : {&here, &iris})
      for (const char* transport : {"nccl-tcp", "mpi-ib"})
        (*cluster)["transports"].push_back({{"name", transport}, {"nic", "ib-edr"}});
    here["name"] = "here";
    write();
    folder.write("platforms/here/measurements/runs.jsonl", "{}\n");
    calibration.cluster = "here";
    calibration.parameters = {parameter("compute_factor", "", 4),        parameter("forward_share", "", 8, 8),
                              parameter("intra_efficiency", "", 6, 2),   parameter("nic_efficiency", "nccl-ib", 4),
                              parameter("net_latency", "nccl-ib", 6, 2), parameter("socket_rate", "nccl-tcp", 3, 3),
                              parameter("sync_on", "mpi-ib", 5)};
    for (std::size_t i = 0; i < calibration.parameters.size(); ++i) {
      calibration.correlation.emplace_back();
      for (std::size_t j = 0; j < i; ++j)
        calibration.correlation.back().push_back(0.01 * static_cast<double>(10 * i + j));
    }
    calibration.form.draws = {{0, 1, 2, 3, 4, 5, 6}, {10, 11, 12, 13, 14, 15, 16}};
    calibration.algorithm_choices = {{{"nccl-ib", "", {}, "", 0}, false, {{"ring", 1}}}};
    calibration.series = {series("here/runs/a", "nccl-ib"), series("iris/all/b", "nccl-tcp", true)};
    for (const auto& name : fitted_clusters(load_cluster(data, "here"))) {
      calibration.machines[name] = fitted_machine(load_cluster(data, name));
      for (const auto& file : measurement_files(data.platforms(), name))
        calibration.files.push_back(records_checksum(name, file));
    }
  }

  void write() {
    folder.write("platforms/here/cluster.json", here.dump());
    folder.write("platforms/iris/cluster.json", iris.dump());
  }

  /// What is left of the calibration, by the names of its parameters, and what is told.
  std::string left;
  std::vector<std::string> told;
  void read() {
    write();
    Calibration read = calibration;
    told = forget_what_changed(read, load_cluster(data, "here"), data);
    left.clear();
    for (const auto& one : read.parameters) left += one.name + " ";
    for (const auto& one : read.series) left += one.id + " ";
    left += read.algorithm_choices.empty() ? "" : "choice";
    REQUIRE(read.correlation.size() == read.parameters.size());
    for (std::size_t i = 0; i < read.correlation.size(); ++i) REQUIRE(read.correlation[i].size() == i);
    for (const auto& draw : read.form.draws) REQUIRE(draw.size() == read.parameters.size());
    correlation = read.correlation;
    draws = read.form.draws;
  }
  std::vector<std::vector<double>> correlation;
  std::vector<std::vector<double>> draws;
};

const std::string all = "compute_factor forward_share intra_efficiency nic_efficiency net_latency socket_rate sync_on "
                        "here/runs/a iris/all/b choice";

} // namespace

TEST_CASE("a calibration stands while what it was fitted on stands") {
  Calibrated at;
  at.read();
  CHECK(at.left == all);
  CHECK(at.told.empty());
  // what exists, may grow, is called, or where a figure stands is no part of a fit, nor is how it is written
  at.here["title"] = "Another";
  at.here["available"]["nodes"] = 2;
  at.here["growth"]["max_nodes"] = 9000;
  at.here["node"]["cpu"] = "faster";
  at.here["sources"]["/node"] = "another page";
  at.here["node"]["nics"][0]["name"] = "renamed";
  for (auto& transport : at.here["transports"])
    if (!transport.value("nic", std::string()).empty()) transport["nic"] = "renamed";
  at.read();
  CHECK(at.left == all);
  CHECK(at.told.empty());
}

TEST_CASE("another GPU takes compute factors measured here with it") {
  Calibrated at;
  at.here["node"]["gpu"] = "K80";
  at.read();
  CHECK(at.left ==
        "forward_share intra_efficiency nic_efficiency net_latency socket_rate sync_on here/runs/a iris/all/b "
        "choice"); // the share of forward was borrowed
  REQUIRE(at.told.size() == 1);
  CHECK(
      at.told[0] ==
      "here was calibrated on another machine: the GPU of here was V100-SXM2-16GB, is K80. 1 of its 7 parameters and 0 "
      "of its 2 series do not hold for this one, and priors stand in for them; run `ddlsim calibrate --cluster here`");
  CHECK(at.draws == std::vector<std::vector<double>>{{1, 2, 3, 4, 5, 6}, {11, 12, 13, 14, 15, 16}});
  CHECK(at.correlation[1] == std::vector<double>{0.21}); // of what were the second and the third
}

TEST_CASE("another NIC or fabric takes what was learnt over it, other paths in a node what was learnt there") {
  Calibrated at;
  SECTION("the NIC of this cluster") {
    at.here["node"]["nics"][0]["bandwidth"] = "200 Gbps";
    at.read(); // all transports use it; what was borrowed alone stays
    CHECK(at.left == "compute_factor forward_share intra_efficiency socket_rate iris/all/b ");
  }
  SECTION("the fabric of the cluster that was borrowed from") {
    at.iris["fabric"] = {{"kind", "star"}, {"hop_latency", "1 us"}};
    at.read();
    CHECK(at.left == "compute_factor forward_share intra_efficiency nic_efficiency sync_on here/runs/a ");
  }
  SECTION("the paths in a node") {
    at.here["node"]["intra"]["bandwidth"] = "10 GB/s";
    at.read();
    CHECK(at.left == "compute_factor forward_share nic_efficiency net_latency socket_rate sync_on iris/all/b choice");
    CHECK_THAT(at.told.at(0), Catch::Contains("the inside of a node of here was "));
  }
  SECTION("a cluster that was borrowed from is gone") {
    at.here.erase("borrows");
    at.write();
    std::filesystem::remove_all(at.folder.path() / "platforms/iris");
    Calibration read = at.calibration;
    const auto told = forget_what_changed(read, load_cluster(at.data, "here"), at.data);
    CHECK(read.series.size() == 1);
    CHECK(told.size() == 2); // and its records
  }
}

TEST_CASE("a calibration taken over with a copy of the cluster's file holds for what is the same in the copy") {
  Calibrated at;
  at.here["name"] = "mine";
  at.here["node"]["gpu"] = "K80";
  at.folder.write("platforms/mine/cluster.json", at.here.dump());
  Calibration read = at.calibration; // of "here"
  const auto told = forget_what_changed(read, load_cluster(at.data, "mine"), at.data);
  REQUIRE(told.size() == 2); // the records of "here" are none of "mine"
  CHECK_THAT(told[0], Catch::StartsWith("mine was calibrated on another machine: the GPU of here was V100-SXM2-16GB"));
  CHECK(read.parameters.size() == at.calibration.parameters.size() - 1);
}

TEST_CASE("records that changed, came or went leave the calibration as it is, and are named") {
  Calibrated at;
  at.folder.write("platforms/here/measurements/runs.jsonl", "{ }\n");
  at.folder.write("platforms/here/measurements/new.jsonl", "");
  std::filesystem::remove(at.folder.path() / "platforms/iris/measurements/all.jsonl");
  at.read();
  CHECK(at.left == all);
  CHECK(at.told ==
        std::vector<std::string>{
            "the calibration of here is older than its records (here/new.jsonl, here/runs.jsonl, "
            "iris/all.jsonl changed, came or went), which count in one-GPU times alone; run `ddlsim calibrate "
            "--cluster here`"});
}

TEST_CASE("a calibration that does not say what it was fitted on is used, and told of") {
  Calibrated at;
  at.calibration.machines.clear();
  at.here["node"]["gpu"] = "K80";
  at.read();
  CHECK(at.left == all);
  REQUIRE(at.told.size() == 1);
  CHECK_THAT(at.told[0], Catch::Contains("does not say what it was fitted on") &&
                             Catch::EndsWith("run `ddlsim calibrate --cluster here`"));
}
