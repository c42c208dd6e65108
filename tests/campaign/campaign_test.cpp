#include "sim/base/error.hpp"
#include "trainer/campaign/campaign.hpp"
#include "trainer/campaign/part.hpp"
#include "work_folder.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>

using namespace ddltrain_test;
using nlohmann::json;

namespace {

std::string refused(const WorkFolder& folder) {
  try {
    ddltrain::read_campaign(folder.path(""), "here");
  } catch (const ddlsim::UserError& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("campaign: a run becomes a part for each combination, node count and repeat") {
  const WorkFolder folder;
  folder.campaign({{"kind", "local"}}, {{{"name", "steps"},
                                         {"command", "train"},
                                         {"arguments", {"--servers", "{nodes}"}},
                                         {"each", {{"--batch", {"32", "64"}}, {"--strategy", {"ring", "ps:1/2"}}}},
                                         {"nodes", {1, 2}},
                                         {"repeats", 3}}});
  const auto parts = ddltrain::parts_of(ddltrain::read_campaign(folder.path(""), "here"));
  REQUIRE(parts.size() == 2UL * 2 * 2 * 3);
  CHECK(parts[1].name == "steps-32-ps-1-2-n1-r1");
  CHECK(parts[1].arguments == std::vector<std::string>{"train", "--servers", "1", "--batch", "32", "--strategy",
                                                       "ps:1/2", "--cluster", "here"});
  CHECK(parts[8].name == "steps-32-ring-n1-r2"); // repeats are apart in time
  CHECK(parts[8].nodes == 1);
  CHECK(parts[4].nodes == 2);
  CHECK(parts[4].arguments[2] == "2");
}

TEST_CASE("campaign: what the file leaves open comes from the cluster file") {
  const WorkFolder folder;
  folder.cluster(R"({"gpu": "K80", "gpus": 4, "nics": [{"name": "nic", "bandwidth": "10 Gbps"}]})", 6);
  folder.campaign({{"kind", "slurm"}},
                  {{{"name", "a"}, {"command", "train"}, {"nodes", {6}}, {"arguments", {"--device", "cuda"}}}});
  const auto campaign = ddltrain::read_campaign(folder.path(""), "here");
  CHECK(campaign.runs[0].ranks_per_node == 4);
  CHECK(campaign.launcher.node_gpus == 4);
  CHECK(campaign.launcher.rate_Bps == 1.25e9);
  // A run on a GPU names it, so that another GPU is refused.
  CHECK(ddltrain::parts_of(campaign)[0].arguments ==
        std::vector<std::string>{"train", "--device", "cuda", "--gpu", "K80", "--cluster", "here"});
}

TEST_CASE("campaign: on a cluster of GPUs a run says which device it measures") {
  const WorkFolder folder;
  folder.cluster(R"({"gpu": "K80", "gpus": 4})", 6);
  const auto mistakes_of = [&](const std::string& command, const std::vector<std::string>& arguments) {
    folder.campaign({{"kind", "slurm"}}, {{{"name", "a"}, {"command", command}, {"arguments", arguments}}});
    return refused(folder);
  };
  CHECK(has(mistakes_of("layers", {"lenet5"}),
            "/runs/0/arguments: no \"--device\" found, and the cluster computes on K80"));
  CHECK(mistakes_of("layers", {"lenet5", "--device=cpu"}).empty());
  CHECK(mistakes_of("train", {"--replay", "profile.json"}).empty()); // waits, and says so
  CHECK(mistakes_of("link", {}).empty());
}

TEST_CASE("campaign: what sites' Slurm wants is read, and nothing else") {
  const WorkFolder folder;
  const json runs = {{{"name", "a"}, {"command", "link"}}};
  folder.campaign(
      {{"kind", "slurm"}, {"gpu_bind", "none"}, {"srun", {"--x"}}, {"resubmissions", 3}, {"cores_per_rank", 2}}, runs);
  const auto launcher = ddltrain::read_campaign(folder.path(""), "here").launcher;
  CHECK(launcher.gpu_binding == ddltrain::GpuBinding::none);
  CHECK(launcher.srun == std::vector<std::string>{"--x"});
  CHECK(launcher.resubmissions == 3);
  CHECK(launcher.cores_per_rank == 2);
  folder.campaign({{"kind", "slurm"}, {"gpu_bind", "some"}}, runs);
  CHECK(has(refused(folder), "/launcher/gpu_bind: \"some\" found; give one of map, none"));
}

TEST_CASE("campaign: on a testbed a run may have links of its own rate") {
  const WorkFolder folder;
  const json runs = {{{"name", "usual"}, {"command", "train"}},
                     {{"name", "slow"}, {"command", "train"}, {"rate", "100 Mbps"}}};
  folder.campaign({{"kind", "testbed"}}, runs);
  const auto parts = ddltrain::parts_of(ddltrain::read_campaign(folder.path(""), "here"));
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].rate_Bps == 0); // the launcher's
  CHECK(parts[1].rate_Bps == 12.5e6);
  folder.campaign({{"kind", "local"}}, runs);
  CHECK(has(refused(folder), "/runs/1/rate: unknown key"));
}

TEST_CASE("campaign: every mistake is reported at once, with its place") {
  const WorkFolder folder;
  folder.campaign({{"kind", "testbet"}, {"rate", 5}},
                  {{{"name", "a b"}, {"command", "trian"}, {"nodes", {0}}},
                   {{"name", "c"}, {"command", "train"}, {"nodes", {9}}, {"repeat", 2}},
                   {{"name", "c"}, {"command", "link"}, {"each", {{"--x", 3}}}}});
  const std::string message = refused(folder);
  CHECK(has(message, "/launcher/kind: \"testbet\" found, one of local, mpirun, slurm, testbed expected; did you mean "
                     "\"testbed\"?"));
  CHECK(has(message, "/runs/0/name: \"a b\" found"));
  CHECK(has(message, "/runs/0/command: \"trian\" found"));
  CHECK(has(message, "/runs/0/nodes/0: 0 found"));
  CHECK(has(message, "/runs/1/nodes: 9 found, the cluster has 8"));
  CHECK(has(message, "/runs/1/repeat: unknown key; did you mean \"repeats\"?"));
  CHECK(has(message, "/runs/2/name: \"c\" is there twice"));
  CHECK(has(message, "/runs/2/each/--x"));
}

TEST_CASE("campaign: numbers that no campaign has are mistakes, and lists of starts stay short") {
  const WorkFolder folder;
  constexpr auto beyond_a_long = std::numeric_limits<std::uint64_t>::max(); // would be -1
  folder.campaign({{"kind", "slurm"}, {"job_time_limit_s", 1e300}},
                  {{{"name", "a"}, {"command", "link"}, {"nodes", {beyond_a_long}}, {"time_limit_s", 1e10}}});
  const std::string message = refused(folder);
  CHECK(has(message, "/launcher/job_time_limit_s: 1e+300 found; give at most 1000000000"));
  CHECK(has(message, "/runs/0/nodes/0: 18446744073709551615 found; give a whole number from 1 to 1000000"));
  CHECK(has(message, "/runs/0/time_limit_s: 10000000000 found"));
  const std::vector<std::string> many(100, "x");
  folder.campaign({{"kind", "local"}},
                  {{{"name", "a"}, {"command", "link"}, {"each", {{"--a", many}, {"--b", many}, {"--c", many}}}}});
  CHECK(has(refused(folder), "/runs: they are 1e+06 starts of ddltrain"));
  folder.campaign(
      {{"kind", "local"}},
      {{{"name", "a"}, {"command", "link"}, {"repeats", 1000}, {"arguments", {std::string(1'000'000, 'x')}}}});
  CHECK(has(refused(folder), "/runs: the arguments of all 1000 starts are 1e+09 bytes; give at most 1e+08"));
}

TEST_CASE("campaign: two starts of one name would share a file") {
  const WorkFolder folder;
  const auto mistakes_of = [&](const json& runs) {
    folder.campaign({{"kind", "local"}}, runs);
    try {
      ddltrain::parts_of(ddltrain::read_campaign(folder.path(""), "here"));
    } catch (const ddlsim::UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const json plain = {{"name", "a"}, {"command", "link"}};
  CHECK(mistakes_of(json::array({plain})).empty());
  json twice = plain;
  twice["nodes"] = {2, 2};
  CHECK(has(mistakes_of(json::array({twice})), "two starts of ddltrain would both be called \"a-n2-r1\""));
  json alike = plain;
  alike["each"] = {{"--x", {"1/2", "1-2"}}};
  CHECK(has(mistakes_of(json::array({alike})), "\"a-1-2-n1-r1\""));
  json inner = plain;
  inner["each"] = {{"--x", {"b"}}};
  CHECK(has(mistakes_of(json::array({inner, {{"name", "a-b"}, {"command", "link"}}})), "\"a-b-n1-r1\""));
}

TEST_CASE("campaign: files that are none") {
  const WorkFolder folder;
  CHECK(has(refused(folder), "campaign.json"));
  folder.write("platforms/here/campaign.json", "{");
  CHECK(has(refused(folder), "campaign.json"));
  folder.write("platforms/here/campaign.json", "[]");
  CHECK(has(refused(folder), "an object expected"));
  folder.campaign({{"kind", "mpirun"}}, json::array());
  CHECK(has(refused(folder), "/launcher/hosts: missing"));
  CHECK(has(refused(folder), "/runs: give at least one run"));
  folder.campaign({{"kind", "mpirun"}, {"hosts", {"a", "b"}}}, {{{"name", "x"}, {"command", "train"}, {"nodes", {3}}}});
  CHECK(has(refused(folder), "3 found, the cluster has 2"));
}

TEST_CASE("campaign: rates have a unit, and a launcher no keys of another kind") {
  const WorkFolder folder;
  const json runs = {{{"name", "x"}, {"command", "train"}}};
  folder.campaign({{"kind", "testbed"}, {"rate", "200"}}, runs);
  CHECK(has(refused(folder), "/launcher/rate: \"200\" has no unit"));
  folder.campaign({{"kind", "testbed"}, {"rate", "1.5 GB/s"}}, runs);
  CHECK(ddltrain::read_campaign(folder.path(""), "here").launcher.rate_Bps == 1.5e9);
  folder.campaign({{"kind", "local"}, {"rate", "1 Gbps"}}, runs);
  CHECK(has(refused(folder), "/launcher/rate: unknown key"));
}
