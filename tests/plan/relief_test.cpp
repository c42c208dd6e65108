// What would keep limits that nothing keeps, and why an option is worth a row.

#include "plan/choice_reason.hpp"
#include "plan/relief.hpp"
#include "plan/report.hpp"
#include "tests/calibrate/shipped_data.hpp"
#include "tests/plan/p3_request.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

const DataFolder shipped_for_reliefs = ddlsim_test::shipped_data();

PlanRequest two_scales() {
  return ten_epochs({p3_candidate("p3", 24.48)});
}

Plan planned(const PlanRequest& request) {
  return make_plan(request, shipped_for_reliefs);
}

const Relief* relief_of(const Plan& plan, Remedy remedy) {
  const auto found = std::find_if(plan.reliefs.begin(), plan.reliefs.end(),
                                  [&](const Relief& relief) { return relief.remedy == remedy; });
  return found == plan.reliefs.end() ? nullptr : &*found;
}

std::vector<ChoiceReason> reasons_at(const Plan& plan, int gpus) {
  for (const auto& option : plan.options)
    if (option.gpus == gpus) return option.reasons;
  return {};
}

bool has_reason(const Plan& plan, int gpus, ChoiceReason reason) {
  const auto reasons = reasons_at(plan, gpus);
  return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
}

/// Ten samples that take 1 to 10 s and cost as many dollars at that rate.
Evaluation ten_samples(int gpus, double time_s, double usd) {
  Evaluation evaluation;
  evaluation.likeliest = {5 * time_s, 5 * usd, 0};
  for (int i = 1; i <= 10; ++i) evaluation.samples.push_back({i * time_s, i * usd, 0});
  evaluation.reported.gpus = gpus;
  evaluation.reported.simulated = true;
  return evaluation;
}

} // namespace

TEST_CASE("the least that nine of ten samples keep is what a limit must be", "[plan]") {
  Plan plan;
  plan.request.limits = {.deadline_s = 300, .budget_usd = 95};
  // nine of ten take 900 s and cost 90 USD; of the faster they take 450 s and cost 180 USD
  const auto reliefs = find_reliefs({ten_samples(8, 100, 10), ten_samples(16, 50, 20)}, plan);
  plan.reliefs = reliefs;
  const auto* time = relief_of(plan, Remedy::time);
  REQUIRE(time != nullptr);
  CHECK(time->gpus == 8);
  CHECK(time->deadline_s == Approx(900));
  CHECK(time->chance == Approx(0.9));
  CHECK(relief_of(plan, Remedy::money) == nullptr); // no money makes either fast enough
  const auto* both = relief_of(plan, Remedy::time_and_money);
  REQUIRE(both != nullptr);
  CHECK(both->gpus == 16);
  CHECK(both->deadline_s == Approx(450));
  CHECK(both->budget_usd == Approx(180));
  plan.limits_met = true;
  CHECK(find_reliefs({ten_samples(8, 100, 10)}, plan).empty());
}

TEST_CASE("with the time or the money that it names, a plan keeps its limits", "[plan]") {
  auto request = two_scales();
  const auto free = planned(request);
  const double fastest_s = std::min(free.options[0].time_s.low, free.options[1].time_s.low);
  request.limits.deadline_s = 0.8 * fastest_s;
  auto plan = planned(request);
  CHECK_FALSE(plan.limits_met);
  const auto* time = relief_of(plan, Remedy::time);
  REQUIRE(time != nullptr);
  CHECK(time->gpus == 32);
  CHECK_THAT(to_screen_text(plan), Catch::Contains("32 GPUs of p3 would do with "));
  REQUIRE(relief_of(plan, Remedy::gpus) != nullptr); // 32 are the most that were asked about
  request.limits.deadline_s = time->deadline_s;
  CHECK(planned(request).limits_met);
  request.limits.budget_usd = 1;
  plan = planned(request);
  CHECK(relief_of(plan, Remedy::time) == nullptr); // no time is enough for that budget
  const auto* money = relief_of(plan, Remedy::money);
  REQUIRE(money != nullptr);
  request.limits.budget_usd = money->budget_usd;
  plan = planned(request);
  CHECK(plan.limits_met);
  CHECK(plan.reliefs.empty());
}

