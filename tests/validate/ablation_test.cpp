#include "sim/base/error.hpp"
#include "sim/formats/parameters.hpp"
#include "validate/ablation/ablation.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

ReferenceData shipped() {
  ReferenceData reference;
  reference.priors = load_priors(DataFolder{DDLSIM_SOURCE_DIR});
  return reference;
}

Prior prior_of(const ReferenceData& reference, const std::string& parameter) {
  return find_prior(priors_for(reference.priors), parameter, "nccl-ib", "pytorch-ddp");
}

TEST_CASE("a parameter that is left out stands at its prior's median whatever the z-score", "[ablation]") {
  const auto before = shipped();
  auto after = before;
  leave_out(after, "nic_efficiency");
  for (const double z_score : {-3.0, 0.0, 3.0})
    CHECK(prior_value(prior_of(after, "nic_efficiency"), z_score) ==
          Approx(prior_of(before, "nic_efficiency").median).epsilon(1e-8));
  CHECK(prior_of(after, "net_latency").width == prior_of(before, "net_latency").width);
}

TEST_CASE("the factor of one-GPU times is left out for every kind of evidence", "[ablation]") {
  auto reference = shipped();
  leave_out(reference, "compute_factor");
  for (const auto& prior : priors_for(reference.priors))
    if (prior.parameter.starts_with("compute_")) CHECK(prior.width < 1e-6);
}

TEST_CASE("a term of the residual that is left out is switched off, and no prior moves", "[ablation]") {
  auto reference = shipped();
  const auto priors = priors_json(reference.priors);
  leave_out(reference, "line");
  leave_out(reference, "growth");
  CHECK(reference.constants.line_share == 0);
  CHECK(reference.constants.residual_growth == 0);
  CHECK(priors_json(reference.priors) == priors);
}

TEST_CASE("a scope of deviations and the kernel tables are left out by their names", "[ablation]") {
  auto reference = shipped();
  reference.kernels.gpus.resize(1);
  leave_out(reference, "scope-stack");
  CHECK(reference.left_out_deviations == std::vector<std::string>{"scope-stack"});
  CHECK(reference.kernels.gpus.size() == 1);
  leave_out(reference, "kernel-tables");
  CHECK(reference.kernels.gpus.empty());
}

TEST_CASE("every parameter and every term has a name that leave_out takes", "[ablation]") {
  const auto names = names_to_leave_out();
  for (const std::string name : {"compute_factor", "nic_efficiency", "second_node_jump", "line", "growth"})
    CHECK(std::count(names.begin(), names.end(), name) == 1);
  CHECK(std::count(names.begin(), names.end(), "sync_on") == 0); // a constant stands at its median anyway
  for (const auto& name : names) {
    auto reference = shipped();
    CHECK_NOTHROW(leave_out(reference, name));
  }
}

TEST_CASE("unknown names are reported together, each with the nearest", "[ablation]") {
  try {
    simulators_without(shipped(), {"nic_eficiency", "line", "grwth"});
    FAIL("unknown names were taken");
  } catch (const UserError& error) {
    REQUIRE(error.mistakes().size() == 2);
    CHECK(error.mistakes()[0].what.find("did you mean nic_efficiency?") != std::string::npos);
    CHECK(error.mistakes()[1].what.find("did you mean growth?") != std::string::npos);
  }
}

TEST_CASE("a placebo moves every median by 2 %, a class as one, and the same seed moves it the same way",
          "[ablation]") {
  const auto before = shipped();
  auto one = before, same = before, other = before;
  move_medians(one, 1);
  move_medians(same, 1);
  move_medians(other, 2);
  CHECK(priors_json(one.priors) == priors_json(same.priors));
  CHECK(priors_json(one.priors) != priors_json(other.priors));
  const auto olds = priors_for(before.priors), news = priors_for(one.priors);
  REQUIRE(olds.size() == news.size());
  int up = 0, down = 0;
  for (std::size_t i = 0; i < olds.size(); ++i) {
    const auto &old = olds[i], &now = news[i];
    const bool neutral = old.parameter.starts_with("compute_") || old.parameter == "model_discrepancy";
    const bool at_its_highest = old.highest && now.median == *old.highest;
    const double moved = std::abs(std::log(now.median / old.median));
    if (!at_its_highest) CHECK(moved == Approx(neutral ? 0 : 0.02).margin(neutral ? 0 : 0.01)); // two of three digits
    CHECK(now.width == Approx(old.width).epsilon(0.01)); // sites move as what is expected of them does
    if (now.median > old.median) ++up;
    if (now.median < old.median) ++down;
  }
  CHECK(up > 15); // of some 70 classes, each up or down by a fair coin
  CHECK(down > 15);
}

} // namespace
} // namespace ddlsim
