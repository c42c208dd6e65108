// Campaigns under a real Slurm, started here. Skipped without its packages.
#include "slurm_cluster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>

using namespace ddltrain_test;
using nlohmann::json;

namespace {

json run_named(const std::string& name, const std::vector<std::int64_t>& nodes,
               const std::vector<std::string>& arguments = {}) {
  return {{"name", name}, {"command", "collectives"}, {"nodes", nodes}, {"arguments", arguments}, {"time_limit_s", 60}};
}

void a_campaign_becomes_batch_jobs(const SlurmCluster& cluster) {
  const WorkFolder folder;
  folder.campaign({{"kind", "slurm"}}, json::array({run_named("ring", {1, 2})}));
  const Ended submitted = folder.measure();
  INFO(submitted.output);
  REQUIRE(submitted.status == 0);
  const bool all_ended = cluster.wait_until_empty();
  INFO(cluster.state());
  REQUIRE(all_ended);
  INFO(folder.read("out/parts/ddltrain-here-n2.log") + folder.read("out/parts/ring-n2-r1.log"));
  const auto records = records_in(folder.read("out/ring.jsonl"));
  REQUIRE(records.size() == 2);
  CHECK(records[1].at("ranks") == 2);
  CHECK(records[1].at("nodes") == 2);
  CHECK(has(folder.measure().output, "every part is measured"));
}

void each_rank_of_a_node_has_its_gpu(const SlurmCluster& cluster) {
  const WorkFolder folder;
  folder.cluster(R"({"gpu": "V100-SXM2-16GB", "gpus": 2})", 2);
  folder.campaign({{"kind", "slurm"}}, json::array({run_named("ring", {2})}));
  const Ended submitted = folder.measure();
  INFO(submitted.output);
  REQUIRE(submitted.status == 0);
  REQUIRE(cluster.wait_until_empty());
  INFO(folder.read("out/parts/ddltrain-here-n2.log") + folder.read("out/parts/ring-n2-r1.log"));
  const auto records = records_in(folder.read("out/ring.jsonl"));
  REQUIRE(records.size() == 1);
  CHECK(records[0].at("ranks") == 4);
  CHECK(records[0].at("nodes") == 2);
  CHECK(records[0].at("note") == "0101");
}

void mpirun_works_in_an_allocation_too(const SlurmCluster& cluster) {
  const WorkFolder folder;
  folder.campaign({{"kind", "slurm"}, {"start", "mpirun"}}, json::array({run_named("ring", {2})}));
  REQUIRE(folder.measure().status == 0);
  REQUIRE(cluster.wait_until_empty());
  INFO(folder.read("out/parts/ddltrain-here-n2.log") + folder.read("out/parts/ring-n2-r1.log"));
  const auto records = records_in(folder.read("out/ring.jsonl"));
  REQUIRE(records.size() == 1);
  CHECK(records[0].at("ranks") == 2);
}

/// Slurm signals USR1 a minute before the time is up: the job goes back into the queue, and the campaign goes on.
void a_job_whose_time_is_up_goes_on(const SlurmCluster& cluster) {
  const WorkFolder folder;
  const std::vector<std::string> wait_once = {"--wait", "100", "--unless", folder.path("time is up")};
  folder.campaign({{"kind", "slurm"}, {"resubmissions", 1}},
                  json::array({run_named("first", {2}), run_named("second", {2}, wait_once)}));
  std::vector<std::string> words = folder.measure_words();
  std::replace(words.begin(), words.end(), folder.path("out"), folder.path("out 50%")); // as sbatch must be told
  REQUIRE(run_program(words).status == 0);
  for (int i = 0; i < 600 && !folder.exists("out 50%/parts/second-n2-r1.running"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  folder.write("time is up", "");
  run_program({"scancel", "--batch", "--signal=USR1", "--name=ddltrain-here-n2"});
  REQUIRE(cluster.wait_until_empty());
  const std::string log = folder.read("out 50%/parts/ddltrain-here-n2.log");
  INFO(log);
  CHECK(has(log, "is queued again, 1 of 1 times"));
  CHECK(has(log, "2 parts, 1 of them to run"));
  CHECK(folder.exists("out 50%/first.jsonl"));
  CHECK(folder.exists("out 50%/second.jsonl"));
}

void what_was_measured_before_a_cut_stays(const SlurmCluster& cluster) {
  const WorkFolder folder;
  folder.campaign({{"kind", "slurm"}},
                  json::array({run_named("first", {2}), run_named("second", {2}, {"--wait", "100"})}));
  REQUIRE(folder.measure().status == 0);
  for (int i = 0; i < 600 && !folder.exists("out/parts/second-n2-r1.running"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  REQUIRE(folder.exists("out/first.jsonl") == false);                              // written when the job ends
  run_program({"scancel", "--batch", "--signal=TERM", "--name=ddltrain-here-n2"}); // a person ends it
  REQUIRE(cluster.wait_until_empty());
  CHECK(has(folder.read("out/parts/ddltrain-here-n2.log"), "stopped by signal Terminated"));
  CHECK(folder.exists("out/parts/first-n2-r1.jsonl"));
  CHECK_FALSE(folder.exists("out/parts/second-n2-r1.jsonl"));
  folder.campaign({{"kind", "slurm"}}, json::array({run_named("first", {2}), run_named("second", {2})}));
  REQUIRE(folder.measure().status == 0);
  REQUIRE(cluster.wait_until_empty());
  CHECK(has(folder.read("out/parts/ddltrain-here-n2.log"), "2 parts, 1 of them to run"));
  CHECK(folder.exists("out/first.jsonl"));
  CHECK(folder.exists("out/second.jsonl"));
}

#ifdef DDLTRAIN_WHOLE_PROGRAM
constexpr const char* pytorch = DDLSIM_SOURCE_DIR "/build/frameworks/pytorch/bin/python3";

/// DistributedDataParallel itself, a rank on each of two nodes.
void pytorch_trains_under_srun(const SlurmCluster& cluster) {
  const WorkFolder folder;
  json ddp = run_named("ddp", {2}, {"pytorch-ddp", "--data", "digits", "--train-samples", "512", "--anonymous"});
  ddp["command"] = "framework";
  folder.campaign({{"kind", "slurm"}}, json::array({ddp}));
  std::vector<std::string> words = folder.measure_words();
  std::replace(words.begin(), words.end(), std::string(DDLTRAIN_PAYLOAD), std::string(DDLTRAIN_WHOLE_PROGRAM));
  const Ended submitted = run_program(words);
  INFO(submitted.output);
  REQUIRE(submitted.status == 0);
  const bool all_ended = cluster.wait_until_empty();
  INFO(cluster.state());
  REQUIRE(all_ended);
  INFO(folder.read("out/parts/ddltrain-here-n2.log") + folder.read("out/parts/ddp-n2-r1.log"));
  const auto records = records_in(folder.read("out/ddp.jsonl"));
  REQUIRE(records.size() == 2);
  CHECK(records[0].at("record") == "loss");
  CHECK(records[1].at("preset") == "pytorch-gloo");
  CHECK(records[1].at("gpus") == 2);
  CHECK(records[1].at("repeats") == 6); // 512 digits are 8 steps of 2 x 32, of which 2 warm up
}
#endif

} // namespace

TEST_CASE("slurm: batch jobs of a campaign, with srun and mpirun, and after a cut") {
  if (const std::string cause = no_slurm_because(); !cause.empty()) {
    std::cout << "skipped: " << cause << "\n";
    return;
  }
  const SlurmCluster cluster; // once for all: it takes seconds to start
  a_campaign_becomes_batch_jobs(cluster);
  each_rank_of_a_node_has_its_gpu(cluster);
  mpirun_works_in_an_allocation_too(cluster);
  what_was_measured_before_a_cut_stays(cluster);
  a_job_whose_time_is_up_goes_on(cluster);
}

#ifdef DDLTRAIN_WHOLE_PROGRAM
TEST_CASE("slurm: srun starts a framework's ranks") {
  std::string cause = no_slurm_because();
  if (cause.empty() && !std::filesystem::exists(pytorch)) {
    cause = std::string(pytorch) + " is not there; install it with ./run frameworks pytorch";
  }
  if (!cause.empty()) {
    std::cout << "skipped: " << cause << "\n";
    return;
  }
  pytorch_trains_under_srun(SlurmCluster());
}
#endif
