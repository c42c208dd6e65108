#include "sim/formats/calibration_fields.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

namespace ddlsim {
namespace {

BatchLine sample_line() {
  BatchLine line;
  line.gpu = "K80";
  line.model = "resnet50_v2";
  line.precision = Precision::fp32;
  line.preset = "mxnet";
  line.fixed_s = 0.052;
  line.per_sample_s = 0.0202;
  line.smallest_batch = 1;
  line.largest_batch = 32;
  line.relative_error = 0.03;
  line.leave_one_out = 0.025;
  line.fixed_error = 0.05;
  line.per_sample_error = 0.02;
  line.correlation = -0.6;
  line.records = 2;
  line.sources = {{"a.jsonl", "2, 3"}};
  return line;
}

nlohmann::ordered_json json_of(const BatchLine& line) {
  return write_fields(batch_line_fields(), line);
}

std::vector<Mistake> mistakes_of_line(const nlohmann::json& json) {
  Mistakes mistakes("calibration.json");
  read_object(JsonNode(json, "/compute/0", mistakes), batch_line_fields());
  return mistakes.list();
}

void check_mistake(const std::string& key, const nlohmann::json& value, const std::string& expected) {
  nlohmann::json json = json_of(sample_line());
  json[key] = value;
  const auto found = mistakes_of_line(json);
  REQUIRE(found.size() == 1);
  CHECK(found[0].path == "/compute/0/" + key);
  CHECK(found[0].what == expected);
}

} // namespace

TEST_CASE("a number that a line knows nothing of is written as one that can be read", "[compute-line]") {
  auto line = sample_line();
  line.per_sample_error = 1e9;
  CHECK(mistakes_of_line(json_of(line)).empty());
}

TEST_CASE("a line comes back from its JSON as it was", "[compute-line]") {
  const auto line = sample_line();
  const nlohmann::json json = json_of(line);
  Mistakes mistakes("calibration.json");
  const auto again = read_object(JsonNode(json, "", mistakes), batch_line_fields());
  CHECK(mistakes.empty());
  CHECK(nlohmann::json(json_of(again)) == json);
  CHECK(again.fixed_s == line.fixed_s);
  CHECK(again.records == line.records);
  CHECK(again.sources == line.sources);
  CHECK(again.correlation == line.correlation);
}

TEST_CASE("a line's doubt is its scatter and its two numbers, by propagation", "[compute-line]") {
  const auto line = sample_line();
  const double share = 0.052 / line_time_s(line, 16);
  const double fixed = share * 0.05;
  const double growing = (1 - share) * 0.02;
  CHECK(line_width(line, 16) ==
        Approx(std::sqrt(fixed * fixed + growing * growing - 2 * 0.6 * fixed * growing + 0.03 * 0.03)));
}

TEST_CASE("what is wrong with a line is reported with its place", "[compute-line]") {
  check_mistake("fixed_s", 0, "0 found; give a number above 0, without quotes or unit");
  check_mistake("largest_batch", 0.5, "0.5 found, below smallest_batch 1; expected no less");
  check_mistake("correlation", 2, "2 is out of range; give -1 to 1");
  check_mistake("precision", "fp31",
                "\"fp31\" found, one of amp, bf16, fp16, fp32, fp8, fp8-block, mxfp8, nvfp4, tf32 expected; did you "
                "mean \"fp32\"?");
  nlohmann::json json = json_of(sample_line());
  json.erase("preset");
  json["presett"] = "mxnet";
  CHECK(mistakes_of_line(json).size() == 2);
  CHECK(mistakes_of_line(nlohmann::json::array()).size() == 1);
}

} // namespace ddlsim
