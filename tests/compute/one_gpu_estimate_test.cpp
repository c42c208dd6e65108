#include "sim/base/error.hpp"
#include "sim/compute/compute_priors.hpp"
#include "sim/compute/one_gpu_estimate.hpp"
#include "tests/formats/plain_records.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

struct EstimateFixture {
  Model model;
  Gpu gpu;
  EstimateFixture() {
    model.name = "m";
    model.layers.resize(10);
    gpu.name = "G";
    gpu.aliases = {"Gee"};
    gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 1e12}};
    gpu.memory_bandwidth_Bps = 1e11;
  }
  ComputeQuestion question(double batch) const { return {model, gpu, Precision::fp32, batch, "horovod"}; }
};

StepRecord record(double batch, double iteration_s, const std::string& preset = "horovod") {
  auto step = test::one_gpu_step(batch, iteration_s);
  step.preset = preset;
  step.synchronised = true;
  return step;
}

} // namespace

TEST_CASE("a record of the cluster itself at this batch is calibrated", "[evidence]") {
  const EstimateFixture desk;
  const auto found = find_compute(desk.question(32), {record(32, 0.2)}, {record(32, 0.3)});
  CHECK(found.one_gpu_s == 0.2);
  CHECK(found.label == EvidenceLabel::calibrated);
  CHECK(found.prior == "compute_measured");
}

TEST_CASE("a borrowed record at this batch comes before an own one at another", "[evidence]") {
  const EstimateFixture desk;
  const auto found = find_compute(desk.question(32), {record(64, 0.2)}, {record(32, 0.3)});
  CHECK(found.one_gpu_s == 0.3);
  CHECK(found.label == EvidenceLabel::transferred);
}

TEST_CASE("a device that nobody named is known by records of its own cluster alone", "[evidence]") {
  EstimateFixture desk;
  desk.gpu = unnamed_device();
  auto processor = record(32, 0.2);
  processor.head.gpu = "";
  processor.head.device = "cpu";
  const auto found = find_compute(desk.question(32), {processor}, {});
  CHECK(found.one_gpu_s == 0.2);
  CHECK(found.label == EvidenceLabel::calibrated);
  CHECK_THAT(found.text, Catch::StartsWith("one processor: 160 samples/s, measured here") &&
                             Catch::EndsWith("no GPU is named: backward has the shape that it has on a V100-SXM2-16GB, "
                                             "and memory is not checked"));
  const std::string refusal = "no record of one processor with m in fp32";
  OtherClusterTimes others{{record(32, 0.1), processor}, {desk.gpu}, {}};
  CHECK_THROWS_WITH(find_compute(desk.question(32), {}, {record(32, 0.1)}, others), Catch::Contains(refusal));
  auto stated = desk.question(32);
  stated.stated = StatedRate{64, 0, 0};
  CHECK(find_compute(stated, {}, {}).one_gpu_s == 0.5);
  CHECK_THAT(find_compute(stated, {}, {}).text, Catch::Contains("no GPU is named"));
}

TEST_CASE("another batch is estimated by a + c batch", "[evidence]") {
  const EstimateFixture desk;
  const auto found = find_compute(desk.question(64), {record(32, 0.1)}, {});
  const double fixed_s = 10 * 3 * 60e-6;
  CHECK(found.one_gpu_s == Approx(fixed_s + 2 * (0.1 - fixed_s)));
  CHECK(found.label == EvidenceLabel::transferred);
  CHECK(found.error_sources == std::vector<std::string>{"compute_one_batch"});
}

