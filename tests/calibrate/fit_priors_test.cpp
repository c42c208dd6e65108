#include "calibrate/fit/step_fit.hpp"
#include "calibrate/priors/fit_priors.hpp"
#include "calibrate/priors/site_evidence.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

Prior judged_rate() {
  return {"server_process_rate", "nccl-tcp", "", 3e9, 0.6, PriorScale::log, "B/s", "judgement", {}};
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
    const auto& value = evidence.at("here").at(class_of(judged_rate())).front();
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
    CHECK(evidence["here"].size() == (assumed ? 1 : 2));
    CHECK(evidence["here"].count(class_of(sockets)) == 1);
  }
}

TEST_CASE("what switching synchronisation on costs is learnt from synthetic runs, other parameters from all",
          "[priors]") {
  auto on = judged_rate();
  on.parameter = "sync_share";
  on.median = 0.02;
  Calibration calibration;
  calibration.parameters = {after_measuring(judged_rate(), 1e9, 0.2), after_measuring(on, 0.05, 0.2)};
  const auto parameters_of = [&](EvidenceRuns runs) {
    SiteEvidence evidence;
    add_evidence(evidence, calibration, here(), runs);
    std::vector<std::string> names;
    for (const auto& [of, values] : evidence["here"]) names.push_back(of.parameter);
    return names;
  };
  CHECK(parameters_of(EvidenceRuns::all) == std::vector<std::string>{"server_process_rate"});
  CHECK(parameters_of(EvidenceRuns::synthetic) == std::vector<std::string>{"sync_share"});
}

/// A fit of one rate, and of one series that it leaves this far off.
Calibration fit_of_rate(const Prior& prior, double z_score, double residual) {
  Calibration fit;
  CalibratedParameter parameter;
  parameter.name = prior.parameter;
  parameter.prior = prior;
  parameter.z_score = z_score;
  parameter.error = 0.2;
  CalibratedSeries series;
  series.id = "servers";
  series.spread = 0.05;
  series.points = {{8, 2, residual, 0.01}, {16, 4, residual, 0.01}};
  fit.parameters = {parameter};
  fit.series = {series};
  return fit;
}

TEST_CASE("a server's rate that goes with its prior is a bound, one that the records hold is a value", "[priors]") {
  auto raised = judged_rate();
  raised.median *= raised_ceilings;
  const double back = std::log(raised_ceilings) / raised.width; // to the rate as it was, in z-scores
  const auto fit = fit_of_rate(judged_rate(), 0, 0.01);
  CHECK(without_bounds(fit, fit_of_rate(raised, 0, 0.01)).parameters.empty());            // went all the way
  CHECK(without_bounds(fit, fit_of_rate(raised, -0.45 * back, 0.01)).parameters.empty()); // more than half
  CHECK(without_bounds(fit, fit_of_rate(raised, -0.55 * back, 0.01)).parameters.size() == 1);
  CHECK(without_bounds(fit, fit_of_rate(raised, -back, 0.01)).parameters.size() == 1);
  CHECK(without_bounds(fit, fit_of_rate(raised, 0, 0.3)).parameters.size() == 1); // contradicts the records
  auto latency = judged_rate();
  latency.parameter = "net_latency";
  CHECK(without_bounds(fit_of_rate(latency, 0, 0.01), fit_of_rate(latency, 3, 0.01)).parameters.size() == 1);
}

TEST_CASE("clusters of a site are one value, as uncertain as they differ, with three digits", "[priors]") {
  const PriorClass of{"server_process_rate", "nccl-tcp", ""};
  const auto summaries = summaries_of({{"a", {{of, {{1.0, 0.01}, {2.0, 0.01}}}}}, {"b", {{of, {{5.0, 0.2}}}}}});
  REQUIRE(summaries.size() == 2);
  CHECK(summaries[0].site == "a");
  CHECK(summaries[0].values.front().of == of);
  CHECK(summaries[0].values.front().value == 4.48);  // e^1.5
  CHECK(summaries[0].values.front().error == 0.354); // 0.5 / sqrt(2)
  CHECK(summaries[1].values.front().value == 148);
}

TEST_CASE("the table of what sites taught has a line a class", "[priors]") {
  const PriorBook book{"",
                       {judged_rate()},
                       {{"a", {{class_of(judged_rate()), 2e9, 0.1}}}, {"b", {{class_of(judged_rate()), 1e9, 0.1}}}}};
  const auto text = fitted_priors_text(book);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(text.find("server_process_rate, nccl-tcp") != std::string::npos);
  CHECK(text.find("3e+09 x/ 1.82") != std::string::npos);
  CHECK(text.find("a 2e+09, b 1e+09") != std::string::npos);
}

} // namespace
} // namespace ddlsim
