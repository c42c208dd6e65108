#include "sim/compute/batch_curve.hpp"
#include "tests/formats/plain_records.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

StepRecord step(const std::string& series, double batch, double time_s, bool synchronised = false) {
  auto record = test::one_gpu_step(batch, time_s);
  record.head.series = series;
  record.head.gpu = "Gee";
  record.synchronised = synchronised;
  return record;
}

std::vector<Gpu> catalogue() {
  Gpu gpu;
  gpu.name = "G";
  gpu.aliases = {"Gee"};
  gpu.memory_bandwidth_Bps = 1e11;
  return {gpu};
}

} // namespace

TEST_CASE("a series without its batch", "[curve]") {
  CHECK(series_stem("mxnet-k80-resnet50-b32") == "mxnet-k80-resnet50-b*");
  CHECK(series_stem("tf-vgg16-bs64-synthetic") == "tf-vgg16-bs*-synthetic");
  CHECK(series_stem("dlperf-bert-b64-line352") == "dlperf-bert-b*-line*");
  CHECK(series_stem("resnet50-k80-ib2") == "resnet50-k80-ib2"); // the middle of a word is no batch
  CHECK(series_stem("b-b") == "b-b");
}

TEST_CASE("records of one table that differ in batch are one curve with a line", "[curve]") {
  const std::vector<StepRecord> records{step("s-b32", 32, 0.32), step("s-b8", 8, 0.11),  step("s-b8", 8, 0.10),
                                        step("s-b8", 8, 0.13),   step("other", 16, 0.2), step("s-b8", 8, 0.2, true)};
  const auto curves = compute_curves(records, catalogue(), {{"m", {100, 0}}}, "");
  REQUIRE(curves.size() == 3);
  REQUIRE(curves[0].points.size() == 2);
  CHECK(curves[0].gpu == "G");
  CHECK(curves[0].points[0].batch == 8);
  CHECK(curves[0].points[0].time_s == 0.11); // the middle of three
  CHECK(curves[0].line.has_value());
  CHECK(batch_times(curves[0]).size() == 4);
  CHECK_FALSE(curves[1].line.has_value());
  CHECK(curves[2].synchronised);
}

TEST_CASE("records that do not say what one GPU does make no curve", "[curve]") {
  std::vector<StepRecord> records(4, step("s", 32, 0.3));
  records[0].gpus = 2;
  records[1].mode = RunMode::forward;
  records[2].head.suspect = true;
  records[3].head.gpu = "";
  CHECK(compute_curves(records, catalogue(), {}, "").empty());
  CHECK(compute_curves(records, catalogue(), {}, "G").size() == 1);
}

} // namespace ddlsim