TEST_CASE("a step that the host paced answers for smaller batches, and for larger ones where the GPU paced another",
          "[evidence]") {
  const EstimateFixture desk;
  auto host_paced = record(8, 0.1);
  host_paced.host_paced = true;
  CHECK(find_compute(desk.question(8), {host_paced}, {}).one_gpu_s == 0.1);
  CHECK(find_compute(desk.question(4), {host_paced}, {}).one_gpu_s == 0.1);
  CHECK(find_compute(desk.question(64), {host_paced}, {}).prior == "compute_roofline");
  const auto beside = find_compute(desk.question(64), {host_paced, record(32, 0.2)}, {});
  CHECK(beside.prior == "compute_one_batch");
  const double fixed_s = 10 * 3 * 60e-6;
  CHECK(beside.one_gpu_s == Approx(fixed_s + 2 * (0.2 - fixed_s)));
}

TEST_CASE("the preset's own stack comes first, and among equals the median", "[evidence]") {
  const EstimateFixture desk;
  CHECK(find_compute(desk.question(32), {record(32, 0.5, "apex"), record(32, 0.2)}, {}).one_gpu_s == 0.2);
  CHECK(find_compute(desk.question(32), {record(32, 0.2), record(32, 0.4), record(32, 0.3)}, {}).one_gpu_s == 0.3);
}

TEST_CASE("records of another GPU, model, precision, scale or pass do not count", "[evidence]") {
  const EstimateFixture desk;
  std::vector<StepRecord> wrong(6, record(32, 0.2));
  wrong[0].head.gpu = "H";
  wrong[1].model = "other";
  wrong[2].precision = Precision::amp;
  wrong[3].gpus = 2;
  wrong[4].mode = RunMode::forward;
  wrong[5].head.suspect = true;
  const auto found = find_compute(desk.question(32), wrong, {});
  CHECK(found.label == EvidenceLabel::assumed);
  CHECK(found.prior == "compute_roofline");
  auto alias = record(32, 0.2);
  auto unnamed = record(32, 0.3);
  unnamed.head.gpu = "";
  CHECK(find_compute(desk.question(32), {unnamed}, {}).one_gpu_s == 0.3);
  CHECK(find_compute(desk.question(32), {}, {unnamed}).prior == "compute_roofline");
  alias.head.gpu = "Gee";
  CHECK(find_compute(desk.question(32), {alias}, {}).label == EvidenceLabel::calibrated);
}

TEST_CASE("between two own batches the line through them is calibrated", "[evidence]") {
  const EstimateFixture desk;
  const std::vector<StepRecord> own{record(16, 0.0018 + 16 * 0.01), record(64, 0.0018 + 64 * 0.01)};
  const auto found = find_compute(desk.question(32), own, {record(32, 9)});
  CHECK(found.one_gpu_s == Approx(0.0018 + 32 * 0.01)); // 1.8 ms: ten layers
  CHECK(found.label == EvidenceLabel::calibrated);
  CHECK(found.prior == "compute_interpolated");
  CHECK(is_settled(found));
  CHECK_FALSE(is_settled(find_compute(desk.question(32), {}, own)));
  CHECK(found.text.find("batches 16 to 64") != std::string::npos);
}

TEST_CASE("beyond its batches a line is no longer calibrated, and far beyond it counts as one batch", "[evidence]") {
  const EstimateFixture desk;
  const std::vector<StepRecord> own{record(16, 0.21), record(64, 0.69)};
  const auto near = find_compute(desk.question(96), own, {});
  CHECK(near.label == EvidenceLabel::transferred);
  CHECK(near.prior == "compute_extrapolated");
  const auto far = find_compute(desk.question(97), own, {});
  CHECK(far.prior == "compute_one_batch");
  CHECK(far.one_gpu_s > near.one_gpu_s);
}

TEST_CASE("another stack's record of the same GPU is no calibration", "[evidence]") {
  const EstimateFixture desk;
  const auto found = find_compute(desk.question(32), {record(32, 0.2, "mxnet")}, {});
  CHECK(found.one_gpu_s == 0.2);
  CHECK(found.label == EvidenceLabel::transferred);
  CHECK(found.prior == "compute_other_stack");
  auto half = record(32, 0.2, "mxnet");
  half.precision = Precision::amp;
  auto question = desk.question(32);
  question.precision = Precision::amp;
  CHECK(find_compute(question, {half}, {}).prior == "compute_other_stack_reduced");
}

