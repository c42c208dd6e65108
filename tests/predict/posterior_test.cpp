#include "sim/base/statistics.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/predict/posterior.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace ddlsim;

namespace {

Preset sample_preset() {
  Preset preset;
  preset.name = "horovod";
  preset.all_reduce = {{"ring", 0.5}, {"tree", 0.3}, {"hierarchical-ring", 0.2}};
  preset.shardings = {{"bytes", 0.75}, {"round-robin", 0.25}};
  return preset;
}

const Preset preset = sample_preset();
const CalibrationScope asked{"nccl-ib", "horovod", "fp32", "resnet50_v1.5", 64};
const BeliefQuestion question{"compute_measured", preset, false, asked};

std::vector<Prior> shipped_priors() {
  return load_priors({DDLSIM_SOURCE_DIR});
}

std::size_t field(const std::string& name) {
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (fields[k].name == name) return k;
  throw std::out_of_range(name);
}

CalibratedParameter calibrated(const std::string& name, const CalibrationScope& scope, double coordinate,
                               double error) {
  CalibratedParameter one;
  one.name = name;
  one.scope = scope;
  one.prior.parameter = name;
  one.prior.median = 2;
  one.prior.width = 0.5;
  one.coordinate = coordinate;
  one.error = error;
  return one;
}

/// Two correlated parameters.
Calibration two_parameters() {
  Calibration calibration;
  calibration.parameters = {calibrated("nic_efficiency", {"nccl-ib", "", "", "", 0}, 0.7, 0.3),
                            calibrated("net_latency", {"nccl-ib", "", "", "", 0}, -1.2, 0.6)};
  calibration.correlation = {{}, {-0.8}};
  return calibration;
}

std::vector<double> column(const Draws& worlds, const std::string& name) {
  std::vector<double> values;
  for (const auto& one : worlds.coordinates) values.push_back(one[field(name)]);
  return values;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += (value - mean_of(values)) * (value - mean_of(values));
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// Shares of worlds whose draw chooses each of the choices.
double share_of(const Belief& belief, const std::vector<LikelyChoice>& choices, const std::string& name) {
  const auto chosen =
      std::count_if(belief.worlds.values.begin(), belief.worlds.values.end(),
                    [&](const Parameters& world) { return choice_at(choices, world.form_draw) == name; });
  return static_cast<double>(chosen) / static_cast<double>(belief.worlds.values.size());
}

} // namespace

TEST_CASE("without a calibration the worlds are the priors'") {
  const auto priors = shipped_priors();
  const auto belief = believe(priors, nullptr, question, 50, 7);
  const auto draws = draw_parameters(priors, "compute_measured", "nccl-ib", "horovod", 50, 7);
  const auto median = median_parameters(priors, "compute_measured", "nccl-ib", "horovod");
  CHECK(belief.worlds.coordinates == draws.coordinates);
  for (const auto& one : parameter_fields()) {
    CHECK(belief.median.*one.value == median.*one.value);
    for (std::size_t w = 0; w < draws.values.size(); ++w)
      CHECK(belief.worlds.values[w].*one.value == draws.values[w].*one.value);
  }
}

TEST_CASE("a calibration of something else leaves the priors as they are") {
  auto calibration = two_parameters();
  for (auto& one : calibration.parameters) one.scope.transport = "grpc";
  const auto priors = shipped_priors();
  CHECK(believe(priors, &calibration, question, 50, 7).worlds.coordinates ==
        believe(priors, nullptr, question, 50, 7).worlds.coordinates);
}

TEST_CASE("drawn worlds have the calibration's means, errors and correlation") {
  const auto calibration = two_parameters();
  const int count = 4000;
  const auto belief = believe(shipped_priors(), &calibration, question, count, 1);
  const auto nic = column(belief.worlds, "nic_efficiency");
  const auto latency = column(belief.worlds, "net_latency");
  const double four_errors = 4 / std::sqrt(static_cast<double>(count)); // of a mean, in standard deviations
  CHECK(mean_of(nic) == Approx(0.7).margin(0.3 * four_errors));
  CHECK(mean_of(latency) == Approx(-1.2).margin(0.6 * four_errors));
  CHECK(deviation_of(nic) == Approx(0.3).epsilon(four_errors));
  CHECK(deviation_of(latency) == Approx(0.6).epsilon(four_errors));
  CHECK(correlation(nic, latency) == Approx(-0.8).margin(four_errors * (1 - 0.8 * 0.8)));
}

TEST_CASE("values follow from coordinates by the prior of the calibration, the likeliest world is its mean") {
  const auto calibration = two_parameters();
  const auto belief = believe(shipped_priors(), &calibration, question, 20, 1);
  CHECK(belief.median.nic_efficiency == Approx(2 * std::exp(0.5 * 0.7)).epsilon(1e-12));
  CHECK(belief.median.net_latency_s == Approx(2 * std::exp(0.5 * -1.2)).epsilon(1e-12));
  const auto nic = column(belief.worlds, "nic_efficiency");
  for (std::size_t w = 0; w < nic.size(); ++w)
    CHECK(belief.worlds.values[w].nic_efficiency == Approx(2 * std::exp(0.5 * nic[w])).epsilon(1e-12));
}

TEST_CASE("correlations that rounding made impossible still give worlds, near the errors they had") {
  Calibration calibration = two_parameters();
  calibration.parameters.push_back(calibrated("sync_on", {"nccl-ib", "horovod", "", "", 0}, 0, 0.5));
  // the third is the sum of the others: its correlations are the root of 0.55, 0.74162, rounded up
  calibration.correlation = {{}, {0.1}, {0.7417, 0.7417}};
  const auto belief = believe(shipped_priors(), &calibration, question, 1000, 1);
  for (const auto& world : belief.worlds.coordinates)
    for (const double coordinate : world) CHECK(std::isfinite(coordinate));
  CHECK(deviation_of(column(belief.worlds, "sync_on")) == Approx(0.5).epsilon(4 / std::sqrt(1000.0)));
}

TEST_CASE("parameters that were not calibrated keep their draws") {
  const auto calibration = two_parameters();
  const auto with = believe(shipped_priors(), &calibration, question, 50, 3);
  const auto without = believe(shipped_priors(), nullptr, question, 50, 3);
  for (const std::string name : {"interference", "sync_on", "form_residual"})
    CHECK(column(with.worlds, name) == column(without.worlds, name));
}

TEST_CASE("of several that cover a question the one that names most holds") {
  Calibration calibration;
  calibration.parameters = {calibrated("sync_on", {}, 1, 0.1),
                            calibrated("sync_on", {"nccl-ib", "horovod", "", "", 0}, 2, 0.1),
                            calibrated("sync_on", {"nccl-ib", "", "", "", 0}, 3, 0.1),
                            calibrated("sync_on", {"nccl-ib", "horovod", "amp", "", 0}, 4, 0.1)};
  calibration.correlation = {{}, {0}, {0, 0}, {0, 0, 0}};
  const auto at = [&](const CalibrationScope& scope) {
    return calibrated_fields(calibration, scope)[field("sync_on")];
  };
  CHECK(at(asked) == 1);
  CHECK(at({"nccl-ib", "pytorch-ddp", "fp32", "", 0}) == 2);
  CHECK(at({"grpc", "tf-ps", "fp32", "", 0}) == 0);
  CHECK(at({"nccl-ib", "horovod", "amp", "m", 32}) == 3);
  CHECK(calibrated_fields(calibration, asked)[field("nic_efficiency")] == -1);
}

TEST_CASE("a scope covers what agrees in all it names") {
  CHECK(covers({}, asked));
  CHECK(covers(asked, asked));
  CHECK(covers({"", "", "", "resnet50_v1.5", 64}, asked));
  CHECK_FALSE(covers({"", "", "", "resnet50_v1.5", 32}, asked));
  CHECK_FALSE(covers({"grpc", "", "", "", 0}, asked));
  CHECK_FALSE(covers(asked, {}));
}

TEST_CASE("worlds choose an all-reduce by the calibration's weights") {
  Calibration calibration;
  calibration.forms = {{{"nccl-ib", "", "", "", 0}, false, {{"tree", 0.7}, {"ring", 0.2}, {"hierarchical-ring", 0.1}}}};
  const auto belief = believe(shipped_priors(), &calibration, question, 1000, 1);
  CHECK(choice_at(preset.all_reduce, belief.median.form_draw) == "tree");
  // draws are a Latin hypercube's: shares are within one of 1000 of the weights
  CHECK(share_of(belief, preset.all_reduce, "tree") == Approx(0.7).margin(0.0011));
  CHECK(share_of(belief, preset.all_reduce, "ring") == Approx(0.2).margin(0.0011));
  const auto without = believe(shipped_priors(), nullptr, question, 1000, 1);
  CHECK(share_of(without, preset.all_reduce, "ring") == Approx(0.5).margin(0.0011));
}

TEST_CASE("forms of servers, of another transport, or with unknown names do not decide an all-reduce") {
  const auto without = believe(shipped_priors(), nullptr, question, 100, 1);
  for (const CalibratedForm& form :
       {CalibratedForm{{"nccl-ib", "", "", "", 0}, true, {{"round-robin", 1}}},
        CalibratedForm{{"grpc", "", "", "", 0}, false, {{"tree", 1}}},
        CalibratedForm{{"nccl-ib", "", "", "", 0}, false, {{"halving-doubling", 0.9}, {"ring", 0.1}}}}) {
    Calibration calibration;
    calibration.forms = {form};
    const auto belief = believe(shipped_priors(), &calibration, question, 100, 1);
    CHECK(belief.median.form_draw == without.median.form_draw);
    CHECK(share_of(belief, preset.all_reduce, "ring") == share_of(without, preset.all_reduce, "ring"));
  }
  Calibration servers;
  servers.forms = {{{}, true, {{"round-robin", 1}}}};
  const auto belief = believe(shipped_priors(), &servers, {"compute_measured", preset, true, asked}, 100, 1);
  CHECK(share_of(belief, preset.shardings, "round-robin") == 1);
}
