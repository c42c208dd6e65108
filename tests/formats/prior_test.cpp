#include "sim/formats/parameters.hpp"
#include "sim/formats/prior_book.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>

namespace ddlsim {
namespace {

PriorBook sample_book() {
  const ddlsim_test::TemporaryFolder folder;
  return read_priors(folder.write("priors.json", ddlsim_test::sample_priors().dump()));
}

TEST_CASE("the most special prior is found", "[priors]") {
  const auto priors = sample_book().expected;
  REQUIRE(priors.size() == 5);
  CHECK(find_prior(priors, "nic_efficiency", "nccl-ib", "horovod").median == 0.6);
  CHECK(find_prior(priors, "nic_efficiency", "nccl-ib", "tf-ps").median == 0.8);
  CHECK(find_prior(priors, "nic_efficiency", "grpc", "horovod").median == 0.7);
  CHECK(find_prior(priors, "nic_efficiency", "grpc", "tf-ps").median == 0.75);
  CHECK(find_prior(priors, "offset", "", "").scale == PriorScale::linear);
  CHECK(priors[1].shaped_by == std::vector<std::string>{"iris"});
  CHECK_THROWS_WITH(
      find_prior(priors, "nic_eficiency", "", ""),
      "no prior is called \"nic_eficiency\"; did you mean nic_efficiency? there are: nic_efficiency, offset");
}

TEST_CASE("a parameter without a prior for this transport is reported", "[priors]") {
  std::vector<Prior> priors(1);
  priors[0].parameter = "x";
  priors[0].transport = "grpc";
  CHECK_THROWS_WITH(find_prior(priors, "x", "nccl-ib", "horovod"),
                    "no prior of \"x\" holds for transport \"nccl-ib\" and preset \"horovod\"; add one without them");
}

TEST_CASE("what is wrong with an expected row is reported", "[priors]") {
  const std::string never = "a second row of \"nic_efficiency\" for the same transport and preset, which is never "
                            "reached; keep one, or say which sites shaped the first";
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_priors(),
      {{"/version", "2", "/version: 2 found; this ddlsim reads version 3"},
       {"/expected/0/median", "0", R"(/expected/0/median: 0 found; give a number above 0, or "scale": "linear")"},
       {"/expected/4/median", "-1", "/expected/4/median: -1 is out of range; give 0 or more"},
       {"/expected/0/width", "0", "/expected/0/width: 0 found; give a number above 0, without quotes or unit"},
       {"/expected/0/width", "200", "/expected/0/width: 200 is out of range; give 1e-06 to 100"},
       {"/expected/0/highest", "0.5", "/expected/0/highest: 0.5 is out of range; give 0.75 or more"},
       {"/expected/0/scale", "\"lin\"", "/expected/0/scale: \"lin\" found; give one of log, linear, heavy-log"},
       {"/expected/1/path", "\"vswitch\"",
        "/expected/1/path: \"vswitch\" found; give one of virtual-switch, efa, ip-over-fabric, host-memory"},
       {"/expected/0/source", "", "/expected/0/source: missing; give a text, or the list of its lines"},
       {"/expected/4", R"({"parameter": "nic_efficiency", "median": 1, "width": 1, "unit": "1", "source": "x"})",
        "/expected/4: " + never}},
      [](const auto& file) { read_priors(file); });
}

TEST_CASE("what is wrong with what a site says is reported", "[priors]") {
  const auto value = [](const char* text) { return "{\"parameter\": " + std::string(text) + "}"; };
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_priors(),
      {{"/sites/0/values/1/value", "-1",
        "/sites/0/values/1/value: -1 found; give a number above 0, without quotes or unit"},
       {"/sites/0/values/1/error", "0", "/sites/0/values/1/error: 0 is out of range; give 1e-06 to 100"},
       {"/sites/0/values/1/error", "1e300", "/sites/0/values/1/error: 1e+300 is out of range; give 1e-06 to 100"},
       {"/sites/0/values/1/at_least", "true",
        "/sites/0/values/1/at_least: unknown key; known here: parameter, transport, preset, path, inside, "
        "compute_capability, value, error"},
       {"/sites/0/values/1", value(R"("nic_eficiency", "value": 1, "error": 1)"),
        "/sites/0/values/1/parameter: \"nic_eficiency\" is not learnt from sites; remove the value"},
       {"/sites/0/values/1", value(R"("net_latency", "value": 1, "error": 1)"),
        "/sites/0/values/1: no row of \"expected\" is of net_latency; add one, or remove the value"},
       {"/sites/0/values/0", value(R"("nic_efficiency", "value": 1, "error": 1)"),
        "/sites/0/values/1: a second value of nic_efficiency from this site; keep one"},
       {"/sites/0/values", "7", "/sites/0/values: 7 found, a list expected; write [...]"},
       {"/sites/1", R"({"site": "iris", "values": []})", "/sites/1/site: a second summary of \"iris\"; keep one"}},
      [](const auto& file) { read_priors(file); });
}

