#include "sim/base/error.hpp"
#include "sim/formats/own_files.hpp"
#include "tests/validate/records.hpp"
#include "validate/blind/blind.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

TEST_CASE("figures of a blind score are means over points, and a refusal counts a half and is not held", "[blind]") {
  const std::vector<BlindPoint> points{
      {"a", 1, Forecast{1.1, 0.9, 1.3}}, {"a", 1, Forecast{0.8, 0.7, 0.9}}, {"b", 2, Forecast{2, 1, 4}}, {"b", 2, {}}};
  const auto score = blind_score("training steps", BlindKnowledge::nothing, points);
  CHECK(score.points == 4);
  CHECK(score.refused == 1);
  const double first = std::log(1.1), second = -std::log(0.8);
  CHECK(score.mean_error == Approx(((first + second) / 2 + 0.25) / 2));
  CHECK(score.bias == Approx((first - second + 0) / 3));
  CHECK(score.held == Approx(0.5));
  CHECK(score.half_width == Approx((std::log(1.3 / 0.9) + std::log(0.9 / 0.7) + std::log(4.0)) / 6));
}

TEST_CASE("another answer has another checksum", "[blind]") {
  const auto answers = [](double predicted_s) {
    return blind_score("layouts", BlindKnowledge::nothing, {{"a", 1, Forecast{predicted_s, 0.5, 2}}}).answers;
  };
  CHECK(answers(1.1) == answers(1.1));
  CHECK(answers(1.1) != answers(1.2));
}

TEST_CASE("a record that is shipped already is named with the file it stands in", "[blind]") {
  BlindQuestion question;
  question.shipped.push_back(curve_file("a", "shipped", {1.01, 1.02, 1.03}));
  question.file = curve_file("b", "asked", {2.01, 1.02});
  const auto mistakes = find_learnt_records(question);
  REQUIRE(mistakes.size() == 1);
  CHECK(mistakes.front().what.starts_with(
      "record 2 (step resnet50_v1.5 in fp32, 2 GPUs 1 nodes batch 64 1.02 s) stands in"));
  question.file = curve_file("b", "asked", {2.01, 1.03});
  CHECK(find_learnt_records(question).empty());
}

/// One row of a table of collectives on that GPU.
MeasurementFile table_on(const std::string& gpu, const std::string& cluster) {
  CollectiveRecord row;
  row.operation = "all_gather";
  row.ranks = 2;
  row.nodes = 1;
  row.size_bytes = 2048;
  row.time_s = 6.31e-6;
  MeasurementFile file;
  file.file = cluster + ".jsonl";
  file.context.cluster = cluster;
  file.context.gpu = gpu;
  file.records.push_back(row);
  return file;
}

TEST_CASE("a row of a collective is another's only on the same GPU", "[blind]") {
  BlindQuestion question;
  question.shipped.push_back(table_on("H200", "shipped"));
  question.file = table_on("L40S", "asked");
  CHECK(find_learnt_records(question).empty());
  question.file = table_on("H200", "asked");
  CHECK(find_learnt_records(question).size() == 1);
}

DataFolder data_folder() {
  return DataFolder{DDLSIM_SOURCE_DIR};
}

/// ResNet-50 on a catalogue cluster that has no record: one GPU, two and four in a node, two nodes.
BlindQuestion planted() {
  BlindQuestion question;
  question.file = curve_file("bnl-edr-k80", "planted", {1.9, 2, 2.1, 2.3});
  for (auto& record : question.file.records) {
    auto& step = std::get<StepRecord>(record);
    step.head.gpu = "K80";
    step.head.transport = "nccl-ib";
    step.preset = "pytorch-ddp";
    step.gpus_per_node = step.gpus / step.nodes;
  }
  return question;
}

TEST_CASE("what is known is not asked", "[blind]") {
  const auto question = planted();
  const auto nothing = score_blind(data_folder(), question, {BlindKnowledge::nothing});
  const auto one_gpu = score_blind(data_folder(), question, {BlindKnowledge::one_gpu});
  REQUIRE(nothing.size() == 1);
  REQUIRE(one_gpu.size() == 1);
  CHECK(nothing.front().points == 4);
  CHECK(one_gpu.front().points == 3);
  CHECK(one_gpu.front().baselines.count("straight-line") == 1); // one GPU is known to draw through
  CHECK(nothing.front().baselines.count("straight-line") == 0);
}

TEST_CASE("a cluster that is in no file is refused with the nearest name", "[blind]") {
  auto question = planted();
  question.file.context.cluster = "bnl-edr-k8";
  CHECK_THROWS_WITH(score_blind(data_folder(), question, {BlindKnowledge::nothing}),
                    Catch::Contains("did you mean bnl-edr-k80?"));
}

} // namespace
} // namespace ddlsim
