#include "calibrate/fit/compute_fit.hpp"
#include "sim/compute/batch_line_fit.hpp"
#include "sim/formats/data_folder.hpp"
#include "tests/formats/plain_records.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace ddlsim {
namespace {

constexpr double fixed_s = 0.02; ///< what is expected of a model without layer table
constexpr double per_sample_s = 0.004;

double true_s(double batch) {
  return fixed_s + per_sample_s * batch;
}

StepRecord step(double batch, double time_s, int line, const std::string& model = "m") {
  auto record = test::one_gpu_step(batch, time_s);
  record.head.file = "a.jsonl";
  record.head.line = line;
  record.model = model;
  return record;
}

std::vector<StepRecord> sweep(const std::vector<double>& batches) {
  std::vector<StepRecord> records;
  for (const double batch : batches)
    records.push_back(step(batch, true_s(batch), static_cast<int>(records.size()) + 2));
  return records;
}

/// Standard normal by Box and Muller, from the generator's bits alone.
double normal(std::mt19937_64& random) {
  const auto uniform = [&] { return (static_cast<double>(random() >> 11U) + 0.5) / 9007199254740992.0; };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * 3.14159265358979323846 * uniform());
}

ComputeFit fit(const std::vector<StepRecord>& records) {
  return fit_compute(records, {}, {}, "");
}

} // namespace

TEST_CASE("a planted line is found, and 90 % intervals hold what they say", "[compute-fit]") {
  constexpr double z = 1.6449; // 90 %
  constexpr int seeds = 200;
  int covered = 0;
  int target = 0;
  double largest_bias = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    std::mt19937_64 random(static_cast<unsigned>(seed));
    const double scale = std::exp(0.3 * normal(random)); // models differ in their fixed part
    std::vector<StepRecord> records;
    for (const double batch : {1.0, 4.0, 16.0, 64.0})
      records.push_back(
          step(batch, (scale * fixed_s + per_sample_s * batch) * std::exp(affine_residual * normal(random)), 2));
    const auto line = fit(records).lines.at(0);
    double bias = 0;
    for (const double batch : {2.0, 8.0, 32.0, 96.0}) {
      const double measured_s = (scale * fixed_s + per_sample_s * batch) * std::exp(affine_residual * normal(random));
      const double error = std::log(line_time_s(line, batch) / measured_s);
      bias += error / 4;
      covered += std::abs(error) <= z * line_width(line, batch) ? 1 : 0;
      ++target;
    }
    largest_bias = std::max(largest_bias, std::abs(bias));
  }
  CHECK(covered >= 0.85 * target);
  CHECK(covered <= 0.95 * target);
  CHECK(largest_bias < 0.12); // four times the noise: no seed loses its line
}

TEST_CASE("the order of records does not matter", "[compute-fit]") {
  auto records = sweep({1, 4, 16, 64});
  records[2].iteration_s *= 1.04;
  const auto there = fit(records);
  std::reverse(records.begin(), records.end());
  const auto back = fit(records);
  CHECK(there.lines.at(0).fixed_s == back.lines.at(0).fixed_s);
  CHECK(there.lines.at(0).sources == back.lines.at(0).sources);
}

TEST_CASE("milliseconds taken for seconds are excluded, with the reason", "[compute-fit]") {
  auto records = sweep({4, 8, 16, 32});
  records[1].iteration_s *= 1000;
  const auto found = fit(records);
  REQUIRE(found.excluded.size() == 1);
  CHECK(found.excluded[0].what == "a.jsonl:3");
  CHECK(found.excluded[0].why.find("slip of the unit") != std::string::npos);
  CHECK(line_time_s(found.lines.at(0), 8) == Approx(true_s(8)).epsilon(0.01));
}

TEST_CASE("a processor's times are no evidence of the cluster's GPU", "[compute-fit]") {
  auto records = sweep({1, 2, 4, 8});
  for (auto& record : records) record.head.device = "cpu";
  const auto beside = fit_compute(records, {}, {}, "V100-SXM2-16GB");
  CHECK(beside.lines.empty());
  REQUIRE(beside.excluded.size() == 4);
  CHECK(beside.excluded[0].why == "measured on a processor, and the cluster computes on V100-SXM2-16GB");
  CHECK(fit(records).lines.size() == 1); // a cluster of processors
}