namespace {

/// Four times the peak and the bandwidth of Desk's GPU.
Gpu faster_gpu() {
  Gpu gpu;
  gpu.name = "F";
  gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 4e12}};
  gpu.memory_bandwidth_Bps = 4e11;
  return gpu;
}

StepRecord of(StepRecord step, const std::string& gpu, const std::string& model) {
  step.head.gpu = gpu;
  step.model = model;
  return step;
}

} // namespace

TEST_CASE("other clusters' one-GPU times come after the cluster and what it borrows", "[evidence]") {
  const EstimateFixture desk;
  const OtherClusterTimes reference{{record(32, 0.4)}, {desk.gpu}, {}};
  CHECK(find_compute(desk.question(32), {}, {record(32, 0.3)}, reference).one_gpu_s == 0.3);
  const auto found = find_compute(desk.question(32), {}, {}, reference);
  CHECK(found.one_gpu_s == 0.4);
  CHECK(found.prior == "compute_transferred");
  CHECK(found.label == EvidenceLabel::transferred);
}

TEST_CASE("another GPU's time counts by the root of peak rate times bandwidth", "[evidence]") {
  const EstimateFixture desk;
  const OtherClusterTimes reference{{of(record(32, 0.1), "F", "m")}, {desk.gpu, faster_gpu()}, {}};
  const auto found = find_compute(desk.question(32), {}, {}, reference);
  CHECK(found.one_gpu_s == Approx(0.4));
  CHECK(found.prior == "compute_scaled");
  CHECK(find_compute(desk.question(32), {}, {}, {}).prior == "compute_roofline"); // it sees what it is given
}

TEST_CASE("an anchor that both GPUs ran comes before the catalogue", "[evidence]") {
  EstimateFixture desk;
  desk.model.name = "vgg16";
  OtherClusterTimes reference{{of(record(32, 0.1), "F", "vgg16"), of(record(32, 0.05), "F", "resnet50_v1"),
                               of(record(32, 0.15), "G", "resnet50_v1")},
                              {desk.gpu, faster_gpu()},
                              {}};
  const auto found = find_compute(desk.question(32), {}, {}, reference);
  CHECK(found.one_gpu_s == Approx(0.3));
  CHECK(found.prior == "compute_anchored");
  reference.records.push_back(of(record(32, 0.2), "F", "vgg19"));
  reference.records.push_back(of(record(32, 0.5), "G", "vgg19"));
  const auto family = find_compute(desk.question(32), {}, {}, reference);
  CHECK(family.one_gpu_s == Approx(0.25));
  CHECK(family.prior == "compute_anchored_family");
  reference.records.back().preset = "apex"; // an anchor counts inside one stack only
  CHECK(find_compute(desk.question(32), {}, {}, reference).prior == "compute_anchored");
}

TEST_CASE("MobileNet has no anchor, and nothing crosses precisions", "[evidence]") {
  EstimateFixture desk;
  desk.model.name = "mobilenet_v2";
  OtherClusterTimes reference{{of(record(32, 0.1), "F", "mobilenet_v2"), of(record(32, 0.05), "F", "resnet50_v1"),
                               of(record(32, 0.15), "G", "resnet50_v1")},
                              {desk.gpu, faster_gpu()},
                              {}};
  CHECK(find_compute(desk.question(32), {}, {}, reference).prior == "compute_scaled");
  auto question = desk.question(32);
  question.precision = Precision::amp;
  CHECK(find_compute(question, {}, {}, reference).prior == "compute_roofline_reduced");
}

