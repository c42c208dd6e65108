#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "tests/validate/result.hpp"
#include "validate/accuracy_thresholds.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <unistd.h>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

AccuracyThresholds figures_of(double mean_error, double interval_score) {
  SplitThresholds split;
  split.points = 10;
  split.figures = {{"mean_error", mean_error}, {"interval_score", interval_score}, {"uncovered", 0}};
  split.noise_floor = {{"mean_error", 0.4}};
  return {"ddlsim", {}, {{"T2", split}}};
}

class TemporaryFile {
public:
  explicit TemporaryFile(const std::string& content)
      : path_(std::filesystem::temp_directory_path() / ("ddlsim-thresholds-" + std::to_string(getpid()) + ".json")) {
    write_file(path_, content);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace

TEST_CASE("the figures of thresholds are those of the scores, in per cent of two digits") {
  const auto thresholds = accuracy_of(small_result(1.5), "ddlsim");
  const auto& t2 = thresholds.splits.at("T2"); // 8 GPUs are shown, 32 not answered: one point of 16 GPUs a cluster
  const double a = 100 * std::log(1.5 / 1.05), b = 100 * std::log(2.35 / 1.5);
  CHECK(t2.points == 2);
  CHECK(t2.figures.at("mean_error") == Approx((a + b) / 2).margin(0.005)); // half of the last digit
  CHECK(t2.figures.at("uncovered") == 90);                                 // 1.2 .. 1.875 holds neither
  CHECK(accuracy_of(small_result(1.5), "nobody").splits.empty());
}

TEST_CASE("a figure may rise by its noise floor, one without a floor by rounding") {
  const auto thresholds = figures_of(5, 40);
  CHECK(figures_that_rose(thresholds, figures_of(5.4, 40.05), {}).empty());
  CHECK(figures_that_rose(thresholds, figures_of(3, 20), {}).empty());
  const auto rose = figures_that_rose(thresholds, figures_of(5.41, 40.06), {});
  REQUIRE(rose.size() == 2);
  CHECK(rose[0] == "T2: interval score x 100 rose from 40.00 to 40.06 %, by more than the noise floor of 0.05");
  CHECK(rose[1] == "T2: mean error rose from 5.00 to 5.41 %, by more than the noise floor of 0.40");
}

TEST_CASE("fewer answers exceed the thresholds") {
  const auto thresholds = figures_of(5, 40);
  auto fewer = figures_of(1, 1);
  fewer.splits["T2"].points = 9;
  CHECK(figures_that_rose(thresholds, fewer, {}).size() == 1);
  auto without = figures_of(1, 1);
  without.splits["T2"].figures.erase("uncovered");
  CHECK(figures_that_rose(thresholds, without, {}).size() == 1);
  CHECK(figures_that_rose(thresholds, {"ddlsim", {}, {}}, {}).size() == 1);
  CHECK(figures_that_rose(thresholds, {"ddlsim", {}, {}}, {"T3"}).empty()); // T2 was not run
  CHECK(figures_that_rose(thresholds, {"another", {}, {}}, {}).size() == 1);
}

TEST_CASE("thresholds take what was reached, better or worse, and keep sites and noise floors") {
  auto thresholds = figures_of(5, 40);
  thresholds.sites = {"a"};
  auto reached = figures_of(6, 30);
  reached.splits["T2"].noise_floor.clear();
  reached.splits["T3"] = reached.splits["T2"];
  const auto now = with_figures_of(thresholds, reached);
  CHECK(now.sites == thresholds.sites);
  CHECK(now.splits.at("T2").figures == reached.splits.at("T2").figures);
  CHECK(now.splits.at("T2").noise_floor == thresholds.splits.at("T2").noise_floor);
  CHECK(now.splits.count("T3") == 1);
}

TEST_CASE("a file of thresholds comes back as it was, and its mistakes are reported together") {
  auto thresholds = accuracy_of(small_result(1.5), "ddlsim");
  thresholds.sites = {"a", "b"};
  thresholds.splits.at("T2").noise_floor = {{"mean_error", 0.4}};
  const TemporaryFile good(accuracy_thresholds_json(thresholds));
  CHECK(accuracy_thresholds_json(read_accuracy_thresholds(good.path())) == accuracy_thresholds_json(thresholds));
  const TemporaryFile bad(R"({"format":"ddlsim-accuracy","version":2,"method":"ddlsim","unit":"percent",
                              "splits":{"T2":{"points":-1,"figures":{"mean_error":"low"},"noise_floor":[]},"T9":{}}})");
  try {
    read_accuracy_thresholds(bad.path());
    FAIL("a bad file was taken");
  } catch (const UserError& error) {
    const std::string text = error.what();
    for (const auto* where : {"/splits/T2/points", "/splits/T2/figures/mean_error", "/splits/T2/noise_floor", "T9"})
      CHECK(text.find(where) != std::string::npos);
  }
}

} // namespace ddlsim
