// Budgets where no price, or not every price, is known, and verdicts that say how close they are.

#include "plan/plan.hpp"
#include "plan/report.hpp"
#include "sim/base/plain_number.hpp"
#include "tests/calibrate/shipped_data.hpp"
#include "tests/plan/p3_request.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace ddlsim {
namespace {

const DataFolder shipped_for_budgets = ddlsim_test::shipped_data();

PlanCandidate of_iris(const std::string& name, double usd_an_hour) {
  auto candidate = p3_candidate(name, usd_an_hour);
  candidate.cluster = "iris"; // a site's own: its file has no price
  candidate.gpus = {4, 8};
  if (usd_an_hour <= 0) candidate.price.reset();
  return candidate;
}

PlanRequest with_budget(std::vector<PlanCandidate> candidates, double budget_usd) {
  auto request = ten_epochs(std::move(candidates));
  request.limits.budget_usd = budget_usd;
  return request;
}

Plan judged(const PlanRequest& request) {
  return make_plan(request, shipped_for_budgets);
}

/// The text of a screen as one line, after a look at its size.
std::string one_line(const std::string& screen) {
  CHECK(std::count(screen.begin(), screen.end(), '\n') <= 20);
  CHECK(screen.find("...") == std::string::npos);
  std::istringstream words(screen);
  std::string text;
  for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
  return text;
}

} // namespace

TEST_CASE("a budget that no price can judge is not judged, and the other limits decide", "[plan]") {
  auto request = with_budget({of_iris("ours", 0), of_iris("theirs", 0)}, 5000);
  request.limits.deadline_s = 1e7;
  const auto plan = judged(request);
  CHECK(plan.limits_met);
  CHECK_FALSE(plan.budget_is_judged);
  const auto text = one_line(to_screen_text(plan));
  CHECK_THAT(text, Catch::Contains("The budget cannot be judged: no price is known for ours, theirs. State one with "
                                   "--price ours=USD."));
  CHECK_THAT(text, !Catch::Contains("5,000 USD 0 %"));
  const auto option = nlohmann::json::parse(to_json_text(plan))["options"][0];
  CHECK(option["budget_chance"].is_null());
  CHECK(option["cost_usd"].is_null());
  CHECK(option["chance"] == 1);
  request.limits.deadline_s = 1;
  CHECK_FALSE(judged(request).limits_met);
}

TEST_CASE("beside options with a price, one without is listed as not judged and is no runner-up in cost", "[plan]") {
  const auto plan = judged(with_budget({of_iris("free", 0), of_iris("priced", 10)}, 1e6));
  CHECK(plan.budget_is_judged);
  CHECK(plan.limits_met);
  CHECK(plan.options.front().candidate == "priced");
  REQUIRE(plan.runner_up);
  CHECK(plan.options[*plan.runner_up].candidate == "priced");
  const auto options = nlohmann::json::parse(to_json_text(plan))["options"];
  for (const auto& option : options) {
    const bool is_free = option["candidate"] == "free";
    CHECK(option["chance"].is_null() == is_free);
    CHECK(option["budget_chance"].is_null() == is_free);
  }
  const auto text = one_line(to_screen_text(plan));
  CHECK_THAT(text, Catch::Contains("-: not judged without a price."));
  CHECK_THAT(text, Catch::Contains("No price is known for free (--price free=USD)."));
  CHECK(judged(with_budget({of_iris("free", 0), of_iris("priced", 10)}, 0)).options.front().candidate == "priced");
}

TEST_CASE("a deadline that only a machine without a price keeps is kept", "[plan]") {
  auto slow = of_iris("priced", 10);
  slow.gpus = {4};
  auto fast = of_iris("free", 0);
  fast.gpus = {32};
  auto request = with_budget({slow, fast}, 0);
  const auto free = judged(request);
  request.limits.deadline_s = (free.options[0].time_s.median + free.options[1].time_s.median) / 2;
  const auto plan = judged(request);
  CHECK(plan.limits_met);
  CHECK(plan.options.front().candidate == "free");
  CHECK_FALSE(plan.runner_up); // nobody knows which of the two costs less
}

TEST_CASE("a coin flip is told in the verdict", "[plan]") {
  auto plan = judged(with_budget({of_iris("one", 10), of_iris("two", 10.5)}, 1e6));
  REQUIRE(plan.runner_up);
  plan.runner_up_better = 0.34;
  CHECK(close_call_sentence(plan).empty());
  plan.runner_up_better = 0.46;
  const auto& first = plan.options.front();
  const auto& other = plan.options[*plan.runner_up];
  CHECK(close_call_sentence(plan) == "Take " + std::to_string(first.gpus) + " V100 of " + first.candidate + " or " +
                                         std::to_string(other.gpus) + " V100 of " + other.candidate +
                                         ": too close to call (54 : 46).");
  CHECK_THAT(one_line(to_screen_text(plan)), Catch::Contains(": too close to call (54 : 46). "));
  plan.limits_met = false;
  CHECK(close_call_sentence(plan).empty());
}

TEST_CASE("counts are written as people say them, and one GPU is one", "[plan]") {
  CHECK(count_in_words(300e9) == "300B");
  CHECK(count_in_words(1e12) == "1T");
  CHECK(count_in_words(1.28e6) == "1.28M");
  CHECK(gpus_in_words(1) == "1 GPU");
  CHECK(gpus_in_words(4096) == "4,096 GPUs");
}

} // namespace ddlsim