TEST_CASE("a second row of a class counts where a site that shaped the first is unseen", "[priors]") {
  auto priors = ddlsim_test::sample_priors();
  auto second = priors["expected"][1]; // shaped by iris
  second["shaped_by"] = {"dlperf-v100"};
  second["median"] = 0.5;
  priors["expected"].push_back(second);
  const ddlsim_test::TemporaryFolder folder;
  const auto book = read_priors(folder.write("priors.json", priors.dump()));
  CHECK(find_prior(without_site(book, "iris").expected, "nic_efficiency", "nccl-ib", "").median == 0.5);
  priors["expected"][5]["shaped_by"] = {"dlperf-v100", "iris"}; // dropped whenever the first is
  CHECK_THROWS_AS(read_priors(folder.write("priors.json", priors.dump())), UserError);
}

TEST_CASE("a book is read back as it was written", "[priors]") {
  const auto book = sample_book();
  const ddlsim_test::TemporaryFolder folder;
  const auto again = read_priors(folder.write("priors.json", priors_json(book)));
  CHECK(again.model == "1");
  CHECK(again.sites.front().values.front().value == 0.5);
  CHECK(priors_json(again) == priors_json(book));
  CHECK(priors_json(read_priors(folder.write("none.json", priors_json({"", book.expected, {}, {}})))).find("model") ==
        std::string::npos);
}

/// Expected of a parameter whose sites differ by 0.45, before any was seen.
Prior expected_rate(const std::string& preset, double median_Bps) {
  return {"server_process_rate", "", preset, median_Bps, 0.6, PriorScale::log, "B/s", "judgement", {}};
}

SiteSummary says(const std::string& site, const std::string& preset, double median_Bps) {
  return {site, {{{"server_process_rate", "", preset}, median_Bps, 0.05}}};
}

TEST_CASE("a class is learnt from its sites, and what one says goes when it is unseen", "[priors]") {
  const PriorBook book{"",
                       {expected_rate("", 1e9), expected_rate("byteps", 4e9)},
                       {says("a", "byteps", 2e9), says("b", "byteps", 2.1e9), says("c", "byteps", 1.9e9)}};
  const auto byteps = [](const PriorBook& from, const std::string& without = "") {
    return find_prior(priors_for(from, without), "server_process_rate", "grpc", "byteps");
  };
  CHECK(byteps(book).median == Approx(2e9).epsilon(0.1));
  CHECK(byteps(book).width < 0.45);
  CHECK(byteps(book).shaped_by == std::vector<std::string>{"a", "b", "c"});
  CHECK(byteps(book).source == "learnt from 3 sites; before: 4e+09, judgement");
  CHECK(byteps(book, "c").shaped_by == std::vector<std::string>{"a", "b"});
  const auto unseen = byteps({"", book.expected, {book.sites[0]}}, "a");
  CHECK(unseen.median == 4e9);
  CHECK(unseen.width == Approx(std::hypot(0.6, 0.45)).epsilon(0.01));
  CHECK(unseen.source == "judgement");
  const auto general = find_prior(priors_for(book), "server_process_rate", "grpc", "tf-ps");
  CHECK(general.median == 1e9);
  CHECK(general.width < unseen.width); // how sites differ is known from those of another class
}

