// What servers were seen to serve while workers trained bounds a server process' rate from below, and no more.
#include "calibrate/priors/learn_priors.hpp"
#include "calibrate/priors/server_bounds.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace ddlsim {
namespace {

constexpr double site_spread = 0.45; // of server_process_rate

Prior judged_server() {
  return {"server_process_rate", "grpc", "tf-ps", 370e6, 0.7, PriorScale::log, "B/s", "judgement", {}};
}

SiteValue bound_of(double rate_Bps, double error = site_spread) {
  return {"seen", std::log(rate_Bps), error, true};
}

const std::vector<SiteValue> measured_sites{{"a", std::log(347e6), 0.135}, {"b", std::log(183e6), 0.06}};

std::vector<SiteValue> and_also(std::vector<SiteValue> sites, const SiteValue& one) {
  sites.push_back(one);
  return sites;
}

/// The share that a learnt prior, as the log-normal that it is kept as, expects below a rate.
double share_below(const LearntPrior& prior, double rate_Bps) {
  return std::erfc((std::log(prior.median) - std::log(rate_Bps)) / prior.width / std::sqrt(2.0)) / 2;
}

TEST_CASE("a bound far below all that is expected changes nothing", "[server bounds]") {
  for (const auto& sites : {std::vector<SiteValue>{}, measured_sites}) {
    const auto before = learn_prior(judged_server(), sites, site_spread);
    const auto after = learn_prior(judged_server(), and_also(sites, bound_of(1)), site_spread);
    CHECK(after.median == Approx(before.median).epsilon(1e-3));
    CHECK(after.width == Approx(before.width).epsilon(1e-3));
  }
}

TEST_CASE("a bound moves no mass below it, to any rate, and the more upwards the higher it is", "[server bounds]") {
  constexpr double rates_Bps[] = {50e6, 200e6, 500e6, 1e9, 2e9, 4e9};
  for (const auto& sites : {std::vector<SiteValue>{}, measured_sites}) {
    const auto none = learn_prior(judged_server(), sites, site_spread);
    auto lower = none;
    for (const double bound_Bps : rates_Bps) {
      const auto bounded = learn_prior(judged_server(), and_also(sites, bound_of(bound_Bps)), site_spread);
      CHECK(bounded.median >= lower.median);
      // Far above the bound a log-normal that got narrower below is narrower, too.
      for (const double rate_Bps : rates_Bps)
        if (rate_Bps <= bound_Bps) CHECK(share_below(bounded, rate_Bps) <= share_below(none, rate_Bps));
      lower = bounded;
    }
    CHECK(lower.median > 1.3 * none.median);
  }
}

TEST_CASE("a doubtful bound moves less than a sure one, and less than a value", "[server bounds]") {
  const auto learnt = [&](const SiteValue& one) {
    return learn_prior(judged_server(), and_also(measured_sites, one), site_spread).median;
  };
  CHECK(learnt(bound_of(1e9, 2)) < learnt(bound_of(1e9, 0.1)));
  auto value = bound_of(1e9, 0.1);
  value.at_least = false;
  CHECK(learnt(bound_of(200e6, 0.1)) > learnt({"seen", std::log(200e6), 0.1}));
}

/// Sites drawn around a planted centre; of each of them only a bound is seen, a share of its true rate.
TEST_CASE("bounds of planted sites do not lift what is expected beyond the truth", "[server bounds]") {
  constexpr double centre_Bps = 1.5e9;
  constexpr double tau = 0.3;
  std::mt19937_64 random(11);
  std::student_t_distribution<double> between(4);
  std::vector<SiteValue> sites;
  for (int i = 0; i < 20; ++i) {
    const double rate_Bps = centre_Bps * std::exp(tau * between(random));
    sites.push_back({"site-" + std::to_string(i), std::log(rate_Bps / 2), 0.1, true});
  }
  const auto before = learn_prior(judged_server(), {}, site_spread);
  const auto after = learn_prior(judged_server(), sites, site_spread);
  CHECK(after.median > centre_Bps / 2); // half of the sites' bounds lie above this
  // The judged prior expects 0.25 of the truth: it holds the centre down, and no bound says how far up it may go.
  CHECK(after.median < centre_Bps * std::exp(before.width));
}

TEST_CASE("a site's value comes before its bounds, of which the highest counts", "[server bounds]") {
  const auto sites = pooled({bound_of(1e9), bound_of(2e9), {"here", 1.0, 0.1}, {"here", 5.0, 0.1, true}});
  REQUIRE(sites.size() == 2);
  CHECK((sites[0].site == "here" && !sites[0].at_least && sites[0].mean == Approx(1.0)));
  CHECK((sites[1].site == "seen" && sites[1].at_least && sites[1].mean == Approx(std::log(2e9))));
}

MeasurementFile served(const std::string& cluster,
                       const std::vector<std::pair<double, double>>& bytes_and_processor_s) {
  MeasurementFile file;
  file.context.cluster = cluster;
  for (const auto& [bytes, processor_s] : bytes_and_processor_s) {
    ServerRecord record;
    record.head.series = "alexnet";
    record.head.transport = "grpc";
    record.what = kServerInTraining;
    record.workers = 2;
    record.preset = "tf-ps";
    record.bytes = bytes;
    record.messages = 100;
    record.processor_s = processor_s;
    file.records.emplace_back(record);
  }
  return file;
}

TEST_CASE("repeats are one figure, the highest figure is the bound, of the stack's own class", "[server bounds]") {
  auto general = judged_server();
  general.transport = general.preset = "";
  Cluster cluster;
  cluster.name = "here";
  cluster.site = "testbed";
  auto large = served("here", {{4e9, 2}, {4e9, 4}, {4e9, 8}});
  auto small = served("here", {{1e6, 1}});
  std::get<ServerRecord>(small.records.front()).head.series = "lenet5";
  auto push = served("here", {{4e9, 0.1}});
  std::get<ServerRecord>(push.records.front()).what = "push";
  SiteEvidence evidence;
  add_server_bounds(evidence, cluster, {judged_server(), general},
                    {small, large, push, served("elsewhere", {{9e9, 1}})});
  REQUIRE(evidence.size() == 1);
  CHECK(evidence.begin()->first == PriorClass{"server_process_rate", "grpc", "tf-ps", ""});
  const auto& values = evidence.begin()->second;
  REQUIRE(values.size() == 1);
  CHECK(std::exp(values.front().mean) == Approx(1e9));
  CHECK((values.front().site == "testbed" && values.front().at_least));
  CHECK(values.front().error == learnt_parameter("server_process_rate")->spread);
}

} // namespace
} // namespace ddlsim