TEST_CASE("doubts of several kinds add as squares", "[evidence]") {
  std::vector<Prior> priors(2);
  priors[0].parameter = "compute_one_batch";
  priors[0].width = 0.3;
  priors[1].parameter = "compute_other_stack";
  priors[1].width = 0.4;
  const EstimateFixture desk;
  const auto found = find_compute(desk.question(64), {record(32, 0.1, "mxnet")}, {});
  CHECK(find_prior(widen_priors(priors, found), found.prior, "", "").width == Approx(0.5));
  priors.pop_back();
  CHECK_THROWS(widen_priors(priors, found));
}

TEST_CASE("equally good records that contradict each other are a doubt, and are named", "[evidence]") {
  const EstimateFixture desk;
  auto fast = record(32, 0.15);
  fast.head.software = "TensorFlow; with xla";
  auto slow = record(32, 0.35);
  slow.head.software = "TensorFlow; without xla";
  const auto found = find_compute(desk.question(32), {slow, fast}, {});
  CHECK(found.one_gpu_s == 0.15);
  CHECK(found.disagreement == Approx(std::log(0.35 / 0.15) / std::sqrt(2.0)));
  CHECK(found.text.find("2 equally good records disagree: 150 ms (TensorFlow; with xla), 350 ms") != std::string::npos);
  std::vector<Prior> priors(1);
  priors[0].parameter = "compute_measured";
  priors[0].width = 0.01;
  CHECK(find_prior(widen_priors(priors, found), "compute_measured", "", "").width ==
        Approx(std::hypot(0.01, found.disagreement)));
}

TEST_CASE("repeats that agree are no doubt", "[evidence]") {
  const EstimateFixture desk;
  const auto found = find_compute(desk.question(32), {record(32, 0.2), record(32, 0.204), record(32, 0.208)}, {});
  CHECK(found.one_gpu_s == 0.204);
  CHECK(found.disagreement == 0);
}

TEST_CASE("how far apart repeats may be is a constant of the model", "[evidence]") {
  const EstimateFixture desk;
  const std::vector<StepRecord> apart{record(32, 0.2), record(32, 0.2 * std::exp(0.07))};
  const auto disagreement_with = [&](const ModelConstants& constants) {
    return OneGpuTimes("G", apart, {}, {}, constants).find(desk.question(32)).disagreement;
  };
  CHECK(disagreement_with({}) > 0);
  ModelConstants wider;
  wider.repeat_difference = 0.08;
  CHECK(disagreement_with(wider) == 0);
}

TEST_CASE("a question names the series or the software that it means", "[evidence]") {
  const EstimateFixture desk;
  auto fast = record(32, 0.15);
  fast.head.series = "xla";
  fast.head.software = "TensorFlow 1.15; with xla";
  auto slow = record(32, 0.35);
  slow.head.series = "plain";
  slow.head.software = "TensorFlow 1.15";
  auto question = desk.question(32);
  question.series = "plain";
  const auto of_series = find_compute(question, {fast, slow}, {});
  CHECK(of_series.one_gpu_s == 0.35);
  CHECK(of_series.own_series);
  CHECK(of_series.disagreement == 0);
  question.series = "";
  question.software = "xla";
  CHECK(find_compute(question, {fast, slow}, {}).one_gpu_s == 0.15);
}

TEST_CASE("the asker's own rate beats every record, and its interval is the doubt", "[evidence]") {
  const EstimateFixture desk;
  auto question = desk.question(32);
  question.stated = StatedRate{160, 150, 170};
  const auto found = find_compute(question, {record(32, 0.3)}, {});
  CHECK(found.one_gpu_s == 0.2);
  CHECK(found.label == EvidenceLabel::calibrated);
  CHECK(found.stated_width == Approx(std::log(170.0 / 150) / (2 * 1.6448536)));
  question.stated = StatedRate{160};
  CHECK(find_compute(question, {record(32, 0.3)}, {}).stated_width == 0);
}

