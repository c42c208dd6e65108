// What a plan says of memory.

#include "plan/plan.hpp"
#include "sim/base/error.hpp"
#include "tests/calibrate/shipped_data.hpp"
#include "tests/plan/p3_request.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

const DataFolder shipped_plans = ddlsim_test::shipped_data();

PlanRequest one_node_of_v100() {
  auto request = ten_epochs({p3_candidate("p3", 24.48)});
  request.workload.batch_per_gpu = 0; // each candidate states its own
  request.candidates[0].gpus = {8};
  request.candidates[0].batch_per_gpu = 128;
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
