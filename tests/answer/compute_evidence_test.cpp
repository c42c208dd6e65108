#include "sim/answer/compute_evidence.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

struct Desk {
  Model model;
  Gpu gpu;
  Desk() {
    model.name = "m";
    model.layers.resize(10);
    gpu.name = "G";
    gpu.aliases = {"Gee"};
    gpu.peak_flop_per_s = {{"fp32", 1e12}};
    gpu.memory_bandwidth_Bps = 1e11;
  }
  ComputeQuestion question(double batch) const { return {model, gpu, "fp32", batch, "horovod"}; }
};

StepRecord record(double batch, double iteration_s, const std::string& preset = "horovod") {
  StepRecord step;
  step.head.gpu = "G";
  step.head.series = "s";
  step.model = "m";
  step.precision = "fp32";
  step.batch_per_gpu = batch;
  step.preset = preset;
  step.gpus = 1;
  step.mode = "train";
  step.iteration_s = iteration_s;
  return step;
}

} // namespace

TEST_CASE("a record of the cluster itself at this batch is calibrated", "[evidence]") {
  const Desk desk;
  const auto found = find_compute(desk.question(32), {record(32, 0.2)}, {record(32, 0.3)});
  CHECK(found.one_gpu_s == 0.2);
  CHECK(found.label == "calibrated");
  CHECK(found.prior == "compute_measured");
}

TEST_CASE("a borrowed record at this batch comes before an own one at another", "[evidence]") {
  const Desk desk;
  const auto found = find_compute(desk.question(32), {record(64, 0.2)}, {record(32, 0.3)});
  CHECK(found.one_gpu_s == 0.3);
  CHECK(found.label == "transferred");
}

TEST_CASE("another batch is carried over by a + c batch", "[evidence]") {
  const Desk desk;
  const auto found = find_compute(desk.question(64), {record(32, 0.1)}, {});
  const double fixed_s = 10 * 3 * 60e-6;
  CHECK(found.one_gpu_s == Approx(fixed_s + 2 * (0.1 - fixed_s)));
  CHECK(found.label == "transferred");
  CHECK(carry_to_batch(desk.model, 0.1, 32, 32) == 0.1);
}

TEST_CASE("the preset's own stack comes first; among equals the median", "[evidence]") {
  const Desk desk;
  CHECK(find_compute(desk.question(32), {record(32, 0.5, "apex"), record(32, 0.2)}, {}).one_gpu_s == 0.2);
  CHECK(find_compute(desk.question(32), {record(32, 0.2), record(32, 0.4), record(32, 0.3)}, {}).one_gpu_s == 0.3);
}

TEST_CASE("records of another GPU, model, precision, scale or pass do not count", "[evidence]") {
  const Desk desk;
  std::vector<StepRecord> wrong(6, record(32, 0.2));
  wrong[0].head.gpu = "H";
  wrong[1].model = "other";
  wrong[2].precision = "amp";
  wrong[3].gpus = 2;
  wrong[4].mode = "forward";
  wrong[5].head.suspect = true;
  const auto found = find_compute(desk.question(32), wrong, {});
  CHECK(found.label == "assumed");
  CHECK(found.prior == "compute_roofline");
  auto alias = record(32, 0.2);
  auto unnamed = record(32, 0.3);
  unnamed.head.gpu = "";
  CHECK(find_compute(desk.question(32), {unnamed}, {}).one_gpu_s == 0.3);
  CHECK(find_compute(desk.question(32), {}, {unnamed}).prior == "compute_roofline");
  alias.head.gpu = "Gee";
  CHECK(find_compute(desk.question(32), {alias}, {}).label == "calibrated");
}

} // namespace ddlsim
