#include "tests/trainer/check_records.hpp"
#include "trainer/records/record_file.hpp"
#include "trainer/run_error.hpp"

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>

namespace {

ddlsim::Context context() {
  ddlsim::Context record;
  record.cluster = "testbed";
  record.machine = "a machine";
  record.software = "LibTorch 1.13.0";
  record.date = "2026-05-07";
  record.who = "a test";
  record.source_title = "a test";
  return record;
}

ddltrain::RecordHead full_head() {
  ddltrain::RecordHead head = ddltrain::own_head("a series");
  head.transport = "mpi-tcp";
  head.library = "open-mpi";
  head.repeats = 3;
  head.relative_spread = 0.0123456789;
  head.suspect = true;
  head.note = "quotes \" and \xc3\xa9";
  head.samples_s = {0.123456789, 1e-7, 2};
  return head;
}

ddltrain::StepRecord step(const std::string& strategy) {
  ddltrain::StepRecord record = ddltrain::plain_step(full_head());
  record.model = "lenet5";
  record.batch_per_gpu = 8;
  record.preset = "pytorch-ddp";
  record.strategy.name = ddltrain::named_value<ddlsim::StrategyName>(strategy);
  record.strategy.servers = {ddlsim::ServerCount::Rule::count, 2};
  record.strategy.placement = ddlsim::Placement::colocated;
  record.strategy.sharding = ddlsim::Sharding::bytes;
  record.gpus = record.nodes = 4;
  record.synchronised = strategy != "none";
  record.iteration_s = 0.25;
  return record;
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

ddltrain::LayersRecord table_of_one() {
  ddltrain::LayersRecord table;
  table.head = ddltrain::own_head("layers");
  table.model = "lenet5";
  table.layers = {{"conv1", "conv", 0, 0}};
  ddlsim::LayerTiming timing;
  timing.batch = 1;
  timing.passes[ddlsim::LayerPass::backward] = {{0, 1e-3, 0}};
  table.timings = {timing};
  return table;
}

/// Files of this process cannot grow beyond `bytes` while it lives: a full disk, as a write sees it.
class FullDisk {
public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    ignored_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit full = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &full);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, ignored_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

private:
  rlimit before_{};
  void (*ignored_)(int) = nullptr;
};

} // namespace

TEST_CASE("ddlsim check accepts a line of every kind") {
  const TemporaryFile file("kinds.jsonl");
  {
    ddltrain::RecordFile records(file.path, context());
    for (const char* strategy : {"none", "ring", "hierarchical-ring", "ps", "ps-async"}) records.add(step(strategy));
    records.add(ddltrain::CollectiveRecord{full_head(), "all_reduce", "ring", 4, 2, 1, 1024, 1e-4});
    records.add(ddltrain::PointToPointRecord{full_head(), 4, 1e-6, 2});
    records.add(table_of_one());
    records.add(ddltrain::ServerRecord{full_head(), "push-pull", 1e9, 3, 4, 1048576});
    records.add(ddltrain::InputRecord{full_head(), "loader", 100, 0});
    records.add(ddltrain::InputRecord{full_head(), "storage", 0, 1e8});
    records.add(ddltrain::LossRecord{full_head(), "lenet5", 1, 100, 2.5, 0.5});
    records.add(ddltrain::LossRecord{full_head(), "lenet5", 0, 0, -1, -1});
  }
  CHECK(lines_of(file.path).size() == 14);
  check_with_ddlsim(file.path);
}

TEST_CASE("Figures are written with the digits a clock has") {
  const std::string line = ddltrain::record_line(step("none"));
  CHECK_THAT(line, Catch::Contains("\"relative_spread\":0.0123457"));
  CHECK_THAT(line, Catch::Contains("\"samples_s\":[0.1235,1e-07,2.0]"));
}

TEST_CASE("A figure that no reader takes is not written") {
  auto wild = step("none");
  wild.head.relative_spread = 141;
  CHECK_THAT(ddltrain::record_line(wild), !Catch::Contains("relative_spread"));
  ddltrain::CollectiveRecord record;
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    record.time_s = bad;
    CHECK_THROWS_AS(ddltrain::record_line(record), std::logic_error);
  }
  CHECK_THROWS_AS(ddltrain::record_line(ddltrain::LossRecord{{}, "lenet5", 0, 0, std::nan(""), -1}), std::logic_error);
}

TEST_CASE("Each line is in the file when add returns") {
  const TemporaryFile file("growing.jsonl");
  ddltrain::RecordFile records(file.path, context());
  CHECK(lines_of(file.path).size() == 1);
  records.add(step("none"));
  CHECK(lines_of(file.path).size() == 2);
}

TEST_CASE("A full disk is an error, and what was written before stays whole") {
  const TemporaryFile file("full.jsonl");
  const std::string first = ddlsim::to_json_line(context());
  {
    ddltrain::RecordFile records(file.path, context());
    const FullDisk disk(first.size() + 100); // the second line fits in part
    CHECK_THROWS_WITH(records.add(step("none")), Catch::Contains(file.path.string()) && Catch::Contains("too large") &&
                                                     Catch::Contains("the lines written before are whole"));
  }
  CHECK(lines_of(file.path) == std::vector<std::string>{first});
  CHECK_THROWS_WITH(ddltrain::RecordFile("/dev/full", context()), Catch::Contains("No space left"));
  CHECK_THROWS_AS(ddltrain::RecordFile("/proc/no-such-folder/a.jsonl", context()), ddltrain::RunError);
}
