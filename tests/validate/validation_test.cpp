#include "tests/validate/records.hpp"
#include "validate/methods/baselines.hpp"
#include "validate/report.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

/// What had been shown when one point was asked for.
struct AskedPoint {
  std::string series;
  int gpus = 0;
  std::set<double> shown;
};

/// Remembers every time it was shown in a fold; answers with its own interval.
class RecordingMethod final : public Method {
public:
  explicit RecordingMethod(std::vector<AskedPoint>& asked) : asked_(&asked) {}
  std::string name() const override { return "witness"; }
  void prepare(const Evidence& evidence) override {
    shown_.clear();
    for (const auto& record : records_of<StepRecord>(evidence.files)) shown_.insert(record.iteration_s);
    for (const auto& series : evidence.series)
      for (const auto& point : series.points) shown_.insert(point.iteration_s);
  }
  std::optional<Forecast> forecast(const Question& question) const override {
    AskedPoint asked{question.known.id, question.gpus, shown_};
    for (const auto& point : question.known.points) asked.shown.insert(point.iteration_s);
    asked_->push_back(asked);
    return question.gpus == 16 ? std::optional<Forecast>() : Forecast{1, 0.5, 2};
  }

private:
  std::vector<AskedPoint>* asked_;
  std::set<double> shown_;
};

std::vector<MeasurementFile> two_clusters() {
  return {curve_file("a", "f", {1.01, 1.02, 1.03, 1.04, 1.05, 1.06}),
          curve_file("b", "g", {2.01, 2.02, 2.03, 2.14, 2.35, 2.96})};
}

/// The same with a second family in each cluster, run by a second schedule.
std::vector<MeasurementFile> two_families() {
  auto files = two_clusters();
  for (const auto& [cluster, base_s] : {std::pair{"a", 3.0}, std::pair{"b", 4.0}}) {
    std::vector<double> times_s;
    for (int i = 1; i <= 6; ++i) times_s.push_back(base_s + 0.01 * i);
    auto other = curve_file(cluster, "other", times_s);
    for (auto& record : other.records) {
      std::get<StepRecord>(record).model = "vgg16";
      std::get<StepRecord>(record).preset = "horovod";
    }
    files.push_back(other);
  }
  return files;
}

ValidationResult run(const std::vector<MeasurementFile>& files) {
  return validate_measurements(files, make_baselines({}), {});
}

} // namespace

TEST_CASE("a method is never shown a time that it is asked for") {
  for (const auto& split : split_names()) {
    if (split == "as-shipped") continue;                        // which measures memory
    if (split.starts_with("layouts-")) continue;                // of model parallelism alone
    if (split == "new-batch" || split == "new-model") continue; // nothing of the series is shown: unseen_workloads_test
    std::vector<AskedPoint> asked;
    std::vector<std::unique_ptr<Method>> methods;
    methods.push_back(std::make_unique<RecordingMethod>(asked));
    ValidationOptions options;
    options.splits = {split};
    const auto result = validate_measurements(two_families(), methods, options);
    REQUIRE_FALSE(result.points.empty());
    for (const auto& point : result.points) {
      const auto when = std::find_if(asked.begin(), asked.end(), [&](const AskedPoint& one) {
        return one.series == point.series && one.gpus == point.gpus;
      });
      REQUIRE(when != asked.end());
      CHECK_FALSE(when->shown.empty());
      CHECK(when->shown.count(point.measured_s) == 0);
    }
  }
}

TEST_CASE("a method may be silent at a point, and its own interval is kept") {
  std::vector<AskedPoint> asked;
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(std::make_unique<RecordingMethod>(asked));
  const auto result = validate_measurements(two_clusters(), methods, {});
  for (const auto& point : result.points) {
    CHECK((point.forecasts.count("witness") == 0) == (point.gpus == 16));
    if (point.gpus != 16) CHECK(point.forecasts.at("witness").high_s == 2);
  }
}

TEST_CASE("the straight line's error worked out by hand") {
  const auto result = run(two_clusters());
  const auto found = std::find_if(result.scores.begin(), result.scores.end(),
                                  [](const auto& s) { return s.split == "T2" && s.method == "straight-line"; });
  REQUIRE(found != result.scores.end());
  const double a = (std::log(1.05 / 1.04) + std::log(1.06 / 1.04)) / 2,
               b = (std::log(2.35 / 2.14) + std::log(2.96 / 2.14)) / 2;
  CHECK(found->by_cluster.at("a").mean_error == Approx(a));
  CHECK(found->overall.mean_error == Approx((a + b) / 2));
}

TEST_CASE("a user's file of a cluster nobody knows is scored beside the others") {
  auto files = two_clusters();
  files.push_back(curve_file("my garage", "mine", {3.01, 3.02, 3.03, 3.04, 3.05, 3.06}));
  const auto result = run(files);
  const auto own = std::count_if(result.points.begin(), result.points.end(),
                                 [](const auto& p) { return p.cluster == "my garage" && p.split == "T1"; });
  CHECK(own == 3);
  CHECK(validation_text(result).find("my garage") != std::string::npos);
}

TEST_CASE("nothing to score is a result, not an error") {
  CHECK(run({}).points.empty());
  CHECK_FALSE(validation_text(run({})).empty());
  CHECK(run({curve_file("a", "f", {1.0})}).points.empty());
  CHECK(validate_measurements(two_clusters(), {}, {}).scores.empty());
}

TEST_CASE("the JSON has the promised fields, and the same bytes twice") {
  const auto text = validation_json(run(two_families()));
  CHECK(text == validation_json(run(two_families())));
  const auto json = nlohmann::json::parse(text);
  const auto& point = json.at("points").at(0);
  for (const auto* key : {"series", "cluster", "model", "strategy", "gpus", "split", "class", "measured_s"})
    CHECK(point.contains(key));
  const auto& forecast = point.at("methods").at("straight-line");
  for (const auto* key : {"predicted_s", "low_s", "high_s"}) CHECK(forecast.at(key).is_number());
  for (const auto* split : {"T1", "T2", "T3", "leave-one-model-out", "leave-one-strategy-out", "leave-one-cluster-out"})
    for (const auto* part : {"overall", "by_cluster"}) CHECK(json.at(part).at(split).contains("straight-line"));
  const auto& score = json.at("by_cluster").at("T2").at("straight-line").at("a");
  for (const auto* key : {"points", "mean_error", "median_error", "worst_error", "coverage", "interval_score"})
    CHECK(score.at(key).is_number());
  CHECK(forecast.at("predicted_s") == 1.03);
}

TEST_CASE("the table fits a terminal") {
  std::istringstream lines(validation_text(run(two_clusters())));
  std::string line;
  while (std::getline(lines, line)) CHECK(line.size() <= 110);
}

} // namespace ddlsim
