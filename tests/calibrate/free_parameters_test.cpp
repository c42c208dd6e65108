#include "calibrate/fit/free_parameters.hpp"
#include "sim/formats/parameters.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

std::size_t field(const std::string& name) {
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (fields[k].name == name) return k;
  throw std::out_of_range(name);
}

int free_parameter_of(const FreeParameters& free_parameters, std::size_t series, const std::string& name) {
  return free_parameters.of_series[series][field(name)];
}

/// Series whose one-GPU time is carried over from another batch: what was measured itself has no factor.
std::vector<SeriesData> of_other_batches(const ReferenceData& reference, const std::vector<std::string>& models) {
  auto series = planted_data(reference, models);
  for (auto& one : series) one.compute_prior = "compute_estimated";
  return series;
}

} // namespace

TEST_CASE("series share what their scopes share") {
  const auto reference = planted_reference();
  auto series = of_other_batches(reference, {"small", "middle"});
  const auto free_parameters = find_free_parameters(series);
  REQUIRE(free_parameters.of_series.size() == 2);
  for (const std::string name : {"nic_efficiency", "sync_share", "intra_efficiency", "second_node_jump"})
    CHECK(free_parameter_of(free_parameters, 0, name) == free_parameter_of(free_parameters, 1, name));
  CHECK(free_parameter_of(free_parameters, 0, "compute_factor") !=
        free_parameter_of(free_parameters, 1, "compute_factor"));
  CHECK(free_parameter_of(free_parameters, 0, "model_discrepancy") == -1);
  CHECK(free_parameter_of(free_parameters, 0, "server_process_rate") == -1); // no series has servers
  const auto fields = parameter_fields();
  const auto fitted =
      std::count_if(fields.begin(), fields.end(), [](const auto& one) { return one.use == ParameterUse::fitted; });
  // none for the residual, the two of servers, and the stack and model of a batch's own factor; two for that
  CHECK(free_parameters.all.size() == static_cast<std::size_t>(fitted - 5 + 1));
  for (auto& one : series) one.compute_prior = "compute_measured";
  CHECK(free_parameter_of(find_free_parameters(series), 0, "compute_factor") == -1);
}

TEST_CASE("another transport has a network of its own") {
  const auto reference = planted_reference();
  auto series = planted_data(reference, {"small", "small"});
  series[1].scope.transport = "mpi-ib";
  const auto free_parameters = find_free_parameters(series);
  CHECK(free_parameter_of(free_parameters, 0, "nic_efficiency") !=
        free_parameter_of(free_parameters, 1, "nic_efficiency"));
  CHECK(free_parameter_of(free_parameters, 0, "sync_share") != free_parameter_of(free_parameters, 1, "sync_share"));
  CHECK(free_parameter_of(free_parameters, 0, "second_node_jump") ==
        free_parameter_of(free_parameters, 1, "second_node_jump"));
  CHECK(free_parameter_of(free_parameters, 0, "compute_factor") ==
        free_parameter_of(free_parameters, 1, "compute_factor"));
}

TEST_CASE("stacks that run the same servers share what servers cost, and nothing else of a stack") {
  auto reference = planted_reference();
  auto series = planted_data(reference, {"small", "small"});
  for (auto& one : series) one.setup.strategy.name = StrategyName::ps;
  series[1].scope.preset = "bytes-wfbp";
  const auto shared = [&](const char* name) {
    const auto free_parameters = find_free_parameters(series);
    return free_parameter_of(free_parameters, 0, name) == free_parameter_of(free_parameters, 1, name);
  };
  CHECK_FALSE(shared("server_connection_rate"));
  for (auto& preset : reference.presets) preset.servers_as = "their-servers"; // the series point to them
  for (const char* name : {"server_process_rate", "server_connection_rate"}) CHECK(shared(name));
  CHECK_FALSE(shared("sync_share"));
  CHECK_FALSE(shared("step_spread"));
  const auto free_parameters = find_free_parameters(series);
  const auto connection = static_cast<std::size_t>(free_parameter_of(free_parameters, 1, "server_connection_rate"));
  CHECK(free_parameters.all[connection].scope.preset == "their-servers");
}

TEST_CASE("a compute factor goes with one one-GPU time") {
  const auto reference = planted_reference();
  auto series = of_other_batches(reference, {"small", "small"});
  series[1].scope.preset = "horovod";
  CHECK(free_parameter_of(find_free_parameters(series), 0, "compute_factor") ==
        free_parameter_of(find_free_parameters(series), 1, "compute_factor"));
  series[1].scope.one_gpu_s *= 1.1;
  const auto free_parameters = find_free_parameters(series);
  const int second = free_parameter_of(free_parameters, 1, "compute_factor");
  CHECK(free_parameter_of(free_parameters, 0, "compute_factor") != second);
  CHECK(free_parameters.all[static_cast<std::size_t>(second)].scope.one_gpu_s == series[1].scope.one_gpu_s);
}

TEST_CASE("a sample is the priors' medians at 0, and each z-score moves its own parameter") {
  const auto reference = planted_reference();
  const auto series = planted_data(reference, {"small"});
  const auto free_parameters = find_free_parameters(series);
  std::vector<double> at(free_parameters.all.size(), 0);
  const auto median = sample_at(free_parameters, series[0], 0, at);
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k)
    CHECK(median.*fields[k].value == Approx(series[0].priors[k].median).epsilon(1e-12));
  const int sync_on = free_parameter_of(free_parameters, 0, "sync_share");
  at[static_cast<std::size_t>(sync_on)] = 1;
  const auto moved = sample_at(free_parameters, series[0], 0, at);
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const double factor = k == field("sync_share") ? std::exp(series[0].priors[k].width) : 1;
    CHECK(moved.*fields[k].value == Approx(factor * median.*fields[k].value).epsilon(1e-12));
  }
}

using namespace ddlsim;

namespace {

const CalibrationScope full{"nccl-ib", "horovod", Precision::fp32, "resnet50_v1.5", 64, 0.2, "compute_estimated"};

} // namespace

TEST_CASE("what software costs is the stack's, what the network does the transport's") {
  CHECK(scope_of(parameter_field("nic_efficiency"), full) == CalibrationScope{"nccl-ib", "", {}, "", 0});
  CHECK(scope_of(parameter_field("net_latency"), full) == CalibrationScope{"nccl-ib", "", {}, "", 0});
  CHECK(scope_of(parameter_field("sync_share"), full) == CalibrationScope{"nccl-ib", "horovod", {}, "", 0});
  CHECK(scope_of(parameter_field("server_process_rate"), full) == CalibrationScope{"nccl-ib", "horovod", {}, "", 0});
  CHECK(scope_of(parameter_field("second_node_jump"), full) == CalibrationScope{"", "horovod", Precision::fp32, "", 0});
}

TEST_CASE("compute is the model's at its precision and batch, the node's paths are everybody's") {
  CHECK(scope_of(parameter_field("compute_factor"), full) ==
        CalibrationScope{"", "", Precision::fp32, "resnet50_v1.5", 64, 0.2, "compute_estimated"});
  CHECK(scope_of(parameter_field("intra_efficiency"), full) == CalibrationScope{});
  CHECK(scope_of(parameter_field("forward_share"), full) == CalibrationScope{});
}

TEST_CASE("every parameter's scope covers what it was taken from") {
  for (const auto& field : parameter_fields()) {
    INFO(field.name);
    CHECK(covers(scope_of(field, full), full));
  }
}
