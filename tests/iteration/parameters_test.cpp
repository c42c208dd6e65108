#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/parameters.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {

namespace {

const DataFolder shipped_priors{DDLSIM_SOURCE_DIR};

} // namespace

TEST_CASE("every parameter has a prior for every preset and transport, also with any cluster left out",
          "[parameters]") {
  const auto book = load_priors(shipped_priors);
  const auto presets = load_presets(shipped_priors);
  for (const auto& cluster : list_clusters(shipped_priors)) {
    const auto site = load_cluster(shipped_priors, cluster).site;
    const auto kept = priors_for(book, site);
    for (const auto& prior : kept) CHECK(std::count(prior.shaped_by.begin(), prior.shaped_by.end(), site) == 0);
    for (const auto& preset : presets)
      for (const auto& transport : {"nccl-ib", "nccl-tcp", "mpi-ib", "mpi-tcp", "gloo-tcp", "grpc", "shm"})
        CHECK_NOTHROW(median_parameters(priors_of_stack(kept, "compute_measured", transport, preset)));
  }
}

TEST_CASE("a parameter's row has the unit of its priors, and says what to run", "[parameters]") {
  for (const auto& field : parameter_fields()) {
    INFO(field.name);
    CHECK(std::string(field.measured_by).size() > 10);
    for (const auto& prior : load_priors(shipped_priors).expected) {
      if (prior.parameter == field.name) CHECK(prior.unit == field.unit);
    }
  }
  CHECK(parameter_field("net_latency").value == &Parameters::net_latency_s);
  CHECK_THROWS_AS(parameter_field("no_such"), std::out_of_range);
}

TEST_CASE("what the site under test says is left out of priors", "[parameters][leakage]") {
  const auto book = load_priors(shipped_priors);
  const auto with = median_parameters(priors_of_fields(priors_for(book), "compute_measured", "nccl-tcp", "byteps"));
  const auto without =
      median_parameters(priors_of_fields(priors_for(book, "hkbu"), "compute_measured", "nccl-tcp", "byteps"));
  CHECK(with.server_duplex != without.server_duplex);
  CHECK(with.server_connection_Bps != without.server_connection_Bps);
}

TEST_CASE("what servers cost has the prior of the preset whose servers a stack runs") {
  const auto priors = priors_for(load_priors({DDLSIM_SOURCE_DIR}));
  const auto of = [&](const char* name) {
    return median_parameters(
        priors_of_stack(priors, "compute_measured", "nccl-tcp", find_preset(load_presets({DDLSIM_SOURCE_DIR}), name)));
  };
  CHECK(of("byteps-wfbp").server_connection_Bps == of("byteps").server_connection_Bps);
  CHECK(of("byteps-bsp").server_duplex == of("byteps").server_duplex);
  CHECK(of("byteps-rdma").server_connection_Bps > of("byteps").server_connection_Bps);
}

TEST_CASE("a prior of a NIC's path holds where the transport's NIC has it, and goes first", "[parameters]") {
  Cluster cluster;
  cluster.nics = {{"ib", 7e9, 1}, {"ethernet", 1.25e9, 1, NicPath::virtual_switch}};
  cluster.transports = {{"nccl-tcp", "ethernet"}, {"mpi-ib", "ib"}, {"shm", ""}};
  const auto priors = priors_for(load_priors(shipped_priors));
  const auto on = [&](const Cluster& where) {
    return median_parameters(priors_of_fields(priors_on(where, priors), "compute_measured", "nccl-tcp", "horovod"))
        .nic_efficiency;
  };
  CHECK(on(cluster) < 0.6); // a hypervisor's switch takes its part
  cluster.nics[1].path.reset();
  CHECK(on(cluster) > 0.8);
  CHECK(priors_on(cluster, priors).size() < priors.size());
}

