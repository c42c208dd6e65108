// What a plan says of memory.

#include "plan/plan.hpp"
#include "sim/base/error.hpp"
#include "tests/calibrate/shipped_data.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

const DataFolder shipped_plans = ddlsim_test::shipped_data();

PlanRequest one_node_of_v100() {
  PlanCandidate candidate;
  candidate.name = "p3";
  candidate.cluster = "ec2-p3.16xlarge";
  candidate.preset = "horovod";
  candidate.strategies = {Strategy{StrategyName::automatic, {}}};
  candidate.gpus = {8};
  candidate.batch_per_gpu = 128;
  candidate.price = CandidatePrice{PriceKind::on_demand, 24.48, 0, ""};
  PlanRequest request;
  request.name = "test";
  request.workload.model = "resnet50_v1.5";
  request.workload.samples = 1e6;
  request.workload.epochs = 10;
  request.candidates = {candidate};
  request.samples = 60;
  return request;
}

} // namespace

TEST_CASE("a batch that does not fit is refused, and one that may not is warned of", "[memory]") {
  auto request = one_node_of_v100();
  auto& batch = request.candidates[0].batch_per_gpu;
  const auto is_refused = [&] {
    try {
      make_plan(request, shipped_plans);
    } catch (const UserError& error) {
      CHECK_THAT(error.what(), Catch::Contains("of memory at their peak"));
      return true;
    }
    return false;
  };
  while (!is_refused()) {
    REQUIRE(batch < 1000);
    batch = std::round(1.2 * batch);
  }
  batch = std::round(batch / 1.2); // the largest that is not refused
  const auto warnings = make_plan(request, shipped_plans).warnings;
  REQUIRE_FALSE(warnings.empty());
  CHECK_THAT(warnings.back(), Catch::Contains("memory is tight, ") && Catch::Contains("16 GiB"));
}

} // namespace ddlsim
