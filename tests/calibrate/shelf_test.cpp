#include "calibrate/shelf.hpp"
#include "sim/files/error.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;

namespace {

Strategy named(const std::string& name) {
  Strategy strategy;
  strategy.name = name;
  return strategy;
}

const Strategy all_reduce = named("ring");
const Strategy servers = named("ps");

} // namespace

TEST_CASE("the shelf has everything that is shipped") {
  const DataFolder data{DDLSIM_SOURCE_DIR};
  const auto shelf = read_shelf(data);
  CHECK(shelf.models.size() == list_models(data).size());
  CHECK(shelf.clusters.size() == list_clusters(data).size());
  CHECK(shelf.models.at("resnet50_v1.5").name == "resnet50_v1.5");
  CHECK_FALSE(shelf.priors.empty());
}

TEST_CASE("a stack without a preset of its own borrows one") {
  const auto shelf = read_shelf({DDLSIM_SOURCE_DIR});
  CHECK(preset_of(shelf, "horovod", all_reduce).name == "horovod");
  CHECK(preset_of(shelf, "my-stack", all_reduce).name == "pytorch-ddp");
  CHECK(preset_of(shelf, "my-stack", servers).name == "byteps");
  CHECK(preset_of(shelf, "my-stack", named("ps(1 a node dedicated, hash)")).name == "byteps"); // a series' words for it
}

TEST_CASE("a transport is the record's, else the first of the preset's that is there, else the cluster's first") {
  Cluster cluster;
  cluster.transports = {{"shm", ""}, {"grpc", "nic"}, {"mpi-tcp", "nic"}};
  Preset preset;
  preset.transports = {"mpi-ib", "mpi-tcp", "grpc"};
  CHECK(transport_of(cluster, preset, "grpc").name == "grpc");
  CHECK(transport_of(cluster, preset, "unknown").name == "mpi-tcp");
  CHECK(transport_of(cluster, preset, "nccl-ib").name == "mpi-tcp"); // which the cluster does not have
  preset.transports = {"nccl-ib"};
  CHECK(transport_of(cluster, preset, "").name == "shm");
  CHECK(transport_of({}, preset, "").name == "shm");
}