TEST_CASE("a share of a NIC's rate is as much more doubtful as the rate, where that is assumed, and may be above it",
          "[parameters]") {
  Cluster cluster;
  cluster.nics = {{"ib", 7e9, 1}, {"ethernet", 1.25e9, 1}};
  cluster.transports = {{"nccl-tcp", "ethernet"}, {"mpi-ib", "ib"}, {"shm", ""}};
  const auto priors = priors_for(load_priors(shipped_priors));
  const auto find = [&](const char* transport, const std::string& parameter) {
    const auto of_fields = priors_of_fields(priors_on(cluster, priors), "compute_measured", transport, "horovod");
    return *std::find_if(of_fields.begin(), of_fields.end(),
                         [&](const Prior& one) { return one.parameter == parameter; });
  };
  const auto width = [&](const char* transport, const std::string& parameter) {
    return find(transport, parameter).width;
  };
  CHECK(prior_value(find("nccl-tcp", "nic_efficiency"), 3) == 1);
  const double stated = width("nccl-tcp", "nic_efficiency");
  const double sockets = width("nccl-tcp", "socket_rate");
  const double over_ib = width("mpi-ib", "nic_efficiency");
  cluster.nics[1].bandwidth_assumed = true;
  const double neighbour = std::log(10.0) / 5; // 10 to 100 Gbit/s in five steps
  CHECK(width("nccl-tcp", "nic_efficiency") == Approx(std::hypot(stated, neighbour)).epsilon(0.01));
  CHECK(prior_value(find("nccl-tcp", "nic_efficiency"), 3) > 1.5);
  CHECK(width("nccl-tcp", "socket_rate") == sockets);
  CHECK(width("mpi-ib", "nic_efficiency") == over_ib);
}

TEST_CASE("a Latin hypercube holds each stratum once, and the same seed gives the same samples", "[parameters]") {
  const auto priors = priors_for(load_priors(shipped_priors));
  const int count = 50;
  const auto draws = draw_parameters(priors_of_fields(priors, "compute_measured", "nccl-ib", "pytorch-ddp"), count, 3);
  const auto again = draw_parameters(priors_of_fields(priors, "compute_measured", "nccl-ib", "pytorch-ddp"), count, 3);
  const auto other = draw_parameters(priors_of_fields(priors, "compute_measured", "nccl-ib", "pytorch-ddp"), count, 4);
  CHECK(draws.values[0].key_order != draws.values[1].key_order);
  CHECK(draws.values[0].key_order == again.values[0].key_order);
  CHECK(draws.z_scores == again.z_scores);
  CHECK(draws.z_scores != other.z_scores);
  for (std::size_t k = 0; k < parameter_fields().size(); ++k) {
    std::vector<int> seen(count, 0);
    if (parameter_fields()[k].use == ParameterUse::constant) {
      for (const auto& sample : draws.z_scores) CHECK(sample[k] == 0);
      continue;
    }
    for (const auto& sample : draws.z_scores) ++seen[static_cast<std::size_t>(normal_cdf(sample[k]) * count)];
    CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  }
}

TEST_CASE("prior values: log-normal and normal cut at nothing", "[parameters]") {
  Prior prior;
  prior.median = 2;
  prior.width = 0.5;
  CHECK(prior_value(prior, 0) == 2);
  CHECK(prior_value(prior, 2) == Approx(2 * 2.718281828459045));
  prior.highest = 2.5;
  CHECK(prior_value(prior, 2) == 2.5);
  CHECK(prior_value(prior, -2) == Approx(2 / 2.718281828459045));
  prior.highest.reset();
  prior.scale = PriorScale::linear;
  CHECK(prior_value(prior, 1) == 2.5);
  CHECK(prior_value(prior, -10) == 0);
}

TEST_CASE("a parameter without a prior is a clear error", "[parameters]") {
  CHECK_THROWS_AS(median_parameters(priors_of_fields({}, "compute_measured", "nccl-ib", "pytorch-ddp")), UserError);
}

} // namespace ddlsim
