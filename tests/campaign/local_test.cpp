// Campaigns on this machine, as a user runs them.
#include "work_folder.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace ddltrain_test;
using nlohmann::json;

namespace {

const json local_launcher_json = {{"kind", "local"}, {"busy_cores", 1000}};

/// A process that is no part of the campaign and keeps a core busy: this one.
class BusyNeighbour {
public:
  BusyNeighbour()
      : thread_([this] {
          while (!stop_) {
          }
        }) {}
  ~BusyNeighbour() {
    stop_ = true;
    thread_.join();
  }
  BusyNeighbour(const BusyNeighbour&) = delete;
  BusyNeighbour& operator=(const BusyNeighbour&) = delete;

private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

} // namespace

TEST_CASE("local: a campaign becomes records, and a second start has nothing to do") {
  const WorkFolder folder;
  folder.campaign(
      local_launcher_json,
      {{{"name", "ring"}, {"command", "collectives"}, {"nodes", {1, 2}}, {"each", {{"--size", {"4096"}}}}}});
  const Ended plan = folder.measure({"--dry-run"});
  CHECK(plan.status == 0);
  CHECK(has(plan.output, "ring-4096-n2-r1: mpirun -np 2"));
  CHECK_FALSE(folder.exists("out"));
  const Ended first = folder.measure();
  INFO(first.output);
  REQUIRE(first.status == 0);
  const auto records = records_in(folder.read("out/ring.jsonl"));
  REQUIRE(records.size() == 2);
  CHECK(records[0].at("ranks") == 1);
  CHECK(records[1].at("ranks") == 2);
  const Ended second = folder.measure();
  CHECK(second.status == 0);
  CHECK(has(second.output, "2 parts, 0 of them to run"));
}

TEST_CASE("local: an own cluster is named by its path, and its records come into its folder") {
  const WorkFolder folder;
  folder.campaign(local_launcher_json,
                  {{{"name", "ring"}, {"command", "collectives"}, {"arguments", {"--size", "4096"}}}});
  const Ended ended = run_program({DDLTRAIN_PROGRAM, "measure", "--cluster", folder.path("platforms/here"), "--data",
                                   folder.path(""), "--program", DDLTRAIN_PAYLOAD});
  INFO(ended.output);
  REQUIRE(ended.status == 0);
  CHECK(has(folder.read("platforms/here/measurements/parts/ring-n1-r1.log"), "--cluster here\n"));
  CHECK(records_in(folder.read("platforms/here/measurements/ring.jsonl")).size() == 1);
  const Ended none = run_program({DDLTRAIN_PROGRAM, "measure", "--cluster", folder.path("platforms/there")});
  CHECK(none.status == 2);
  CHECK(has(none.output, "there/cluster.json"));
}

TEST_CASE("local: a part that fails keeps its log, stops no other, and is run again") {
  const WorkFolder folder;
  const json good = {{"name", "good"}, {"command", "collectives"}};
  folder.campaign(local_launcher_json, {{{"name", "bad"}, {"command", "train"}, {"arguments", {"--fail"}}}, good});
  const Ended first = folder.measure();
  CHECK(first.status == 1);
  CHECK(has(first.output, "1 of 2 parts failed:"));
  CHECK(has(first.output, "bad-n1-r1: exit status 3"));
  CHECK(folder.exists("out/parts/bad-n1-r1.running"));
  CHECK_FALSE(folder.exists("out/bad.jsonl"));
  CHECK(folder.exists("out/good.jsonl"));
  folder.campaign(local_launcher_json, {{{"name", "bad"}, {"command", "train"}}, good});
  const Ended second = folder.measure();
  CHECK(second.status == 0);
  CHECK(has(second.output, "[1/1] bad-n1-r1"));
  CHECK(folder.exists("out/bad.jsonl"));
}

TEST_CASE("local: a part has its time, and ends with it") {
  const WorkFolder folder;
  folder.campaign(local_launcher_json,
                  {{{"name", "slow"}, {"command", "train"}, {"arguments", {"--wait", "60"}}, {"time_limit_s", 2}}});
  const Ended ended = folder.measure();
  CHECK(ended.status == 1);
  CHECK(has(ended.output, "slow-n1-r1: not done after 2 s"));
}

TEST_CASE("local: disturbed parts are marked, and measured again when asked") {
  const WorkFolder folder;
  folder.campaign({{"kind", "local"}}, {{{"name", "ring"}, {"command", "collectives"}}});
  {
    const BusyNeighbour neighbour; // far above the 0.15 of a core that do no harm
    CHECK(has(folder.measure().output, ", suspect"));
  }
  const auto records = records_in(folder.read("out/ring.jsonl"));
  REQUIRE(records.size() == 1);
  CHECK(records[0].at("suspect") == true);
  CHECK(has(records[0].at("note"), "others kept "));
  folder.campaign(local_launcher_json, {{{"name", "ring"}, {"command", "collectives"}}});
  CHECK(has(folder.measure().output, "0 of them to run"));
  CHECK(has(folder.measure({"--repeat-suspect"}).output, "1 of them to run"));
  CHECK(records_in(folder.read("out/ring.jsonl"))[0].count("suspect") == 0);
}

TEST_CASE("local: what cannot be is refused with status 2") {
  const WorkFolder folder;
  CHECK(folder.measure().status == 2); // no campaign
  folder.campaign(local_launcher_json, {{{"name", "ring"}, {"command", "collectives"}}});
  const Ended ended = folder.measure({"--only", "rign"});
  CHECK(ended.status == 2);
  CHECK(has(ended.output, "--only: no run of the campaign is called \"rign\"; did you mean ring?"));
  CHECK(folder.measure({"--cluster", "nowhere"}).status == 2);
}
