#include "calibrate/scope.hpp"
#include "sim/model/parameters.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;

namespace {

const CalibrationScope full{"nccl-ib", "horovod", "fp32", "resnet50_v1.5", 64};

} // namespace

TEST_CASE("what software costs is the stack's, what the network does the transport's") {
  CHECK(scope_of("nic_efficiency", full) == CalibrationScope{"nccl-ib", "", "", "", 0});
  CHECK(scope_of("net_latency", full) == CalibrationScope{"nccl-ib", "", "", "", 0});
  CHECK(scope_of("sync_on", full) == CalibrationScope{"nccl-ib", "horovod", "", "", 0});
  CHECK(scope_of("server_process_rate", full) == CalibrationScope{"nccl-ib", "horovod", "", "", 0});
  CHECK(scope_of("second_node_jump", full) == CalibrationScope{"", "horovod", "fp32", "", 0});
}

TEST_CASE("compute is the model's at its precision and batch, the node's paths are everybody's") {
  CHECK(scope_of("compute_factor", full) == CalibrationScope{"", "", "fp32", "resnet50_v1.5", 64});
  CHECK(scope_of("intra_efficiency", full) == CalibrationScope{});
  CHECK(scope_of("forward_share", full) == CalibrationScope{});
}

TEST_CASE("every parameter but the residual of a form has a scope, and it covers what it was taken from") {
  for (const auto& field : parameter_fields()) {
    const std::string name = field.name;
    if (name == "form_residual") continue;
    INFO(name);
    CHECK(covers(scope_of(name, full), full));
  }
  CHECK_THROWS_AS(scope_of("form_residual", full), std::out_of_range);
}
