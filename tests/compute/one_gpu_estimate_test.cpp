#include "sim/base/error.hpp"
#include "sim/compute/compute_priors.hpp"
#include "sim/compute/one_gpu_estimate.hpp"
#include "tests/formats/plain_records.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

struct Desk {
  Model model;
  Gpu gpu;
  Desk() {
    model.name = "m";
    for (int l = 0; l < 10; ++l) {
      model.layers.push_back({"layer", "conv3x3", 1e8, 1e5, {}});
      model.layers.push_back({"layer", "activation", 0, 1e5, {}});
    }
    gpu.name = "G";
    gpu.aliases = {"Gee"};
    gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 1e12}};
    gpu.memory_bandwidth_Bps = 1e11;
    gpu.compute_capability = 70;
  }
  ComputeQuestion question(double batch) const { return {model, gpu, Precision::fp32, batch, "horovod"}; }
};

/// Four times the peak and the bandwidth of Desk's GPU.
Gpu faster_gpu() {
  Gpu gpu = Desk().gpu;
  gpu.name = "F";
  gpu.aliases = {};
  gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 4e12}};
  gpu.memory_bandwidth_Bps = 4e11;
  return gpu;
}

/// Another model of the same work.
OtherClusterTimes with_models(std::vector<StepRecord> records, const std::vector<std::string>& models) {
  OtherClusterTimes known{std::move(records), {Desk().gpu, faster_gpu()}, {}};
  for (const auto& model : models) known.models.emplace(model, size_of(Desk().model));
  return known;
}

StepRecord of(StepRecord step, const std::string& gpu, const std::string& model) {
  step.head.gpu = gpu;
  step.model = model;
  step.site = "elsewhere";
  return step;
}

/// The estimate without any record.
OneGpuEstimate by_kernels(const ComputeQuestion& question) {
  return find_compute(question, {}, {}, with_models({}, {}));
}

StepRecord record(double batch, double iteration_s, const std::string& preset = "horovod") {
  auto step = test::one_gpu_step(batch, iteration_s);
  step.preset = preset;
  step.synchronised = true;
  return step;
}

} // namespace

TEST_CASE("a record of the cluster itself at this batch is taken as it is", "[evidence]") {
  const Desk desk;
  const auto found = find_compute(desk.question(32), {record(32, 0.2)}, {record(32, 0.3)});
  CHECK(found.one_gpu_s == 0.2);
  CHECK(found.label == EvidenceLabel::calibrated);
  CHECK(found.prior == compute_measured);
  CHECK(find_compute(desk.question(32), {record(32, 0.2), record(32, 0.4), record(32, 0.3)}, {}).one_gpu_s == 0.3);
}

TEST_CASE("A question that does not say whether fp32 uses TF32 takes a record that does", "[evidence]") {
  Desk desk;
  desk.gpu.compute_capability = 86;
  desk.gpu.peak_flop_per_s[ArithmeticUnit::tf32] = 8e12;
  auto in_tf32 = record(32, 0.1);
  in_tf32.conv_tf32 = true;
  auto plain = record(32, 0.3);
  plain.conv_tf32 = false;
  auto question = desk.question(32);
  CHECK(find_compute(question, {in_tf32}, {}).one_gpu_s == 0.1);
  CHECK(find_compute(question, {plain}, {}).one_gpu_s == 0.3);
  question.conv_tf32 = true;
  CHECK(find_compute(question, {in_tf32, plain}, {}).one_gpu_s == 0.1);
  CHECK(find_compute(question, {plain}, {}).prior == compute_estimated);
  question.conv_tf32 = false;
  CHECK(find_compute(question, {in_tf32, plain}, {}).one_gpu_s == 0.3);
}

