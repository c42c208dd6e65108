#include "sim/base/statistics.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/predict/posterior.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace ddlsim;

namespace {

constexpr LibraryVersion nccl_2_3{CollectiveLibrary::nccl, 2, 3, 0};
constexpr LibraryVersion nccl_2_8{CollectiveLibrary::nccl, 2, 8, 0};
constexpr LibraryVersion nccl_2_23{CollectiveLibrary::nccl, 2, 23, 0};

Preset sample_preset() {
  Preset preset;
  preset.name = "horovod";
  preset.libraries = {{nccl_2_8, 0.5}, {nccl_2_3, 0.3}, {nccl_2_23, 0.2}};
  preset.shardings = {{"bytes", 0.75}, {"round-robin", 0.25}};
  return preset;
}

const Preset preset = sample_preset();
const CalibrationScope asked{"nccl-ib", "horovod", Precision::fp32, "resnet50_v1.5", 64};
const PosteriorQuestion question{"compute_measured", preset, false, asked};

std::vector<Prior> shipped_priors() {
  return priors_for(load_priors({DDLSIM_SOURCE_DIR}));
}

std::size_t field(const std::string& name) {
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (fields[k].name == name) return k;
  throw std::out_of_range(name);
}

CalibratedParameter calibrated(const std::string& name, const CalibrationScope& scope, double z_score, double error) {
  CalibratedParameter one;
  one.name = name;
  one.scope = scope;
  one.prior.parameter = name;
  one.prior.median = 2;
  one.prior.width = 0.5;
  one.z_score = z_score;
  one.error = error;
  return one;
}

/// Two correlated parameters.
Calibration two_parameters() {
  Calibration calibration;
  calibration.parameters = {calibrated("nic_efficiency", {"nccl-ib", "", {}, "", 0}, 0.7, 0.3),
                            calibrated("net_latency", {"nccl-ib", "", {}, "", 0}, -1.2, 0.6)};
  calibration.correlation = {{}, {-0.8}};
  return calibration;
}

std::vector<double> column(const Draws& samples, const std::string& name) {
  std::vector<double> values;
  for (const auto& one : samples.z_scores) values.push_back(one[field(name)]);
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

bool all_have(const Posterior& posterior, const LibraryVersion& library) {
  return posterior.mode.library == library &&
         std::all_of(posterior.samples.values.begin(), posterior.samples.values.end(),
                     [&](const Parameters& sample) { return sample.library == library; });
}

} // namespace

TEST_CASE("without a calibration the samples are the priors'") {
  const auto priors = shipped_priors();
  const auto posterior = find_posterior(priors, nullptr, question, 50, 7);
  const auto draws = draw_parameters(priors_of_fields(priors, "compute_measured", "nccl-ib", "horovod"), 50, 7);
  const auto median = median_parameters(priors_of_fields(priors, "compute_measured", "nccl-ib", "horovod"));
  CHECK(posterior.samples.z_scores == draws.z_scores);
  for (const auto& one : parameter_fields()) {
    CHECK(posterior.mode.*one.value == median.*one.value);
    for (std::size_t w = 0; w < draws.values.size(); ++w)
      CHECK(posterior.samples.values[w].*one.value == draws.values[w].*one.value);
  }
}

TEST_CASE("a calibration of something else leaves the priors as they are") {
  auto calibration = two_parameters();
  for (auto& one : calibration.parameters) one.scope.transport = "grpc";
  const auto priors = shipped_priors();
  CHECK(find_posterior(priors, &calibration, question, 50, 7).samples.z_scores ==
        find_posterior(priors, nullptr, question, 50, 7).samples.z_scores);
}

TEST_CASE("drawn samples have the calibration's means, errors and correlation") {
  const auto calibration = two_parameters();
  const auto posterior = find_posterior(shipped_priors(), &calibration, question, posterior_draw_count, 1);
  const auto nic = column(posterior.samples, "nic_efficiency");
  const auto latency = column(posterior.samples, "net_latency");
  CHECK(mean_of(nic) == Approx(0.7).margin(1e-9)); // strata lie even about the middle
  CHECK(mean_of(latency) == Approx(-1.2).margin(1e-9));
  const double four_errors = 4 / std::sqrt(2.0 * posterior_draw_count); // of a deviation, as a share of it
  CHECK(deviation_of(nic) == Approx(0.3).epsilon(four_errors));
  CHECK(deviation_of(latency) == Approx(0.6).epsilon(four_errors));
  CHECK(correlation(nic, latency) == Approx(-0.8).margin(four_errors));
}

TEST_CASE("samples take the calibration's draws in turn, without those that the measurements contradict") {
  auto calibration = two_parameters();
  const auto all = posterior_draws(calibration);
  REQUIRE(all.size() == posterior_draw_count);
  calibration.contradicted_draws = {0, 2};
  const auto kept = posterior_draws(calibration);
  REQUIRE(kept.size() == posterior_draw_count - 2);
  CHECK(kept[0] == all[1]);
  CHECK(kept[1] == all[3]);
  const int count = posterior_draw_count + 10;
  const auto samples = find_posterior(shipped_priors(), &calibration, question, count, 1).samples;
  const auto priors = find_posterior(shipped_priors(), nullptr, question, count, 1).samples;
  for (std::size_t w = 0; w < samples.values.size(); ++w) {
    const auto& draw = kept[w % kept.size()];
    CHECK(samples.z_scores[w][field("nic_efficiency")] == draw[0]);
    CHECK(samples.z_scores[w][field("net_latency")] == draw[1]);
    CHECK(samples.values[w].net_latency_s == Approx(2 * std::exp(0.5 * draw[1])).epsilon(1e-12));
    CHECK(samples.z_scores[w][field("sync_share")] == priors.z_scores[w][field("sync_share")]);
  }
}

TEST_CASE("where every draw contradicts the measurements all are kept") {
  auto calibration = two_parameters();
  for (int i = 0; i < posterior_draw_count; ++i) calibration.contradicted_draws.push_back(i);
  CHECK(posterior_draws(calibration).size() == posterior_draw_count);
}

TEST_CASE("values follow from z-scores by the prior of the calibration, the likeliest sample is its mean") {
  const auto calibration = two_parameters();
  const auto posterior = find_posterior(shipped_priors(), &calibration, question, 20, 1);
  CHECK(posterior.mode.nic_efficiency == Approx(2 * std::exp(0.5 * 0.7)).epsilon(1e-12));
  CHECK(posterior.mode.net_latency_s == Approx(2 * std::exp(0.5 * -1.2)).epsilon(1e-12));
  const auto nic = column(posterior.samples, "nic_efficiency");
  for (std::size_t w = 0; w < nic.size(); ++w)
    CHECK(posterior.samples.values[w].nic_efficiency == Approx(2 * std::exp(0.5 * nic[w])).epsilon(1e-12));
}

TEST_CASE("correlations that rounding made impossible still give samples, near the errors they had") {
  Calibration calibration = two_parameters();
  calibration.parameters.push_back(calibrated("sync_share", {"nccl-ib", "horovod", {}, "", 0}, 0, 0.5));
  // the third is the sum of the others: its correlations are the root of 0.55, 0.74162, rounded up
  calibration.correlation = {{}, {0.1}, {0.7417, 0.7417}};
  const auto posterior = find_posterior(shipped_priors(), &calibration, question, posterior_draw_count, 1);
  for (const auto& sample : posterior.samples.z_scores)
    for (const double z_score : sample) CHECK(std::isfinite(z_score));
  CHECK(deviation_of(column(posterior.samples, "sync_share")) ==
        Approx(0.5).epsilon(4 / std::sqrt(2.0 * posterior_draw_count)));
}

TEST_CASE("parameters that were not calibrated keep their draws") {
  const auto calibration = two_parameters();
  const auto with = find_posterior(shipped_priors(), &calibration, question, 50, 3);
  const auto without = find_posterior(shipped_priors(), nullptr, question, 50, 3);
  for (const std::string name : {"interference", "sync_share", "model_discrepancy"})
    CHECK(column(with.samples, name) == column(without.samples, name));
}

TEST_CASE("of several that cover a question the one that names most holds") {
  Calibration calibration;
  calibration.parameters = {calibrated("sync_share", {}, 1, 0.1),
                            calibrated("sync_share", {"nccl-ib", "horovod", {}, "", 0}, 2, 0.1),
                            calibrated("sync_share", {"nccl-ib", "", {}, "", 0}, 3, 0.1),
                            calibrated("sync_share", {"nccl-ib", "horovod", Precision::amp, "", 0}, 4, 0.1)};
  calibration.correlation = {{}, {0}, {0, 0}, {0, 0, 0}};
  const auto at = [&](const CalibrationScope& scope) {
    return calibrated_fields(calibration, {"compute_measured", preset, false, scope})[field("sync_share")];
  };
  CHECK(at(asked) == 1);
  CHECK(at({"nccl-ib", "pytorch-ddp", Precision::fp32, "", 0}) == 2);
  CHECK(at({"grpc", "tf-ps", Precision::fp32, "", 0}) == 0);
  CHECK(at({"nccl-ib", "horovod", Precision::amp, "m", 32}) == 3);
  CHECK(calibrated_fields(calibration, question)[field("nic_efficiency")] == -1);
}

TEST_CASE("a stack takes what was learnt of the servers that it runs, and of its own schedule nothing") {
  Calibration calibration;
  calibration.parameters = {calibrated("server_duplex", {"nccl-tcp", "byteps", {}, "", 0}, 1, 0.1),
                            calibrated("sync_share", {"nccl-tcp", "byteps", {}, "", 0}, 1, 0.1)};
  calibration.correlation = {{}, {0}};
  Preset scheduled = preset;
  const PosteriorQuestion of_scheduled{
      "compute_measured", scheduled, true, {"nccl-tcp", "byteps-wfbp", Precision::fp32, "m", 32}};
  CHECK(calibrated_fields(calibration, of_scheduled)[field("server_duplex")] == -1);
  scheduled.servers_as = "byteps";
  CHECK(calibrated_fields(calibration, of_scheduled)[field("server_duplex")] == 0);
  CHECK(calibrated_fields(calibration, of_scheduled)[field("sync_share")] == -1);
}

namespace {

/// What a fit would start from today for `question`, with one prior of another width.
std::vector<Prior> todays_priors(const std::string& name, double median, double width) {
  auto priors = priors_of_fields(shipped_priors(), "compute_measured", "nccl-ib", "horovod");
  priors[field(name)].median = median;
  priors[field(name)].width = width;
  return priors;
}

std::vector<double> logs_of(const Draws& samples, double Parameters::*value) {
  std::vector<double> logs;
  for (const auto& sample : samples.values) logs.push_back(std::log(sample.*value));
  return logs;
}

Posterior with_priors(const Calibration& calibration, const std::vector<Prior>& fit_priors) {
  return find_posterior(shipped_priors(), &calibration, {"compute_measured", preset, false, asked, fit_priors}, 2000,
                        1);
}

} // namespace

TEST_CASE("what a fit did not identify is as wide as the prior of today, and at its median") {
  Calibration calibration;
  calibration.parameters = {calibrated("compute_factor", {}, 1.5, 0.95)}; // of a prior of 2, width 0.5
  calibration.correlation = {{}};
  const auto todays = todays_priors("compute_factor", 1, 1.5);
  const auto posterior = with_priors(calibration, todays);
  CHECK(posterior.mode.compute_factor == 1);
  CHECK(deviation_of(logs_of(posterior.samples, &Parameters::compute_factor)) == Approx(1.5).epsilon(0.01));
  SECTION("from the prior that it started from, what it moved stays") {
    const auto same = with_priors(calibration, todays_priors("compute_factor", 2, 0.5));
    CHECK(same.mode.compute_factor == Approx(2 * std::exp(0.5 * 1.5)));
    CHECK(deviation_of(logs_of(same.samples, &Parameters::compute_factor)) == Approx(0.5 * 0.95).epsilon(0.01));
  }
  SECTION("a highest value that the fit did not know is another prior") {
    auto bounded = todays_priors("compute_factor", 2, 0.5);
    bounded[field("compute_factor")].highest = 2.5;
    const auto below = with_priors(calibration, bounded);
    CHECK(below.mode.compute_factor == 2);
    const auto logs = logs_of(below.samples, &Parameters::compute_factor);
    CHECK(*std::max_element(logs.begin(), logs.end()) == Approx(std::log(2.5)));
  }
  SECTION("what it identified stays whatever the prior says today") {
    calibration.parameters[0].identified = true;
    const auto fitted = with_priors(calibration, todays);
    CHECK(fitted.mode.compute_factor == Approx(2 * std::exp(0.5 * 1.5)));
    CHECK(deviation_of(logs_of(fitted.samples, &Parameters::compute_factor)) == Approx(0.5 * 0.95).epsilon(0.01));
  }
}

TEST_CASE("the prior of today of one parameter leaves the others' spreads as they were") {
  auto calibration = two_parameters(); // correlated by -0.8
  calibration.parameters[0].identified = true;
  auto todays = todays_priors("net_latency", 1e-5, 0.6);
  const auto posterior = with_priors(calibration, todays);
  const auto nic = column(posterior.samples, "nic_efficiency");
  const auto latency = column(posterior.samples, "net_latency");
  CHECK(mean_of(nic) == Approx(0.7).margin(0.01));
  CHECK(deviation_of(nic) == Approx(0.3).epsilon(0.02));
  CHECK(deviation_of(latency) == Approx(1).epsilon(0.01)); // of today's prior
  CHECK(std::abs(correlation(nic, latency)) < 0.1);
}

TEST_CASE("of two that cover a question alike the one of the question's prior holds") {
  Calibration calibration;
  calibration.parameters = {calibrated("compute_factor", {}, 1, 0.1), calibrated("compute_factor", {}, 2, 0.1)};
  calibration.parameters[1].prior.width = 0.18;
  calibration.correlation = {{}, {0}};
  const auto at = [&](double width) {
    const PosteriorQuestion today{"compute_measured", preset, false, asked, todays_priors("compute_factor", 2, width)};
    return calibrated_fields(calibration, today)[field("compute_factor")];
  };
  CHECK(at(0.5) == 0);
  CHECK(at(0.18) == 1);
  CHECK(at(0.3) == 0); // neither: the first
}

TEST_CASE("a scope covers what agrees in all it names") {
  CHECK(covers({}, asked));
  CHECK(covers(asked, asked));
  CHECK(covers({"", "", {}, "resnet50_v1.5", 64}, asked));
  CHECK_FALSE(covers({"", "", {}, "resnet50_v1.5", 32}, asked));
  CHECK_FALSE(covers({"grpc", "", {}, "", 0}, asked));
  CHECK_FALSE(covers(asked, {}));
}

TEST_CASE("the library is the one that the calibration found, else the preset's likeliest") {
  Calibration calibration;
  calibration.choices = {{{"nccl-ib", "", {}, "", 0}, false, "nccl 2.3"}};
  CHECK(all_have(find_posterior(shipped_priors(), &calibration, question, 20, 1), nccl_2_3));
  CHECK(all_have(find_posterior(shipped_priors(), nullptr, question, 20, 1), nccl_2_8));
}

TEST_CASE("choices of servers, of another transport, or with unknown names do not decide an all-reduce") {
  for (const CalibratedChoice& choice : {CalibratedChoice{{"nccl-ib", "", {}, "", 0}, true, "round-robin"},
                                         CalibratedChoice{{"grpc", "", {}, "", 0}, false, "nccl 2.3"},
                                         CalibratedChoice{{"nccl-ib", "", {}, "", 0}, false, "open-mpi 4.0"}}) {
    Calibration calibration;
    calibration.choices = {choice};
    CHECK(all_have(find_posterior(shipped_priors(), &calibration, question, 20, 1), nccl_2_8));
  }
  Calibration servers;
  servers.choices = {{{}, true, "round-robin"}};
  const auto posterior = find_posterior(shipped_priors(), &servers, {"compute_measured", preset, true, asked}, 100, 1);
  for (const auto& sample : posterior.samples.values) CHECK(sample.sharding == Sharding::round_robin);
}

TEST_CASE("a batch that was not measured is like the model's others, the more the nearer") {
  const CalibrationScope of_13{"", "", Precision::bf16, "mpt", 13, 0.5, "compute_estimated"};
  Calibration calibration;
  calibration.parameters = {calibrated("compute_factor", of_13, -1, 0.1)};
  calibration.parameters[0].prior.median = 1;
  calibration.correlation = {{}};
  auto priors = shipped_priors();
  Prior wide = find_prior(priors, "compute_measured", "", "");
  wide.parameter = "compute_estimated";
  wide.width = 0.5;
  priors.push_back(wide);
  const auto factor_at = [&](double batch, const std::string& model) {
    const PosteriorQuestion at{"compute_estimated",
                               preset,
                               false,
                               {"nccl-ib", "horovod", Precision::bf16, model, batch, 0.6, "compute_estimated"}};
    return find_posterior(priors, &calibration, at, 100, 1);
  };
  const double found = 0.5 / (1 - 0.01); // the prior divided out
  const double alike = std::pow(ModelConstants{}.residual_per_doubling, std::log2(14.0 / 13));
  const double expected = -found * alike * 0.25 / (0.25 + 0.25 * 0.01 / 0.99);
  CHECK(std::log(factor_at(14, "mpt").mode.compute_factor) == Approx(expected).epsilon(1e-6));
  CHECK(std::log(factor_at(26, "mpt").mode.compute_factor) > std::log(factor_at(14, "mpt").mode.compute_factor));
  CHECK(factor_at(14, "gpt").mode.compute_factor == 1);
  CHECK(deviation_of(logs_of(factor_at(14, "mpt").samples, &Parameters::compute_factor)) <
        deviation_of(logs_of(factor_at(104, "mpt").samples, &Parameters::compute_factor)));
}
