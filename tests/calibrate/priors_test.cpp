#include "calibrate/fit/step_fit.hpp"
#include "calibrate/priors/learn_priors.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace ddlsim {
namespace {

Prior judged_rate() {
  return {"socket_rate", "nccl-tcp", "", 3e9, 0.6, PriorScale::log, "B/s", "judgement", {}};
}

/// Sites whose values scatter around `centre` by Student's t with 4 degrees of freedom and scale `tau`.
std::vector<SiteValue> planted_sites(int count, double centre, double tau, double error, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::student_t_distribution<double> between(4);
  std::normal_distribution<double> within(0, error);
  std::vector<SiteValue> sites;
  for (int i = 0; i < count; ++i)
    sites.push_back({"site-" + std::to_string(i), std::log(centre) + tau * between(random) + within(random), error});
  return sites;
}

TEST_CASE("twenty planted sites give their centre and their spread back", "[priors]") {
  constexpr double centre = 1.5e9;
  constexpr double tau = 0.3;
  int centre_held = 0;
  double mean_width = 0;
  constexpr int draws = 10;
  for (int draw = 0; draw < draws; ++draw) {
    const auto learnt = learn_prior(judged_rate(), planted_sites(20, centre, tau, 0.1, 100 + draw), 0.45);
    // The error of the centre of 20 values from t4: variance 2 tau^2 for the mean, less for its best estimate.
    if (std::abs(std::log(learnt.median / centre)) < 2 * tau * std::sqrt(2.0 / 20)) ++centre_held;
    mean_width += learnt.width / draws;
  }
  CHECK(centre_held >= draws - 1);
  // 95 % of t4 lie below 2.132 scales: in widths of a normal, 2.132 / 1.645 of tau, and the doubt of centre and scale.
  CHECK(mean_width > tau * 2.132 / 1.645 * 0.8);
  CHECK(mean_width < tau * 2.132 / 1.645 * 1.3);
}

TEST_CASE("without sites the judged prior stands, wider by what sites may differ", "[priors]") {
  const auto learnt = learn_prior(judged_rate(), {}, 0.45);
  CHECK(learnt.median == Approx(3e9).epsilon(1e-3));
  CHECK(learnt.width > judged_rate().width);
  CHECK(learnt.width < 1.2 * std::hypot(0.6, 0.45 * 2.132 / 1.645));
}

TEST_CASE("one outlier among sites moves the prior little", "[priors]") {
  auto sites = planted_sites(9, 1.5e9, 0.1, 0.05, 7);
  const auto before = learn_prior(judged_rate(), sites, 0.45);
  sites.push_back({"far", std::log(30e9), 0.05});
  const auto after = learn_prior(judged_rate(), sites, 0.45);
  CHECK(std::abs(std::log(after.median / before.median)) < 0.1);
  CHECK(after.width > before.width);
}

TEST_CASE("a prior on a linear scale is not learnt", "[priors]") {
  auto linear = judged_rate();
  linear.scale = PriorScale::linear;
  CHECK_THROWS_AS(learn_prior(linear, {}, 0.45), std::invalid_argument);
}

/// What a fit leaves of a heavy-tailed prior and one measurement of ln x with this error, as a calibration states it:
/// where the prior's pull, weight(z) z, and the measurement's, (z_measured - z) / likelihood^2, are in balance.
CalibratedParameter after_measuring(const Prior& prior, double measured, double error) {
  const double likelihood = error / prior.width; // in z-scores
  const double z_measured = std::log(measured / prior.median) / prior.width;
  double z_score = z_measured;
  for (int turn = 0; turn < 200; ++turn)
    z_score = z_measured / (1 + weight_of(step_prior_loss, z_score) * likelihood * likelihood);
  CalibratedParameter parameter;
  parameter.name = prior.parameter;
  parameter.prior = prior;
  parameter.z_score = z_score;
  parameter.error = 1 / std::sqrt(weight_of(step_prior_loss, z_score) + 1 / (likelihood * likelihood));
  return parameter;
}

Cluster here() {
  Cluster cluster;
  cluster.name = "boxes";
  cluster.site = "here";
  return cluster;
}

TEST_CASE("dividing the prior out gives the measurement back", "[priors]") {
  Calibration calibration;
  for (const double measured : {2.5e9, 1e9, 0.1e9}) { // near the prior, and 1.8 and 5.7 of its widths away
    calibration.parameters = {after_measuring(judged_rate(), measured, 0.2)};
    SiteEvidence evidence;
    add_evidence(evidence, calibration, here(), EvidenceRuns::all);
    REQUIRE(evidence.size() == 1);
    const auto& value = evidence.begin()->second.front();
    CHECK(value.site == "here");
    CHECK(std::exp(value.mean) == Approx(measured));
    CHECK(value.error == Approx(0.2));
  }
}

TEST_CASE("no evidence of what nobody narrowed, what was borrowed, or what a wrong data sheet makes", "[priors]") {
  Prior efficiency = judged_rate();
  efficiency.parameter = "nic_efficiency";
  efficiency.median = 0.8;
  auto borrowed = after_measuring(judged_rate(), 1e9, 0.2);
  borrowed.borrowed_points = 3;
  auto gpu = after_measuring(judged_rate(), 1e9, 0.2);
  gpu.name = gpu.prior.parameter = "compute_measured";
  auto at_highest = efficiency;
  at_highest.highest = 1;
  Calibration calibration;
  calibration.parameters = {after_measuring(judged_rate(), 1e9, 5), borrowed, gpu, after_measuring(efficiency, 3, 0.05),
                            after_measuring(at_highest, 1.05, 0.05)};
  SiteEvidence evidence;
  add_evidence(evidence, calibration, here(), EvidenceRuns::all);
  CHECK(evidence.empty());
}

TEST_CASE("a share of a NIC's rate is no evidence where the rate is assumed, what software moves is", "[priors]") {
  Prior efficiency = judged_rate();
  efficiency.parameter = "nic_efficiency";
  efficiency.median = 0.8;
  auto sockets = judged_rate();
  efficiency.transport = sockets.transport = "nccl-tcp";
  Calibration calibration;
  calibration.parameters = {after_measuring(efficiency, 0.7, 0.05), after_measuring(sockets, 1e9, 0.2)};
  auto cluster = here();
  cluster.nics = {{"ethernet", 25e9 / 8}};
  cluster.transports = {{"nccl-tcp", "ethernet"}};
  for (const bool assumed : {false, true}) {
    cluster.nics.front().bandwidth_assumed = assumed;
    SiteEvidence evidence;
    add_evidence(evidence, calibration, cluster, EvidenceRuns::all);
    CHECK(evidence.size() == (assumed ? 1 : 2));
    CHECK(evidence.count(class_of(sockets)) == 1);
  }
}

TEST_CASE("what switching synchronisation on costs is learnt from synthetic runs, other parameters from all",
          "[priors]") {
  auto on = judged_rate();
  on.parameter = "sync_on";
  Calibration calibration;
  calibration.parameters = {after_measuring(judged_rate(), 1e9, 0.2), after_measuring(on, 1e9, 0.2)};
  const auto parameters_of = [&](EvidenceRuns runs) {
    SiteEvidence evidence;
    add_evidence(evidence, calibration, here(), runs);
    std::vector<std::string> names;
    for (const auto& [of, values] : evidence) names.push_back(of.parameter);
    return names;
  };
  CHECK(parameters_of(EvidenceRuns::all) == std::vector<std::string>{"socket_rate"});
  CHECK(parameters_of(EvidenceRuns::synthetic) == std::vector<std::string>{"sync_on"});
}

TEST_CASE("clusters of a site are one value, as uncertain as they differ", "[priors]") {
  const auto sites = pooled({{"a", 1.0, 0.01}, {"a", 2.0, 0.01}, {"b", 5.0, 0.2}});
  REQUIRE(sites.size() == 2);
  CHECK(sites[0].mean == Approx(1.5));
  CHECK(sites[0].error == Approx(0.5 / std::sqrt(2.0)));
  CHECK(sites[1].mean == Approx(5.0));
}

TEST_CASE("a later prior is hidden by one that whoever drops it drops too, but for the judged one behind a learnt one",
          "[priors]") {
  Prior learnt;
  learnt.parameter = "net_latency";
  learnt.shaped_by = {"iris", "p4d"};
  learnt.sites = {{"iris", 1e-6, 0.1}};
  auto without_iris = learnt;
  without_iris.shaped_by = {"p4d"};
  CHECK_FALSE(hides(learnt, without_iris)); // holds where iris is under test
  CHECK(hides(without_iris, learnt));
  auto judged = learnt;
  judged.sites.clear();
  CHECK_FALSE(hides(learnt, judged));
  CHECK(hides(judged, judged));
}

TEST_CASE("priors are read back as they were written", "[priors]") {
  auto learnt = judged_rate();
  learnt.path = NicPath::virtual_switch;
  learnt.shaped_by = {"iris"};
  learnt.sites = {{"iris", 2.5e9, 0.1}, {"here", 1e9, 0.45}};
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("priors.json", priors_json({learnt, judged_rate()}));
  const auto read = read_priors(file);
  REQUIRE(read.size() == 2);
  CHECK(priors_json(read) == priors_json({learnt, judged_rate()}));
  CHECK(judged_priors(read).size() == 1);
  CHECK(judged_priors(read).front().source == "judgement");
}

} // namespace
} // namespace ddlsim
