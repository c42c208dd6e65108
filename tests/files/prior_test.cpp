#include "sim/files/prior.hpp"
#include "tests/files/sample_files.hpp"

#include <catch2/catch.hpp>

using ddlsim::find_prior;
using ddlsim::read_priors;

TEST_CASE("the most special prior is found") {
  const ddlsim_test::TemporaryFolder folder;
  const auto priors = read_priors(folder.write("priors.json", ddlsim_test::sample_priors().dump()));
  REQUIRE(priors.size() == 5);
  CHECK(find_prior(priors, "nic_efficiency", "nccl-ib", "horovod").median == 0.6);
  CHECK(find_prior(priors, "nic_efficiency", "nccl-ib", "tf-ps").median == 0.8);
  CHECK(find_prior(priors, "nic_efficiency", "grpc", "horovod").median == 0.7);
  CHECK(find_prior(priors, "nic_efficiency", "grpc", "tf-ps").median == 0.75);
  CHECK(find_prior(priors, "offset", "", "").scale == "linear");
  CHECK(priors[1].learnt_from == std::vector<std::string>{"iris"});
  CHECK_THROWS_WITH(
      find_prior(priors, "nic_eficiency", "", ""),
      "no prior is called \"nic_eficiency\"; did you mean nic_efficiency? there are: nic_efficiency, offset");
}

TEST_CASE("a parameter without a prior for this transport is told so") {
  std::vector<ddlsim::Prior> priors(1);
  priors[0].parameter = "x";
  priors[0].transport = "grpc";
  CHECK_THROWS_WITH(find_prior(priors, "x", "nccl-ib", "horovod"),
                    "no prior of \"x\" holds for transport \"nccl-ib\" and preset \"horovod\"; add one without them");
}

TEST_CASE("what is wrong with a prior is told") {
  const std::string never = "a second prior of \"nic_efficiency\" for the same transport and preset, which is never "
                            "reached; keep one, or say what the first was learnt from";
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_priors(),
      {{"/priors/0/median", "0", "/priors/0/median: 0 found; give a number above 0, without quotes or unit"},
       {"/priors/4/median", "-1", "/priors/4/median: -1 is out of range; give 0 or more"},
       {"/priors/0/width", "0", "/priors/0/width: 0 found; give a number above 0, without quotes or unit"},
       {"/priors/0/scale", "\"lin\"", "/priors/0/scale: \"lin\" found; give one of log, linear"},
       {"/priors/1/path", "\"vswitch\"", "/priors/1/path: \"vswitch\" found; give one of virtual-switch"},
       {"/priors/0/source", "", "/priors/0/source: missing; give a text"},
       {"/priors/2", R"({"parameter": "nic_efficiency", "median": 1, "width": 1, "unit": "1", "source": "x"})",
        "/priors/2: " + never}},
      [](const auto& file) { read_priors(file); });
}

TEST_CASE("a second prior counts where the first is dropped because its cluster is under test") {
  auto priors = ddlsim_test::sample_priors();
  auto second = priors["priors"][1]; // learnt from iris
  second["learnt_from"] = {"dlperf-v100"};
  priors["priors"].push_back(second);
  const ddlsim_test::TemporaryFolder folder;
  CHECK(read_priors(folder.write("priors.json", priors.dump())).size() == 6);
  priors["priors"][5]["learnt_from"] = {"dlperf-v100", "iris"}; // dropped whenever the first is
  CHECK_THROWS_AS(read_priors(folder.write("priors.json", priors.dump())), ddlsim::UserError);
}