TEST_CASE("Precision tf32 is fp32 with products and convolutions in TF32", "[evidence]") {
  Desk desk;
  desk.gpu.compute_capability = 80;
  desk.gpu.peak_flop_per_s[ArithmeticUnit::tf32] = 8e12;
  auto named = desk.question(32);
  named.precision = Precision::tf32;
  auto stated = desk.question(32);
  stated.matmul_tf32 = true;
  stated.conv_tf32 = true;
  CHECK(by_kernels(named).one_gpu_s == by_kernels(stated).one_gpu_s);
  auto measured = record(32, 0.1);
  measured.precision = Precision::tf32;
  CHECK(find_compute(stated, {measured}, {}).one_gpu_s == 0.1);
  measured.precision = Precision::fp32;
  measured.matmul_tf32 = true;
  CHECK(find_compute(named, {measured}, {}).one_gpu_s == 0.1);
  measured.matmul_tf32 = false;
  CHECK(find_compute(named, {measured}, {}).prior == compute_estimated);
}

TEST_CASE("a device that nobody named is known by records of its own cluster alone", "[evidence]") {
  Desk desk;
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

TEST_CASE("a processor's other batches follow from the one that was measured", "[evidence]") {
  Desk desk;
  desk.gpu = unnamed_device();
  auto processor = record(32, 20);
  processor.head.gpu = "";
  processor.head.device = "cpu";
  const auto found = find_compute(desk.question(64), {processor}, {});
  CHECK(found.one_gpu_s > 25);
  CHECK(found.one_gpu_s < 45);
}

TEST_CASE("another batch of the site narrows the estimate and carries its deviation over", "[evidence]") {
  const Desk desk;
  const auto alone = by_kernels(desk.question(64));
  const double slow = 1.5;
  const auto found = find_compute(desk.question(64), {record(32, slow * by_kernels(desk.question(32)).one_gpu_s)}, {});
  CHECK(found.one_gpu_s > 1.2 * alone.one_gpu_s);
  CHECK(found.one_gpu_s < 1.02 * slow * alone.one_gpu_s); // the larger batch has more of the part that deviates
  CHECK(found.label == EvidenceLabel::calibrated);
  CHECK(found.prior == compute_estimated);
  CHECK(width_of_estimate(found) < 0.6 * width_of_estimate(alone));
  CHECK_THAT(found.text, Catch::Contains("the most alike is m at batch 32 in fp32 on G under horovod, measured here"));
}

TEST_CASE("another model of the site narrows it too, but less, and most of what is left is the model's", "[evidence]") {
  Desk desk;
  const auto alone = by_kernels(desk.question(32));
  const double slow_s = 1.5 * alone.one_gpu_s;
  auto known = with_models({}, {"other"});
  const auto other = find_compute(desk.question(32), {of(record(32, slow_s), "G", "other")}, {}, known);
  const auto batch = find_compute(desk.question(32), {record(64, 2 * slow_s)}, {}, known);
  CHECK(width_of_estimate(other) < width_of_estimate(alone));
  CHECK(width_of_estimate(batch) < width_of_estimate(other));
  CHECK(other.one_gpu_s > alone.one_gpu_s);
  CHECK(other.stack_width < alone.stack_width);
}

TEST_CASE("the parts of the width add up as squares, and each is what its scope shares", "[evidence]") {
  const Desk desk;
  const auto alone = by_kernels(desk.question(32));
  CHECK(alone.stack_width > 0);
  CHECK(alone.model_width > 0);
  CHECK(alone.batch_width > 0);
  CHECK(width_of_estimate(alone) ==
        Approx(std::sqrt(alone.stack_width * alone.stack_width + alone.model_width * alone.model_width +
                         alone.batch_width * alone.batch_width)));
  CHECK(alone.label == EvidenceLabel::assumed);
  CHECK_THAT(alone.text, Catch::Contains("estimated from the times of its kernels alone"));
}

TEST_CASE("records of another precision, scale or pass do not count, nor do suspect ones", "[evidence]") {
  const Desk desk;
  std::vector<StepRecord> wrong(4, record(32, 0.2));
  wrong[0].precision = Precision::amp;
  wrong[1].gpus = 2;
  wrong[2].mode = RunMode::forward;
  wrong[3].head.suspect = true;
  wrong.erase(wrong.begin()); // amp on this GPU runs on the fp32 units, and is like fp32
  const auto found = find_compute(desk.question(32), wrong, {});
  CHECK(found.label == EvidenceLabel::assumed);
  CHECK(found.one_gpu_s == by_kernels(desk.question(32)).one_gpu_s);
  auto unnamed = record(32, 0.3);
  unnamed.head.gpu = "";
  CHECK(find_compute(desk.question(32), {unnamed}, {}).one_gpu_s == 0.3);
  CHECK(find_compute(desk.question(32), {}, {unnamed}).one_gpu_s == by_kernels(desk.question(32)).one_gpu_s);
  auto alias = record(32, 0.2);
  alias.head.gpu = "Gee";
  CHECK(find_compute(desk.question(32), {alias}, {}).label == EvidenceLabel::calibrated);
}

TEST_CASE("another stack's record of the same GPU is no calibration", "[evidence]") {
  const Desk desk;
  const auto found = find_compute(desk.question(32), {record(32, 0.2, "mxnet")}, {});
  CHECK(found.label != EvidenceLabel::calibrated);
  CHECK(found.prior == compute_estimated);
  CHECK(width_of_estimate(found) > width_of_estimate(find_compute(desk.question(32), {record(40, 0.25)}, {})));
}

TEST_CASE("the same GPU under the same stack at another site says more than another GPU does", "[evidence]") {
  const Desk desk;
  const double kernels_s = by_kernels(desk.question(32)).one_gpu_s;
  const auto same = find_compute(desk.question(32), {}, {}, with_models({of(record(32, kernels_s), "G", "m")}, {"m"}));
  const auto other =
      find_compute(desk.question(32), {}, {}, with_models({of(record(32, kernels_s / 4), "F", "m")}, {"m"}));
  CHECK(width_of_estimate(same) < width_of_estimate(other));
  CHECK(width_of_estimate(other) < width_of_estimate(by_kernels(desk.question(32))));
  CHECK(same.label == EvidenceLabel::transferred);
}

TEST_CASE("equally good records that contradict each other widen the interval, and are named", "[evidence]") {
  const Desk desk;
  auto fast = record(32, 0.15);
  fast.head.software = "TensorFlow; with xla";
  auto slow = record(32, 0.35);
  slow.head.software = "TensorFlow; without xla";
  const auto found = find_compute(desk.question(32), {slow, fast}, {});
  CHECK(found.disagreement == Approx(std::log(0.35 / 0.15) / std::sqrt(2.0)));
  CHECK(found.text.find("2 equally good records disagree: 150 ms (TensorFlow; with xla), 350 ms") != std::string::npos);
  std::vector<Prior> priors(1);
  priors[0].parameter = "compute_measured";
  priors[0].width = 0.01;
  CHECK(find_prior(with_compute_priors(priors, found), "compute_measured", "", "").width ==
        Approx(std::hypot(0.01, found.disagreement)));
}

TEST_CASE("priors of an estimate: workloads of one stack share a factor of one width", "[evidence]") {
  const Desk desk;
  const auto found = by_kernels(desk.question(32));
  const auto priors = with_compute_priors({}, found);
  REQUIRE(priors.size() == 3);
  double variance = 0;
  for (const auto& prior : priors) variance += prior.width * prior.width;
  CHECK(std::sqrt(variance) == Approx(width_of_estimate(found)));
  CHECK(priors[0].parameter == "compute_stack");
  CHECK(priors[0].width <= found.stack_width);
  CHECK(priors[0].width > 0.8 * found.stack_width);
  CHECK(std::log(priors[0].width) / 0.2 == Approx(std::round(std::log(priors[0].width) / 0.2)));
  CHECK(priors[2].parameter == compute_estimated);
  OneGpuEstimate measured;
  measured.prior = compute_measured;
  CHECK_THROWS(with_compute_priors({}, measured)); // the book lacks its width
}

TEST_CASE("repeats that agree do not widen the interval", "[evidence]") {
  const Desk desk;
  const auto found = find_compute(desk.question(32), {record(32, 0.2), record(32, 0.204), record(32, 0.208)}, {});
  CHECK(found.one_gpu_s == 0.204);
  CHECK(found.disagreement == 0);
}

TEST_CASE("how far apart repeats may be is a constant of the model", "[evidence]") {
  const Desk desk;
  const std::vector<StepRecord> apart{record(32, 0.2), record(32, 0.2 * std::exp(0.07))};
  const auto disagreement_with = [&](const ModelConstants& constants) {
    return OneGpuTimes("G", "", apart, {}, with_models({}, {"m"}), constants).find(desk.question(32)).disagreement;
  };
  CHECK(disagreement_with({}) > 0);
  ModelConstants wider;
  wider.repeat_difference = 0.08;
  CHECK(disagreement_with(wider) == 0);
}

TEST_CASE("a series of several GPUs hides no one-GPU record of other series", "[evidence]") {
  const Desk desk;
  const auto alone = record(16, 0.4);
  auto spread = record(32, 0.2);
  spread.gpus = 4;
  spread.head.series = "four GPUs";
  auto question = desk.question(32);
  question.series = spread.head.series;
  const auto reference = with_models({}, {"m"});
  const OneGpuTimes without_spread("G", "", {alone}, {}, reference);
  const OneGpuTimes with_spread("G", "", {alone, spread}, {}, reference);
  CHECK(with_spread.find(question).one_gpu_s == without_spread.find(question).one_gpu_s);
}

TEST_CASE("a question names the series or the software that it means", "[evidence]") {
  const Desk desk;
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
  question.batch = 33; // beside the batch of the series
  CHECK(find_compute(question, {fast, slow}, {}).one_gpu_s == Approx(0.36).epsilon(0.05));
  question.batch = 32;
  question.series = "";
  question.software = "xla";
  CHECK(find_compute(question, {fast, slow}, {}).one_gpu_s == 0.15);
  slow.head.suspect = true;
  question.software = "";
  question.series = "plain"; // it has no other records
  CHECK(find_compute(question, {fast, slow}, {}).one_gpu_s == 0.35);
}

TEST_CASE("the user's own rate beats every record, and its interval is the width", "[evidence]") {
  const Desk desk;
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
  const Desk desk;
  auto real = record(32, 0.3);
  real.data = "real";
  CHECK(find_compute(desk.question(32), {real, record(32, 0.2)}, {}).one_gpu_s == 0.2);
  CHECK(find_compute(desk.question(32), {real}, {}).one_gpu_s == 0.3);
}

TEST_CASE("beside a measured batch the time is nearly that of the record, and it grows with the batch", "[evidence]") {
  const Desk desk;
  const std::vector<StepRecord> own{record(32, 0.32), record(64, 0.70), record(128, 1.28)};
  for (const double measured : {32.0, 64.0, 128.0})
    for (const double beside : {measured * 0.999, measured * 1.001})
      CHECK(find_compute(desk.question(beside), own, {}).one_gpu_s ==
            Approx(find_compute(desk.question(measured), own, {}).one_gpu_s).epsilon(0.01));
  for (double batch = 32; batch < 128; ++batch) {
    const double grows = find_compute(desk.question(batch + 1), own, {}).one_gpu_s /
                         find_compute(desk.question(batch), own, {}).one_gpu_s;
    CHECK(grows > 1);
    CHECK(grows < 1.1);
  }
}

TEST_CASE("bf16 that nobody measured is estimated from amp", "[evidence]") {
  Desk desk;
  desk.gpu.peak_flop_per_s[ArithmeticUnit::fp16_tensor] = 8e12;
  auto amp = record(32, 0.2);
  amp.precision = Precision::amp;
  auto question = desk.question(32);
  question.precision = Precision::bf16;
  const auto alone = find_compute(question, {}, {});
  const auto found = find_compute(question, {amp}, {});
  CHECK(std::abs(std::log(found.one_gpu_s / 0.2)) < 0.5 * std::abs(std::log(alone.one_gpu_s / 0.2)));
  CHECK(found.label != EvidenceLabel::calibrated);
  auto own = record(32, 0.3);
  own.precision = Precision::bf16;
  CHECK(find_compute(question, {amp, own}, {}).one_gpu_s == 0.3);
}

TEST_CASE("a GPU whose peak the catalogue lacks is known by its own records, in a wide interval without",
          "[evidence]") {
  Desk desk;
  desk.gpu.peak_flop_per_s.clear();
  CHECK(width_of_estimate(find_compute(desk.question(32), {}, {})) > 2);
  const auto found = find_compute(desk.question(64), {record(32, 5)}, {});
  CHECK(found.one_gpu_s > 6);
  CHECK(found.one_gpu_s < 12);
}

} // namespace ddlsim
