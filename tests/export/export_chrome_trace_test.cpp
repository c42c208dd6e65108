#include "sim/export/export.hpp"
#include "tests/export/shipped_points.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

using Json = nlohmann::json;

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& item : object.items()) keys.insert(item.key());
  return keys;
}

/// Times stand in whole picoseconds.
long long picoseconds(const Json& microseconds) {
  return std::llround(microseconds.get<double>() * 1e6);
}

using TrackNumber = std::pair<int, int>; ///< process and thread

TrackNumber track_of(const Json& event) {
  return {event["pid"].get<int>(), event["tid"].get<int>()};
}

/// Ends of tracks, each event checked against the one before it on its track.
std::map<TrackNumber, long long> ends_ps(const Json& events) {
  std::map<TrackNumber, long long> ends;
  for (const auto& event : events) {
    if (event["ph"] == "M") continue;
    CHECK(event["ph"] == "X");
    CHECK(keys_of(event) == std::set<std::string>{"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"});
    auto& free_ps = ends[track_of(event)];
    const long long start_ps = picoseconds(event["ts"]);
    CHECK(start_ps >= free_ps);
    CHECK(picoseconds(event["dur"]) >= 0);
    free_ps = start_ps + picoseconds(event["dur"]);
  }
  return ends;
}

std::map<TrackNumber, std::string> names_of(const Json& events, const std::string& what) {
  std::map<TrackNumber, std::string> names;
  for (const auto& event : events)
    if (event["name"] == what) names[track_of(event)] = event["args"]["name"].get<std::string>();
  return names;
}

} // namespace

TEST_CASE("the file has every track by name, nothing over another, to the picosecond", "[export]") {
  const auto scenario = shipped_scenario("iris-resnet50", {{"/gpus", "[8]"}});
  for_each_point(scenario, Fidelity::by_default, [](const std::string& what, const PointRun& run) {
    INFO(what);
    const auto trace = Json::parse(chrome_trace("iris-resnet50", run));
    CHECK(keys_of(trace) == std::set<std::string>{"displayTimeUnit", "otherData", "traceEvents"});
    CHECK(trace["otherData"]["gpus"] == 8);
    CHECK(trace["otherData"]["strategy"] == to_text(run.setup.strategy));
    const auto& events = trace["traceEvents"];
    const auto threads = names_of(events, "thread_name");
    const auto processes = names_of(events, "process_name");
    long long last_ps = 0;
    for (const auto& [track, end_ps] : ends_ps(events)) {
      CHECK(threads.count(track) == 1);
      CHECK(processes.count({track.first, 0}) == 1);
      last_ps = std::max(last_ps, end_ps);
    }
    CHECK(static_cast<double>(last_ps) * 1e-12 == Approx(run.point.iteration_s).epsilon(1e-9));
  });
}

TEST_CASE("an all-reduce says its bytes, tensors and algorithm", "[export]") {
  const auto scenario = shipped_scenario(
      "iris-resnet50", {{"/gpus", "[8]"}, {"/strategies", R"([{"name": "ring"}])"}, {"/preset", "horovod"}});
  for_each_point(scenario, Fidelity::formula, [](const std::string&, const PointRun& run) {
    const auto trace = Json::parse(chrome_trace("iris-resnet50", run));
    double bytes = 0;
    std::multiset<std::string> tensors;
    for (const auto& event : trace["traceEvents"]) {
      if (event["name"] != "all-reduce") continue;
      CHECK(event["args"]["algorithm"] == "ring");
      CHECK(event["args"].contains("protocol"));
      bytes += event["args"]["bytes"].get<double>();
      for (const auto& tensor : event["args"]["tensors"]) tensors.insert(tensor.get<std::string>());
    }
    CHECK(bytes == Approx(run.setup.model.size_bytes()));
    CHECK(tensors.size() == 161); // each of ResNet-50's once
    CHECK(std::set<std::string>(tensors.begin(), tensors.end()).size() == tensors.size());
  });
}

TEST_CASE("the same question gives the same bytes", "[export]") {
  const auto scenario = shipped_scenario("k80-inception-ps", {{"/gpus", "[4]"}});
  std::vector<std::string> texts;
  for (int time = 0; time < 2; ++time)
    for_each_point(scenario, Fidelity::by_default, [&](const std::string&, const PointRun& run) {
      texts.push_back(chrome_trace("k80-inception-ps", run));
    });
  const std::size_t strategies = scenario.strategies.size();
  REQUIRE(texts.size() == 2 * strategies);
  for (std::size_t i = 0; i < strategies; ++i) CHECK(texts[i] == texts[i + strategies]);
}

} // namespace ddlsim
