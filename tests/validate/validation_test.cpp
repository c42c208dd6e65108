#include "tests/validate/records.hpp"
#include "validate/methods/rivals.hpp"
#include "validate/report.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

/// Remembers every time it was shown; answers with its own interval.
class Witness final : public Method {
public:
  explicit Witness(std::set<double>& seen) : seen_(&seen) {}
  std::string name() const override { return "witness"; }
  void prepare(const Evidence& evidence) override {
    seen_->clear();
    for (const auto& record : records_of<StepRecord>(evidence.files)) seen_->insert(record.iteration_s);
    for (const auto& series : evidence.series)
      for (const auto& point : series.points) seen_->insert(point.iteration_s);
  }
  std::optional<Forecast> forecast(const Question& question) const override {
    for (const auto& point : question.known.points) seen_->insert(point.iteration_s);
    return question.gpus == 16 ? std::optional<Forecast>() : Forecast{1, 0.5, 2};
  }

private:
  std::set<double>* seen_;
};

std::vector<MeasurementFile> two_clusters() {
  return {curve_file("a", "f", {1.01, 1.02, 1.03, 1.04, 1.05, 1.06}),
          curve_file("b", "g", {2.01, 2.02, 2.03, 2.14, 2.35, 2.96})};
}

ValidationResult run(const std::vector<MeasurementFile>& files) {
  return validate_measurements(files, make_rivals({}), {});
}

} // namespace

TEST_CASE("a method is never shown a time that it is asked for") {
  for (const auto& split : split_names()) {
    std::set<double> seen;
    std::vector<std::unique_ptr<Method>> methods;
    methods.push_back(std::make_unique<Witness>(seen));
    ValidationOptions options;
    options.splits = {split};
    // One fold at a time, so that what was seen belongs to the targets: one cluster, one model, one schedule.
    const auto result =
        validate_measurements({curve_file("a", "f", {1.01, 1.02, 1.03, 1.04, 1.05, 1.06})}, methods, options);
    REQUIRE_FALSE(result.points.empty());
    CHECK_FALSE(seen.empty());
    for (const auto& point : result.points) CHECK(seen.count(point.measured_s) == 0);
  }
}

TEST_CASE("a method may be silent at a point, and its own interval is kept") {
  std::set<double> seen;
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(std::make_unique<Witness>(seen));
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
  const auto mine = std::count_if(result.points.begin(), result.points.end(),
                                  [](const auto& p) { return p.cluster == "my garage" && p.split == "T1"; });
  CHECK(mine == 3);
  CHECK(validation_text(result).find("my garage") != std::string::npos);
}

TEST_CASE("nothing to score is a result, not an error") {
  CHECK(run({}).points.empty());
  CHECK_FALSE(validation_text(run({})).empty());
  CHECK(run({curve_file("a", "f", {1.0})}).points.empty());
  CHECK(validate_measurements(two_clusters(), {}, {}).scores.empty());
}

TEST_CASE("the JSON has the promised fields, and the same bytes twice") {
  const auto text = validation_json(run(two_clusters()));
  CHECK(text == validation_json(run(two_clusters())));
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