TEST_CASE("the nearest is the option that misses its worst limit least", "[plan]") {
  CHECK(overshoot(200, 30, {.deadline_s = 100, .budget_usd = 10}) == 3);
  CHECK(overshoot(200, 30, {.deadline_s = 100}) == 2);
  CHECK(overshoot(200, 30, {}) == 0);
  auto request = two_scales();
  const auto free = planned(request);
  const auto& small = free.options[0].gpus == 8 ? free.options[0] : free.options[1];
  const auto& large = free.options[0].gpus == 8 ? free.options[1] : free.options[0];
  request.limits.deadline_s = large.time_s.median / 2; // the cheaper option misses this one by far more than twice
  request.limits.budget_usd = large.usd->median / 1.5;
  const auto plan = planned(request);
  CHECK_FALSE(plan.limits_met);
  CHECK(small.usd->median < large.usd->median);
  CHECK(small.time_s.median > large.time_s.median);
  CHECK(plan.options.front().gpus == 32);
  const auto screen = to_screen_text(plan);
  CHECK(screen.find(" would do with ") < screen.find("Nearest: 32 V100"));
  CHECK(plan.runner_up_better < 0.5);
}

TEST_CASE("nodes, power and memory that stand in the way are named", "[plan]") {
  auto request = two_scales();
  const auto free = planned(request);
  request.limits.deadline_s = std::sqrt(free.options[0].time_s.value * free.options[1].time_s.value);
  request.limits.nodes = 1;
  auto plan = planned(request);
  REQUIRE(relief_of(plan, Remedy::nodes) != nullptr);
  CHECK(relief_of(plan, Remedy::nodes)->nodes == 4);
  request.limits.nodes = 0;
  request.limits.power_w = 10'000;
  plan = planned(request);
  REQUIRE(relief_of(plan, Remedy::power) != nullptr);
  CHECK(relief_of(plan, Remedy::power)->gpus == 32);
  request.limits = {.deadline_s = 60};
  auto large = request.candidates[0];
  large.name = "large";
  large.batch_per_gpu = 4096;
  request.candidates.push_back(large);
  plan = planned(request);
  for (const auto& one : plan.refused) CHECK(one.kind == Refusal::memory);
  REQUIRE(relief_of(plan, Remedy::memory) != nullptr);
  CHECK(relief_of(plan, Remedy::memory)->candidate == "large");
  CHECK_FALSE(relief_of(plan, Remedy::memory)->would_fit.empty());
  CHECK_THAT(to_terminal_text(plan), Catch::Contains("of large lack"));
  CHECK_THAT(to_screen_text(plan), !Catch::Contains("of large lack"));
}

TEST_CASE("each figure has one winner, and a lone option wins nothing", "[plan]") {
  auto request = two_scales();
  const auto plan = planned(request);
  CHECK(has_reason(plan, 32, ChoiceReason::fastest));
  CHECK(has_reason(plan, 8, ChoiceReason::cheapest));
  CHECK(has_reason(plan, 8, ChoiceReason::fewest_gpus));
  CHECK(has_reason(plan, 32, ChoiceReason::runner_up));
  CHECK_FALSE(has_reason(plan, 8, ChoiceReason::most_certain)); // there is no limit
  for (const auto reason : {ChoiceReason::fastest, ChoiceReason::cheapest, ChoiceReason::least_energy})
    CHECK(has_reason(plan, 8, reason) != has_reason(plan, 32, reason));
  request.candidates[0].gpus = {8};
  CHECK(reasons_at(planned(request), 8) == std::vector{ChoiceReason::front});
}

TEST_CASE("options are the same whatever the number of threads", "[plan]") {
  auto request = two_scales();
  request.candidates[0].gpus = {1, 2, 4, 8, 16, 32};
  CHECK(to_json_text(make_plan(request, shipped_for_reliefs, in_this_process(), 4)) == to_json_text(planned(request)));
}

} // namespace ddlsim
