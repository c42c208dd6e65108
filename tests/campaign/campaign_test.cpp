#include "sim/base/error.hpp"
#include "trainer/campaign/campaign.hpp"
#include "trainer/campaign/host_network.hpp"
#include "trainer/campaign/launcher.hpp"
#include "trainer/campaign/part.hpp"
#include "trainer/campaign/slurm_launcher.hpp"
#include "work_folder.hpp"

#include <catch2/catch.hpp>

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

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ddltrain::LaunchJob job_of(std::int64_t nodes, std::int64_t ranks_per_node) {
  ddltrain::LaunchJob job;
  job.words = {"ddltrain", "train"};
  job.nodes = nodes;
  job.ranks_per_node = ranks_per_node;
  return job;
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
  REQUIRE(parts.size() == 2 * 2 * 2 * 3);
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
  folder.campaign({{"kind", "slurm"}}, {{{"name", "a"}, {"command", "train"}, {"nodes", {6}}}});
  const auto campaign = ddltrain::read_campaign(folder.path(""), "here");
  CHECK(campaign.runs[0].ranks_per_node == 4);
  CHECK(campaign.launcher.node_gpus == 4);
  CHECK(campaign.launcher.rate_Bps == 1.25e9);
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
  const std::string told = refused(folder);
  CHECK(has(told, "/launcher/kind: \"testbet\" found, one of local, mpirun, slurm, testbed expected; did you mean "
                  "\"testbed\"?"));
  CHECK(has(told, "/runs/0/name: \"a b\" found"));
  CHECK(has(told, "/runs/0/command: \"trian\" found"));
  CHECK(has(told, "/runs/0/nodes/0: 0 found"));
  CHECK(has(told, "/runs/1/nodes: 9 found, the cluster has 8"));
  CHECK(has(told, "/runs/1/repeat: unknown key; did you mean \"repeats\"?"));
  CHECK(has(told, "/runs/2/name: \"c\" is there twice"));
  CHECK(has(told, "/runs/2/each/--x"));
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

TEST_CASE("launchers: ranks fill nodes") {
  ddltrain::LauncherChoice choice;
  choice.hosts = {"a", "b", "c"};
  const std::string line = ddltrain::shell_line(ddltrain::mpirun_launcher(choice)->words(job_of(2, 4)));
  CHECK(has(line, "mpirun -np 8 --host a:4,b:4 --map-by slot"));
  CHECK(has(line, "ddltrain train"));
  choice.node_gpus = 4;
  const std::string srun = ddltrain::shell_line(ddltrain::slurm_launcher(choice)->words(job_of(2, 4)));
  CHECK(has(srun, "srun --mpi=pmix --nodes=2 --ntasks-per-node=4"));
  CHECK(has(srun, "--gpus-per-node=4 --gpu-bind=map_gpu:0,1,2,3 ddltrain train"));
}

TEST_CASE("launchers: the batch script says what it needs") {
  ddltrain::LauncherChoice choice;
  choice.node_gpus = 4;
  choice.partition = "gpu";
  choice.job_time_limit_s = 5400;
  choice.sbatch = {"--account=me"};
  choice.before = {"module load OpenMPI"};
  ddltrain::SlurmJob job;
  job.name = "j";
  job.nodes = 2;
  job.ranks_per_node = 4;
  job.folder = "/a b";
  job.words = {"ddltrain", "measure", "--only", "it's"};
  const std::string script = ddltrain::slurm_script(choice, job);
  for (const char* line : {"--nodes=2\n", "--ntasks-per-node=4\n", "--exclusive\n", "--gpus-per-node=4\n",
                           "--time=01:30:00\n", "--partition=gpu\n", "--account=me\n",
                           "cd '/a b'\nmodule load OpenMPI\n", "exec ddltrain measure --only 'it'\\''s'\n"}) {
    CHECK(has(script, line));
  }
}
