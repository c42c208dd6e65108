// ddlsim as a method: what a site shaped is taken away from it, and a point is refused as `predict` refuses it.

#include "tests/base/in_workers.hpp"
#include "tests/validate/records.hpp"
#include "validate/methods/simulator.hpp"
#include "validate/report.hpp"
#include "validate/validation.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <memory>
#include <stdexcept>

namespace ddlsim {
namespace {

const DataFolder& data() {
  static const DataFolder folder{DDLSIM_SOURCE_DIR};
  return folder;
}

const ReferenceData& all_records() {
  static const auto read = read_reference_data(data());
  return read;
}

/// Two small clusters of two sites.
std::vector<MeasurementFile> two_sites() {
  auto files = read_cluster_measurements(data().platforms(), "horovod-pascal");
  for (auto& file : read_cluster_measurements(data().platforms(), "dell-xe8545-a100")) files.push_back(std::move(file));
  return files;
}

} // namespace

TEST_CASE("one process and several give the same bytes") {
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(make_simulator(all_records()));
  methods.push_back(make_uncalibrated(data()));
  ValidationOptions options;
  options.splits = {"T1", "new-T2"};
  const auto alone = validate_measurements(two_sites(), methods, options);
  CHECK_FALSE(alone.points.empty());
  CHECK_FALSE(alone.explained.empty());
  for (const int jobs : {2, 7}) {
    options.run_tasks = jobs > 1 ? in_workers(jobs) : RunTasks{};
    const auto together = validate_measurements(two_sites(), methods, options);
    CHECK(validation_json(together) == validation_json(alone));
    CHECK(validation_text(together) == validation_text(alone));
  }
}

TEST_CASE("what was answered in one split is taken again only where the split leaves everything that decides") {
  const auto times_in = [](const std::vector<std::string>& splits) {
    std::vector<std::unique_ptr<Method>> methods;
    methods.push_back(make_uncalibrated(data()));
    ValidationOptions options;
    options.splits = splits;
    std::map<std::string, std::vector<double>> times_s;
    for (const auto& point : validate_measurements(two_sites(), methods, options).points)
      for (const auto& [method, forecast] : point.forecasts)
        times_s[point.split].insert(times_s[point.split].end(),
                                    {forecast.predicted_s, forecast.low_s, forecast.high_s});
    return times_s;
  };
  const auto together = times_in({"as-shipped", "T1", "new-T1", "leave-one-cluster-out"});
  REQUIRE(together.size() == 4);
  for (const auto& [split, times_s] : together) CHECK(times_in({split}).at(split) == times_s);
}

TEST_CASE("a tier and the same tier of new sites are asked once, and answer as if each were asked") {
  class Counting final : public Method {
  public:
    explicit Counting(int& asked) : asked_(asked) {}
    std::string name() const override { return "counting"; }
    void prepare(const Evidence&) override {}
    std::optional<Forecast> forecast(const Question& question) const override {
      ++asked_;
      return Forecast{1.0 * question.gpus, 0.5 * question.gpus, 2.0 * question.gpus};
    }

  private:
    int& asked_;
  };
  const auto asked_in = [](const std::vector<std::string>& splits, std::size_t& points) {
    int asked = 0;
    std::vector<std::unique_ptr<Method>> methods;
    methods.push_back(std::make_unique<Counting>(asked));
    ValidationOptions options;
    options.splits = splits;
    const auto result = validate_measurements(two_sites(), methods, options);
    points = result.points.size();
    for (const auto& point : result.points) CHECK(point.forecasts.at("counting").predicted_s == point.gpus);
    return asked;
  };
  std::size_t points = 0, points_of_both = 0;
  const int once = asked_in({"new-T2"}, points);
  CHECK(once == static_cast<int>(points));
  CHECK(asked_in({"new-T2", "T2"}, points_of_both) == once);
  CHECK(points_of_both == 2 * points);
}

TEST_CASE("a process that fails says why") {
  class Failing final : public Method {
    std::string name() const override { return "failing"; }
    void prepare(const Evidence&) override {}
    std::optional<Forecast> forecast(const Question&) const override { throw std::runtime_error("planted"); }
  };
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(std::make_unique<Failing>());
  ValidationOptions options;
  options.splits = {"T1"};
  options.run_tasks = in_workers(2);
  CHECK_THROWS_WITH(validate_measurements(two_sites(), methods, options), Catch::Matchers::Contains("planted"));
}

TEST_CASE("answers pass between processes to the bit") {
  PartAnswers one;
  one.forecasts = {{{"a", {0.1, 1.0 / 3, 1e-300}}, {"b", {0, 0, 0, "a \"reason\" \xc3\xa9"}}}, {}};
  one.large_errors = {
      {"a", 0.1 + 0.2, {{{8, 1, 2.0 / 7, 3, 4, 5, 6, 7, "compute", 8, 9}}, {"p", "s", 1, 2, 3, 4, 5, 6}}}};
  const auto bytes = answers_to_bytes({one, {}});
  const auto back = answers_from_bytes(bytes);
  REQUIRE(back.size() == 2);
  CHECK(answers_to_bytes(back) == bytes);
  CHECK(back[0].forecasts[0].at("a").low_s == 1.0 / 3);
  CHECK(back[0].forecasts[0].at("b").refusal == one.forecasts[0].at("b").refusal);
  CHECK(back[0].forecasts[1].empty());
  CHECK(back[0].large_errors[0].mean_error == 0.1 + 0.2);
  CHECK(back[0].large_errors[0].why.points[0].predicted_s == 2.0 / 7);
}

TEST_CASE("a question is the scenario that a person would ask") {
  auto series = test::known_series({{1, 1.0}, {8, 1.1}});
  series.cluster = "dlperf-v100";
  series.gpu = all_records().clusters.at("dlperf-v100").gpu;
  series.transport = "unknown";
  Question question{series, 8, 4, 2, Strategy{}};
  question.strategy.name = StrategyName::all_reduce;
  const auto& cluster = all_records().clusters.at("dlperf-v100");
  const auto scenario = scenario_of(question, cluster);
  CHECK(scenario.gpus == std::vector<int>{8});
  CHECK(scenario.gpus_per_node == 2);
  CHECK(scenario.gpu.empty());
  CHECK(scenario.transport.empty());
  CHECK(scenario.strategies.front().name == StrategyName::automatic);
  question.gpus_per_node = 4; // 8 GPUs then fill two nodes, not four
  CHECK_THROWS(scenario_of(question, cluster));
}

} // namespace ddlsim
