#include "sim/formats/calibration.hpp"
#include "sim/formats/cluster.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

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

/// What is left of a calibration of the sample cluster where another machine is asked about, and what is told.
struct Asked {
  nlohmann::json cluster = ddlsim_test::sample_cluster();
  Calibration calibration;
  std::string left;
  std::string message;

  Asked() {
    for (const char* transport : {"nccl-tcp", "mpi-ib"})
      cluster["transports"].push_back({{"name", transport}, {"nic", "ib-edr"}});
    fitted_ = cluster;
    calibration.parameters = {parameter("compute_factor", "", 4),        parameter("forward_share", "", 8, 8),
                              parameter("intra_efficiency", "", 6, 2),   parameter("nic_efficiency", "nccl-ib", 4),
                              parameter("net_latency", "nccl-ib", 6, 2), parameter("socket_rate", "nccl-tcp", 3, 3),
                              parameter("sync_on", "mpi-ib", 5)};
    for (std::size_t i = 0; i < calibration.parameters.size(); ++i) {
      calibration.correlation.emplace_back();
      for (std::size_t j = 0; j < i; ++j)
        calibration.correlation.back().push_back(0.01 * static_cast<double>(10 * i + j));
    }
    calibration.choices = {{{"nccl-ib", "", {}, "", 0}, false, "nccl 2.8"}};
    calibration.series = {series("here/runs/a", "nccl-ib"), series("iris/all/b", "nccl-tcp", true)};
  }

  void ask() {
    const auto read = [&](const nlohmann::json& json) {
      return read_cluster(folder_.write("cluster.json", json.dump()));
    };
    message = forget_other_machine(calibration, read(fitted_), read(cluster));
    left.clear();
    for (const auto& one : calibration.parameters) left += one.name + " ";
    for (const auto& one : calibration.series) left += one.id + " ";
    left += calibration.choices.empty() ? "" : "choice";
    REQUIRE(calibration.correlation.size() == calibration.parameters.size());
    for (std::size_t i = 0; i < calibration.correlation.size(); ++i) REQUIRE(calibration.correlation[i].size() == i);
  }

private:
  TemporaryFolder folder_;
  nlohmann::json fitted_;
};

} // namespace

TEST_CASE("a calibration holds for the machine that it was fitted on") {
  Asked at;
  // what exists, may grow, is called, or where a figure stands is no part of a fit, nor is how it is written
  at.cluster["title"] = "Another";
  at.cluster["available"]["nodes"] = 2;
  at.cluster["growth"]["max_nodes"] = 9000;
  at.cluster["node"]["cpu"] = "faster";
  at.cluster["sources"]["/node"] = "another page";
  at.cluster["node"]["nics"][0]["name"] = "renamed";
  for (auto& transport : at.cluster["transports"])
    if (!transport.value("nic", std::string()).empty()) transport["nic"] = "renamed";
  at.ask();
  CHECK(at.left == "compute_factor forward_share intra_efficiency nic_efficiency net_latency socket_rate sync_on "
                   "here/runs/a iris/all/b choice");
  CHECK(at.message.empty());
}

TEST_CASE("another GPU takes compute factors measured here with it") {
  Asked at;
  at.cluster["node"]["gpu"] = "K80";
  at.ask();
  CHECK(at.left ==
        "forward_share intra_efficiency nic_efficiency net_latency socket_rate sync_on here/runs/a iris/all/b "
        "choice"); // the share of forward was borrowed
  CHECK(at.message == "iris was calibrated on another machine: the GPU of iris was V100-SXM2-16GB, is K80. 1 of its 7 "
                      "parameters and 0 of its 2 series do not hold for this one, and priors stand in for them");
  CHECK(at.calibration.correlation[1] == std::vector<double>{0.21}); // of what were the second and the third
}

TEST_CASE("another NIC takes what was learnt over it, other paths in a node what was learnt there") {
  Asked at;
  SECTION("the NIC") {
    at.cluster["node"]["nics"][0]["bandwidth"] = "200 Gbps";
    at.ask(); // all transports use it; what was borrowed alone stays
    CHECK(at.left == "compute_factor forward_share intra_efficiency socket_rate iris/all/b ");
  }
  SECTION("the paths in a node") {
    at.cluster["node"]["intra"]["bandwidth"] = "10 GB/s";
    at.ask();
    CHECK(at.left == "compute_factor forward_share nic_efficiency net_latency socket_rate sync_on iris/all/b choice");
    CHECK_THAT(at.message, Catch::Contains("the inside of a node of iris was "));
  }
}