TEST_CASE("synthetic data comes before real data", "[evidence]") {
  const EstimateFixture desk;
  auto real = record(32, 0.3);
  real.data = "real";
  CHECK(find_compute(desk.question(32), {real, record(32, 0.2)}, {}).one_gpu_s == 0.2);
  CHECK(find_compute(desk.question(32), {real}, {}).one_gpu_s == 0.3);
}

TEST_CASE("where one curve ends and another takes over, the time goes over from one to the other", "[evidence]") {
  // Horovod at 64 only, 4 ms a sample; another stack's line from 32 to 128, 5 ms a sample.
  const EstimateFixture desk;
  const std::vector<StepRecord> own{record(64, 0.0018 + 64 * 0.004), record(32, 0.0018 + 32 * 0.005, "apex"),
                                    record(128, 0.0018 + 128 * 0.005, "apex")};
  const auto at = [&](double batch) { return find_compute(desk.question(batch), own, {}); };
  CHECK(at(64).one_gpu_s == own[0].iteration_s);
  CHECK(at(64).disagreement == 0);
  for (const double beside : {63.0, 65.0})
    CHECK(at(beside).one_gpu_s == Approx(0.0018 + beside * 0.004).epsilon(0.02)); // of 25 % between the two
  CHECK(at(100).one_gpu_s == Approx(0.0018 + 100 * 0.005).epsilon(0.02));
  CHECK(at(80).disagreement > 0.06);
  for (double batch = 32; batch < 128; ++batch) {
    const double grows = at(batch + 1).one_gpu_s / at(batch).one_gpu_s;
    CHECK(grows > 1);
    CHECK(grows < 1.1);
  }
}

TEST_CASE("between its own batches a curve goes through its records", "[evidence]") {
  const EstimateFixture desk; // the middle record is 10 % off the line through the others
  const std::vector<StepRecord> own{record(32, 0.32), record(64, 0.70), record(128, 1.28)};
  for (const double measured : {32.0, 64.0, 128.0})
    for (const double beside : {measured - 0.01, measured + 0.01})
      CHECK(find_compute(desk.question(beside), own, {}).one_gpu_s ==
            Approx(find_compute(desk.question(measured), own, {}).one_gpu_s).epsilon(1e-3)); // 0.01 of a batch of 32
}

TEST_CASE("bf16 that nobody measured is amp's time with another stack's doubt", "[evidence]") {
  const EstimateFixture desk;
  auto amp = record(32, 0.1);
  amp.precision = Precision::amp;
  auto question = desk.question(32);
  question.precision = Precision::bf16;
  const auto found = find_compute(question, {amp}, {});
  CHECK(found.one_gpu_s == 0.1);
  CHECK(found.label == EvidenceLabel::transferred);
  CHECK(found.error_sources == std::vector<std::string>{"compute_measured", "compute_other_stack_reduced"});
  CHECK(found.text.find("bf16 was never measured, and this is amp") != std::string::npos);
  CHECK(find_compute(question, {}, {}).prior == "compute_roofline_reduced");
  auto own = record(32, 0.2);
  own.precision = Precision::bf16;
  CHECK(find_compute(question, {amp, own}, {}).one_gpu_s == 0.2);
}

TEST_CASE("another GPU's time at a batch far from the one asked for comes before the roofline, in doubt",
          "[evidence]") {
  const EstimateFixture desk;
  const OtherClusterTimes reference{{of(record(32, 0.1), "F", "m")}, {desk.gpu, faster_gpu()}, {}};
  const auto near = find_compute(desk.question(128), {}, {}, reference);
  const auto far = find_compute(desk.question(129), {}, {}, reference);
  CHECK(far.one_gpu_s / near.one_gpu_s == Approx(129.0 / 128).epsilon(0.001)); // the fixed part
  CHECK(near.error_sources == std::vector<std::string>{"compute_scaled"});
  CHECK(far.error_sources.back() == "compute_one_batch");
}

} // namespace ddlsim
