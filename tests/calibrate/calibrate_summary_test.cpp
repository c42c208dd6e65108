#include "calibrate/data/data_checks.hpp"
#include "calibrate/fit/calibrate.hpp"

#include <catch2/catch.hpp>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

using namespace ddlsim;

namespace {

CalibratedParameter learnt_one(const std::string& name, double z_score, double error) {
  CalibratedParameter one;
  one.name = name;
  one.scope.preset = "a-framework-with-a-long-name";
  one.scope.transport = "nccl-ib";
  one.prior.median = 0.5;
  one.prior.width = 0.1;
  one.prior.unit = "1";
  one.z_score = z_score;
  one.error = error;
  one.identified = error < 1;
  one.points = 12;
  return one;
}

/// As much of everything as a large cluster has, all with long names.
Calibrated crowded() {
  Calibrated all;
  auto& calibration = all.calibration;
  calibration.cluster = "a-cluster-whose-name-is-long";
  calibration.quality = {1234, 0.123, 0.234, 1234, 0.345, 12};
  for (int i = 0; i < 40; ++i) {
    calibration.parameters.push_back(learnt_one("nic_efficiency", 0.1 * i, 0.2));
    const auto id = calibration.cluster + "/" + std::string(60, 'f') + "/" + std::string(90, 'n');
    calibration.series.push_back({id, {}, "ring", 0.1, false, {{8, 2, 0.5, 0.01, false}}});
    calibration.excluded.push_back({id, std::string(not_simulated) + "no layer table"});
    calibration.excluded.push_back({id + " at 8 GPUs on 2 nodes", "40 % longer than the other points say: an outlier; "
                                                                  "the fit gives it little weight; measure it again"});
    calibration.excluded.push_back({"few.jsonl:3", std::string(marked_by_source)});
  }
  for (int i = 0; i < 3; ++i)
    all.next.push_back({std::string(70, 'r') + " on 8 nodes", std::string(70, 'p') + " on 32 nodes", 0.3, 0.1});
  return all;
}

std::vector<std::string> lines_in(const std::string& text) {
  std::istringstream all(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

} // namespace

TEST_CASE("the first screen has 19 lines of 80 columns at most, whatever there is to say") {
  const auto lines = lines_in(calibration_summary(crowded()));
  CHECK(lines.size() <= 19); // the twentieth tells where the file is
  for (const auto& line : lines) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
}

TEST_CASE("the first screen says what was learnt, what contradicts, and what to measure") {
  Calibrated all;
  auto& calibration = all.calibration;
  calibration.cluster = "iris";
  calibration.quality = {14, 0.031, 0.052, 14};
  calibration.parameters = {learnt_one("nic_efficiency", -1.2, 0.2), learnt_one("sync_share", 0.1, 0.9),
                            learnt_one("operation_cost", 0, 1)};
  calibration.series = {{"iris/file/a", {}, "ring", 0.1, false, {{8, 2, 0.3, 0.01, false}}},
                        {"iris/file/b", {}, "ring", 0.1, false, {{8, 2, 0.1, 0.01, false}}}};
  calibration.excluded = {{"iris/file/c", "40 % longer than the other points say: an outlier"},
                          {"iris/file/d", std::string(not_simulated) + "no layer table"},
                          {"few.jsonl:3", std::string(marked_by_source)}};
  all.next = {{"a run on 8 nodes", "ring on 32 nodes", 0.3, 0.1}};
  const auto text = std::regex_replace(calibration_summary(all), std::regex("\n  +"), " "); // lines go on
  for (const auto* words :
       {"iris: learnt from 14 measured points in 2 series\n", "3.1 % apart; of a series that the fit did not see 5.2 %",
        "Learnt, 2 of 3 parameters:", "network rate reach", "44.3 % (42.9..45.8)", "-1.2\n",
        "2 measurements contradict the others; 1 cannot be simulated; 1 marked unreliable by their source:",
        "- c: 40 % longer", "- a: up to 30 % off the fit",
        "Measure next: a run on 8 nodes: +-10 % instead of +-30 % for ring on 32 nodes\n"}) {
    INFO(text);
    CHECK_THAT(text, Catch::Contains(words));
  }
  CHECK(text.find("network rate") < text.find("lost by syncing")); // of the first more was learnt
  CHECK_THAT(text, !Catch::Contains("- b:") && !Catch::Contains("cost of a collective"));
  const auto details = calibration_details(all);
  for (const auto* words : {"operation_cost", "iris/file/b", "excluded: iris/file/d: the simulator cannot"})
    CHECK_THAT(details, Catch::Contains(words));
}

TEST_CASE("measurements that say nothing have that said of them") {
  Calibrated all;
  all.calibration.parameters = {learnt_one("nic_efficiency", 0, 1)};
  const auto text = calibration_summary(all);
  for (const auto* words : {"Nothing was learnt: the measurements narrow no parameter.",
                            "No measurement contradicts the others.", "Measure next: no single run"})
    CHECK_THAT(text, Catch::Contains(words));
}