TEST_CASE("five sites that agree are not widened by another class whose sites differ", "[priors]") {
  PriorBook book{"", {expected_rate("", 1e9), expected_rate("byteps", 4e9)}, {}};
  for (const double rate_Bps : {1e9, 3e9, 0.4e9, 2e9})
    book.sites.push_back(says("a" + std::to_string(rate_Bps), "", rate_Bps));
  for (const double rate_Bps : {4e9, 4.1e9, 3.8e9, 4.2e9})
    book.sites.push_back(says("b" + std::to_string(rate_Bps), "byteps", rate_Bps));
  const auto width = [&] { return find_prior(priors_for(book), "server_process_rate", "grpc", "byteps").width; };
  const double of_four = width();
  book.sites.push_back(says("b", "byteps", 3.9e9));
  CHECK(of_four > 0.3);
  CHECK(width() < 0.2);
}

TEST_CASE("a prior of later GPUs holds for them alone, and comes first there", "[priors]") {
  auto later = expected_rate("", 4e9);
  later.from_capability = 80;
  const std::vector<Prior> priors{expected_rate("", 1e9), later};
  const auto median = [&](int capability) {
    return find_prior(priors_on(Cluster{}, priors, capability), "server_process_rate", "", "").median;
  };
  CHECK(median(90) == 4e9);
  CHECK(median(80) == 4e9);
  CHECK(median(70) == 1e9);
  CHECK(median(0) == 1e9);
  CHECK(to_text(class_of(later)) == "server_process_rate, GPUs from 8.0");
}

TEST_CASE("a class whose expected row was shaped by the unseen site stands on the more general one", "[priors]") {
  auto shaped = expected_rate("byteps", 4e9);
  shaped.shaped_by = {"a"};
  const PriorBook book{"", {expected_rate("", 1e9), shaped}, {says("a", "byteps", 8e9), says("b", "byteps", 2e9)}};
  const auto left = priors_for(book, "a");
  REQUIRE(left.size() == 2);
  const auto& byteps = find_prior(left, "server_process_rate", "grpc", "byteps");
  CHECK(byteps.preset == "byteps");
  CHECK(byteps.median > 1e9);
  CHECK(byteps.median < 2e9);
  CHECK(byteps.shaped_by == std::vector<std::string>{"b"});
}

TEST_CASE("what sites say is not counted again by the row that they shaped", "[priors]") {
  auto shaped = expected_rate("byteps", 4e9);
  shaped.shaped_by = {"a"};
  const auto judged = expected_rate("byteps", 1e9);
  const auto source = [&](const std::vector<SiteSummary>& sites) {
    return priors_for({"", {shaped, judged}, sites}).front().source;
  };
  CHECK(source({says("a", "byteps", 8e9)}) == "learnt from one site; before: 1e+09, judgement");
  CHECK(priors_for({"", {shaped, judged}, {}}).front().median == 4e9);
}

TEST_CASE("what is learnt is no more than the highest, and a parameter without width stands at its median",
          "[priors]") {
  auto share = expected_rate("", 0.9);
  share.parameter = "nic_efficiency";
  share.highest = 1;
  PriorBook book{"", {share}, {{"a", {{{"nic_efficiency"}, 1.1, 0.01}}}, {"b", {{{"nic_efficiency"}, 1.1, 0.01}}}}};
  CHECK(priors_for(book).front().median == 1);
  CHECK(priors_for(book).front().width > 0.01);
  book.without_width = {"nic_efficiency"};
  CHECK(priors_for(book).front().median == 1);
  CHECK(prior_value(priors_for(book).front(), -3) == Approx(1));
}

TEST_CASE("what is not learnt from sites stays as it is expected", "[priors]") {
  auto compute = expected_rate("", 1);
  compute.parameter = "compute_measured";
  auto linear = expected_rate("", 0.5);
  linear.scale = PriorScale::linear;
  for (const auto& prior : priors_for({"", {compute, linear}, {}})) CHECK(prior.width == 0.6);
}

} // namespace
} // namespace ddlsim