TEST_CASE("a single record is held against the roofline of its GPU", "[compute-fit]") {
  const DataFolder data{DDLSIM_SOURCE_DIR};
  const std::map<std::string, Model> models{{"resnet50_v1", load_model(data, "resnet50_v1")}};
  auto unit_mistake = step(32, 0.65e3, 2, "resnet50_v1");
  unit_mistake.head.gpu = "K80";
  const auto found = fit_compute({unit_mistake}, load_gpus(data), models, "");
  CHECK(found.lines.empty());
  REQUIRE(found.excluded.size() == 1);
  CHECK(found.excluded[0].why.find("roofline of K80") != std::string::npos);
  unit_mistake.iteration_s = 0.65; // what a K80 takes
  CHECK(fit_compute({unit_mistake}, load_gpus(data), models, "").lines.size() == 1);
}

TEST_CASE("one outlier among five batches is excluded, and at an end a bend is not", "[compute-fit]") {
  auto records = sweep({1, 4, 8, 16, 64});
  records[2].iteration_s *= 1.5;
  const auto found = fit(records);
  REQUIRE(found.excluded.size() == 1);
  CHECK(found.excluded[0].why.find("off the line through the other batches") != std::string::npos);
  CHECK(found.lines.at(0).leave_one_out < 0.01);
  auto bent = sweep({1, 4, 8, 16, 64});
  bent[4].iteration_s *= 1.3; // full memory
  CHECK(fit(bent).excluded.empty());
}

TEST_CASE("duplicates that contradict each other are settled by the other batches, or warned of", "[compute-fit]") {
  auto records = sweep({4, 16, 64});
  records.push_back(step(16, 2 * true_s(16), 9));
  const auto settled = fit(records);
  REQUIRE(settled.excluded.size() == 1);
  CHECK(settled.excluded[0].what == "a.jsonl:9");
  const auto open = fit({step(16, true_s(16), 2), step(16, 2 * true_s(16), 9)});
  CHECK(open.excluded.empty());
  REQUIRE(open.warnings.size() == 3);
  CHECK(open.warnings[0].find("contradict each other") != std::string::npos);
  CHECK(open.warnings[1].find("at batch 16 only") != std::string::npos);
  CHECK(open.warnings[2].find("scatter by") != std::string::npos);
}

TEST_CASE("suspect and synchronised records stand back, records of no training are no evidence", "[compute-fit]") {
  auto records = sweep({4, 16, 64, 128});
  records[0].head.suspect = true;
  records[1].synchronised = true;
  records[2].mode = RunMode::forward;
  const auto found = fit(records);
  REQUIRE(found.lines.size() == 1);
  CHECK(found.lines[0].sources == std::vector<RecordLines>{{"a.jsonl", "5"}});
  CHECK(found.excluded.size() == 1);
}

TEST_CASE("what one worker takes with a server on another host is no time of one GPU", "[compute-fit]") {
  auto records = sweep({4, 16});
  records[0].synchronised = true;
  records[0].strategy.name = StrategyName::ps;
  records[0].strategy.placement = Placement::dedicated;
  CHECK(fit({records[0]}).lines.empty());
  records[0].strategy.placement = Placement::colocated;
  CHECK(fit({records[0]}).lines.size() == 1);
  records[0].strategy.placement = Placement::dedicated;
  records[0].synchronised = false; // the GPU alone, in a series of servers
  CHECK(fit({records[0]}).lines.size() == 1);
}

TEST_CASE("the report has the lines, what was excluded and what to measure next", "[compute-fit]") {
  auto records = sweep({4, 8, 16, 32});
  records[1].iteration_s *= 1000;
  records.push_back(step(32, true_s(32), 9, "n"));
  records.push_back(step(32, true_s(32), 10, "k"));
  records.push_back(step(8, true_s(8), 11, "k"));
  const auto text = to_text(fit(records));
  for (const auto* part : {"GPU  model", "4-32", "Excluded: a.jsonl:3: ", "Note: G n fp32 p: measured at batch 32 only",
                           "Measure next: n on G, fp32, p: a second batch, 8 beside 32",
                           "Measure next: k on G, fp32, p: a third batch between 8 and 32"})
    CHECK_THAT(text, Catch::Matchers::Contains(part));
  CHECK(to_text(ComputeFit{}).empty());
}

} // namespace ddlsim
