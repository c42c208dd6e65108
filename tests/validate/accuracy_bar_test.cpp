#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "tests/validate/result.hpp"
#include "validate/accuracy_bar.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <unistd.h>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

AccuracyBar bar_of(double mean_error, double cluster_error) {
  SplitBar split;
  split.points = 10;
  split.figures = {{"mean_error", mean_error}, {"uncovered", 0}};
  split.clusters = {{"a", cluster_error}};
  return {"ddlsim", {{"T2", split}}};
}

class TemporaryFile {
public:
  explicit TemporaryFile(const std::string& content)
      : path_(std::filesystem::temp_directory_path() / ("ddlsim-bar-" + std::to_string(getpid()) + ".json")) {
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

TEST_CASE("the figures of a bar are those of the scores, in per cent of two digits") {
  const auto bar = accuracy_of(small_result(1.5), "ddlsim");
  const auto& t2 = bar.splits.at("T2"); // 8 GPUs are shown, 32 not answered: one point of 16 GPUs a cluster
  const double a = 100 * std::log(1.5 / 1.05), b = 100 * std::log(2.35 / 1.5);
  CHECK(t2.points == 2);
  CHECK(t2.clusters.at("a") == Approx(a).margin(0.005)); // half of the last digit
  CHECK(t2.figures.at("mean_error") == Approx((a + b) / 2).margin(0.005));
  CHECK(t2.figures.at("uncovered") == 90); // 1.2 .. 1.875 holds neither
  CHECK(t2.figures.count("class_a") == 0); // nobody stated a spread: class C
  CHECK(accuracy_of(small_result(1.5), "nobody").splits.empty());
}

TEST_CASE("a figure that rises by more than rounding is reported, one that falls is not") {
  const auto bar = bar_of(5, 4);
  CHECK(figures_that_rose(bar, bar_of(5.04, 4.04), {}).empty());
  CHECK(figures_that_rose(bar, bar_of(3, 2), {}).empty());
  const auto rose = figures_that_rose(bar, bar_of(5.2, 4.1), {});
  REQUIRE(rose.size() == 2);
  CHECK(rose[0] == "T2: mean error rose from 5.00 to 5.20 %");
  CHECK(rose[1] == "T2: mean error of a rose from 4.00 to 4.10 %");
}

TEST_CASE("fewer answers fail the bar") {
  const auto bar = bar_of(5, 4);
  auto fewer = bar_of(1, 1);
  fewer.splits["T2"].points = 9;
  CHECK(figures_that_rose(bar, fewer, {}).size() == 1);
  auto without = bar_of(1, 1);
  without.splits["T2"].clusters.clear();
  without.splits["T2"].figures.erase("uncovered");
  CHECK(figures_that_rose(bar, without, {}).size() == 2);
  CHECK(figures_that_rose(bar, {"ddlsim", {}}, {}).size() == 1);
  CHECK(figures_that_rose(bar, {"ddlsim", {}}, {"T3"}).empty()); // T2 was not run
  CHECK(figures_that_rose(bar, {"another", {}}, {}).size() == 1);
}

TEST_CASE("a tightened bar has the lower of each figure and whatever is new") {
  auto reached = bar_of(4, 4.5);
  reached.splits["T2"].clusters["new"] = 7;
  reached.splits["T2"].points = 12;
  reached.splits["T3"] = reached.splits["T2"];
  const auto bar = tightened(bar_of(5, 4), reached);
  CHECK(bar.splits.at("T2").figures.at("mean_error") == 4);
  CHECK(bar.splits.at("T2").clusters.at("a") == 4);
  CHECK(bar.splits.at("T2").clusters.at("new") == 7);
  CHECK(bar.splits.at("T2").points == 12);
  CHECK(bar.splits.count("T3") == 1);
  CHECK(figures_that_rose(bar_of(5, 4), bar, {}).empty());
}

TEST_CASE("a bar's file comes back as it was, and its mistakes are reported together") {
  const auto bar = accuracy_of(small_result(1.5), "ddlsim");
  const TemporaryFile good(accuracy_bar_json(bar));
  CHECK(accuracy_bar_json(read_accuracy_bar(good.path())) == accuracy_bar_json(bar));
  const TemporaryFile bad(R"({"format":"ddlsim-accuracy","version":1,"method":"ddlsim","unit":"percent",
                              "splits":{"T2":{"points":-1,"figures":{"mean_error":"low"},"clusters":[]},"T9":{}}})");
  try {
    read_accuracy_bar(bad.path());
    FAIL("a bad file was taken");
  } catch (const UserError& error) {
    const std::string text = error.what();
    for (const auto* where : {"/splits/T2/points", "/splits/T2/figures/mean_error", "/splits/T2/clusters", "T9"})
      CHECK(text.find(where) != std::string::npos);
  }
}

} // namespace ddlsim
