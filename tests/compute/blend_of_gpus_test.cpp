#include "sim/compute/blend_of_gpus.hpp"
#include "sim/compute/compute_priors.hpp"
#include "sim/compute/one_gpu_estimate.hpp"
#include "tests/formats/plain_records.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

Gpu card(const std::string& name, double peak, double bandwidth) {
  Gpu gpu;
  gpu.name = name;
  gpu.year = 2016;
  gpu.compute_capability = 60;
  gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, peak}, {ArithmeticUnit::fp16_tensor, 8 * peak}};
  gpu.memory_bandwidth_Bps = bandwidth;
  return gpu;
}

/// Two GPUs, the second twice as fast, and two models of one layer each.
struct BlendFixture {
  std::vector<Gpu> gpus{card("A", 1e13, 5e11), card("B", 2e13, 1e12)};
  Model model;
  ModelSizes sizes;
  std::vector<StepRecord> records;
  BlendFixture() {
    model.name = "vgg16";
    model.layers.resize(1);
    model.layers[0].kind = "conv";
    model.layers[0].forward_flop_per_sample = 1e10;
    model.layers[0].activation_bytes_per_sample = 1e7;
    sizes = {{"vgg16", size_of(model)}, {"vgg19", size_of(model)}, {"bert", size_of(model)}};
  }
  double catalogue_s(int gpu, double batch, Precision precision = Precision::fp32) const {
    return *catalogue_time_s(sizes.at("vgg16"), gpus[static_cast<std::size_t>(gpu)], precision, batch);
  }
  void measure(int gpu, const std::string& name, double batch, double times_catalogue) {
    records.push_back(test::one_gpu_step(batch, times_catalogue * catalogue_s(gpu, batch)));
    records.back().head.gpu = gpus[static_cast<std::size_t>(gpu)].name;
    records.back().model = name;
    records.back().preset = "horovod";
  }
  BlendedTime ask(double batch, Precision precision = Precision::fp32) const {
    const auto curves = compute_curves(records, gpus, sizes, "");
    const CurveIndex index(curves, gpus, sizes);
    return blend_of_gpus(index, sizes.at("vgg16"), gpus[1], {"B", "vgg16", precision, "horovod", batch}).value();
  }
};

} // namespace

TEST_CASE("the catalogue's time falls with the root of peak rate times bandwidth, launching apart", "[blend]") {
  const BlendFixture bench;
  const double launch_s = ModelConstants{}.roofline_share * 3 * ModelConstants{}.layer_launch_s;
  CHECK((bench.catalogue_s(0, 32) - launch_s) / (bench.catalogue_s(1, 32) - launch_s) == Approx(2));
  CHECK((bench.catalogue_s(0, 64) - launch_s) / (bench.catalogue_s(0, 32) - launch_s) == Approx(2));
  CHECK_FALSE(catalogue_time_s({}, bench.gpus[0], Precision::fp32, 32)); // no layer table
  auto unknown = bench.gpus[0];
  unknown.peak_flop_per_s.clear();
  CHECK_FALSE(catalogue_time_s(bench.sizes.at("vgg16"), unknown, Precision::fp32, 32));
}

TEST_CASE("a model with attention takes its FLOP by the peak and its bytes by the bandwidth", "[blend]") {
  const BlendFixture bench;
  auto attends = bench.sizes.at("vgg16");
  attends.attends = true;
  auto gpu = bench.gpus[0];
  gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 2e13}};
  gpu.memory_bandwidth_Bps = 1e12;
  const auto work_s = [&](double peak, double bandwidth) {
    auto other = gpu;
    other.peak_flop_per_s[ArithmeticUnit::fp32] *= peak;
    other.memory_bandwidth_Bps *= bandwidth;
    const double launch_s = 3 * ModelConstants{}.layer_launch_s * attends.layers;
    return *catalogue_time_s(attends, other, Precision::fp32, 32) / ModelConstants{}.roofline_share - launch_s;
  };
  const double flop_s = 32 * attends.work.flop / 2e13;
  const double bytes_s = 32 * attends.work.touched_bytes / 1e12;
  CHECK(work_s(1, 1) == Approx(flop_s + bytes_s));
  CHECK(work_s(1, 2) == Approx(flop_s + bytes_s / 2));
  CHECK(work_s(2, 1) == Approx(flop_s / 2 + bytes_s));
}

TEST_CASE("one record gives the share of its excess that the question shares with it", "[blend]") {
  BlendFixture bench;
  bench.measure(1, "vgg16", 32, 1.5); // of the very cell: all is shared but the repeat's own 0.04
  const auto same = bench.ask(32);
  const double ln = std::log(same.time_s / bench.catalogue_s(1, 32));
  CHECK(ln < std::log(1.5));
  CHECK(ln > 0.98 * std::log(1.5));
  CHECK(same.width == Approx(0.04 * std::sqrt(1 + ln / std::log(1.5))).epsilon(1e-6)); // v + r - v^2 / (v + r)
  CHECK(same.nearest == "B");
  CHECK(same.near_model == "vgg16");
}

TEST_CASE("a record says less the less it shares with the question, and the doubt grows", "[blend]") {
  const auto after = [](int gpu, const std::string& model, double batch) {
    BlendFixture bench;
    bench.measure(gpu, model, batch, 1.5);
    const auto found = bench.ask(32);
    return std::pair(std::log(found.time_s / bench.catalogue_s(1, 32)), found.width);
  };
  const auto same = after(1, "vgg16", 32);
  const auto batch = after(1, "vgg16", 64);
  const auto far_batch = after(1, "vgg16", 512);
  const auto family = after(1, "vgg19", 32);
  const auto other = after(1, "bert", 32);
  const auto other_gpu = after(0, "vgg16", 32);
  const auto neither = after(0, "bert", 32);
  for (const auto& [nearer, farther] :
       {std::pair(same, batch), std::pair(batch, far_batch), std::pair(same, family), std::pair(family, other),
        std::pair(same, other_gpu), std::pair(other, neither), std::pair(other_gpu, neither)}) {
    CHECK(nearer.first > farther.first);
    CHECK(nearer.second < farther.second);
  }
  CHECK(neither.first > 0);
}

TEST_CASE("anchor and model together beat each alone: t(B, vgg16) = t(A, vgg16) t(B, vgg19) / t(A, vgg19)", "[blend]") {
  BlendFixture bench;
  bench.measure(0, "vgg16", 32, 1.5);
  bench.measure(0, "vgg19", 32, 1.0);
  const double without = bench.ask(32).width;
  bench.measure(1, "vgg19", 32, 0.8);
  const auto found = bench.ask(32);
  CHECK(found.width < without);
  CHECK(found.time_s / bench.catalogue_s(1, 32) > 0.8);
  CHECK(found.time_s / bench.catalogue_s(1, 32) < 1.2 * 1.05); // the ratio says 1.2, drawn towards the catalogue
}

TEST_CASE("fp16, bf16 and amp are one law", "[blend]") {
  BlendFixture bench;
  bench.measure(0, "vgg16", 32, 1.2);
  bench.records.back().precision = Precision::amp;
  CHECK(bench.ask(32, Precision::fp16).time_s == bench.ask(32, Precision::amp).time_s);
  CHECK(bench.ask(32, Precision::bf16).time_s == bench.ask(32, Precision::amp).time_s);
  CHECK(bench.ask(32, Precision::fp32).width > bench.ask(32, Precision::amp).width);
}

TEST_CASE("fp8 is a precision of its own: a record in 16 bits says less of it, and its work is less", "[blend]") {
  BlendFixture bench;
  for (auto& gpu : bench.gpus) {
    const double fp32 = gpu.peak_flop_per_s.at(ArithmeticUnit::fp32);
    gpu.peak_flop_per_s[ArithmeticUnit::fp16_tensor] = 8 * fp32;
    gpu.peak_flop_per_s[ArithmeticUnit::fp8_tensor] = 16 * fp32;
  }
  bench.model.layers[0].kind = "linear";
  bench.model.layers.push_back(bench.model.layers[0]);
  bench.sizes.at("vgg16") = size_of(bench.model);
  CHECK(bench.catalogue_s(1, 32, Precision::fp8) < bench.catalogue_s(1, 32, Precision::bf16));
  CHECK(bench.catalogue_s(1, 32, Precision::fp8) > bench.catalogue_s(1, 32, Precision::bf16) / 2);
  bench.measure(0, "vgg16", 32, 1.2);
  bench.records.back().precision = Precision::bf16;
  CHECK(bench.ask(32, Precision::fp8).width > bench.ask(32, Precision::amp).width);
  bench.gpus[1].peak_flop_per_s.erase(ArithmeticUnit::fp8_tensor);
  CHECK_FALSE(catalogue_time_s(bench.sizes.at("vgg16"), bench.gpus[1], Precision::fp8, 32));
}

TEST_CASE("a GPU without records is asked of all others, with the blend's own doubt", "[blend]") {
  BlendFixture bench;
  bench.measure(0, "vgg16", 32, 1.5);
  const OtherClusterTimes reference{bench.records, bench.gpus, bench.sizes};
  const auto found = find_compute({bench.model, bench.gpus[1], Precision::fp32, 32, "horovod"}, {}, {}, reference);
  CHECK(found.prior == "compute_other_gpus");
  CHECK(found.label == EvidenceLabel::transferred);
  CHECK(found.one_gpu_s == bench.ask(32).time_s);
  std::vector<Prior> priors(1);
  priors[0].parameter = "compute_other_gpus";
  priors[0].width = 0.01;
  double variance = 0; // of what the stack, the model and the batch are off by
  for (const std::string part : {"compute_stack", "compute_model", "compute_other_gpus"})
    variance += std::pow(find_prior(widen_priors(priors, found), part, "", "").width, 2);
  CHECK(std::sqrt(variance) == Approx(bench.ask(32).width).epsilon(1e-9));
  CHECK(find_compute({bench.model, bench.gpus[1], Precision::fp16, 32, "horovod"}, {}, {}, reference).prior ==
        "compute_other_gpus_reduced");
}

namespace {

/// A bench whose second model is a transformer of another name.
struct TransformerBench : BlendFixture {
  TransformerBench() {
    auto attending = model;
    attending.layers[0].kind = "attention";
    sizes = {{"vgg16", size_of(model)}, {"one", size_of(attending)}, {"other", size_of(attending)}};
  }
  double catalogue_of_s(const std::string& name) const {
    return *catalogue_time_s(sizes.at(name), gpus[1], Precision::fp32, 32);
  }
  /// The answer where a transformer on the same GPU is implied to take half of what the catalogue says.
  OneGpuEstimate answer_of(const std::string& name, double read_back_uncertainty) const {
    auto implied = test::one_gpu_step(32, 0.5 * catalogue_of_s("one"));
    implied.head.gpu = "B";
    implied.model = "one";
    implied.preset = "horovod";
    implied.read_back_uncertainty = read_back_uncertainty;
    OtherClusterTimes reference{records, gpus, sizes, [implied] { return std::vector<StepRecord>{implied}; }};
    auto asked = model;
    asked.name = name;
    asked.layers[0].kind = name == "vgg16" ? "conv" : "attention";
    return find_compute({asked, gpus[1], Precision::fp32, 32, "horovod"}, {}, {}, reference);
  }
  double excess_of(const std::string& name, double read_back_uncertainty) const { ///< ln(answer / catalogue)
    return std::log(answer_of(name, read_back_uncertainty).one_gpu_s / catalogue_of_s(name));
  }
};

} // namespace

TEST_CASE("transformers are one family, by whatever name, and BERT is its own", "[blend]") {
  const TransformerBench bench;
  CHECK(family_of_model("one", bench.sizes.at("one")) == family_of_model("other", bench.sizes.at("other")));
  CHECK(family_of_model("bert_base_seq128", bench.sizes.at("one")) == "bert");
  CHECK(family_of_model("vgg16", bench.sizes.at("vgg16")) == "vgg");
  CHECK(family_of_model("lenet5", bench.sizes.at("vgg16")) == "lenet5");
}

TEST_CASE("what runs of several GPUs imply counts for another transformer, the less the more was taken off",
          "[blend]") {
  TransformerBench bench;
  bench.measure(0, "vgg16", 32, 1);
  const double sure = bench.excess_of("other", 0.01);
  CHECK(sure < 0.7 * std::log(0.5)); // of ln 0.5 most is what transformers share, a part what one site's runs do
  CHECK(sure > std::log(0.5));
  CHECK(bench.excess_of("other", 0.5) > sure);
  CHECK_THAT(bench.answer_of("other", 0.01).text, Catch::EndsWith("one on B, read back from a run on several GPUs"));
  CHECK_THAT(bench.answer_of("vgg16", 0.01).text, Catch::EndsWith("vgg16 on A"));
}

TEST_CASE("runs of one site say less together than runs of two, and a GPU alone speaks through the blend", "[blend]") {
  TransformerBench bench;
  auto widths = bench.sizes.at("one");
  widths.width = 1024;
  bench.sizes["third"] = widths;
  const auto read_back = [&](const std::string& model, const std::string& site) {
    auto record = test::one_gpu_step(32, 0.5 * bench.catalogue_of_s(model));
    record.head.gpu = "B";
    record.model = model;
    record.preset = "horovod";
    record.optimizer = false;
    record.read_back_uncertainty = 0.05;
    record.read_back_site = site;
    return record;
  };
  const auto answer = [&](const std::vector<StepRecord>& records) {
    const auto curves = compute_curves(records, bench.gpus, bench.sizes, "");
    const CurveIndex index(curves, bench.gpus, bench.sizes);
    const auto blend =
        blend_of_gpus(index, bench.sizes.at("other"), bench.gpus[1], {"B", "other", Precision::fp32, "horovod", 32});
    return blend.value();
  };
  const auto same = answer({read_back("one", "here"), read_back("third", "here")});
  const auto two = answer({read_back("one", "here"), read_back("third", "there")});
  CHECK(two.width < same.width);
  CHECK(two.time_s < same.time_s); // nearer to half of the catalogue's
  // Another cluster's GPU alone is not taken as it stands, but one of the own cluster is.
  auto alone = test::one_gpu_step(32, 0.5 * bench.catalogue_of_s("other"));
  alone.head.gpu = "B";
  alone.model = "other";
  alone.preset = "horovod";
  alone.optimizer = false;
  const OtherClusterTimes plain{{alone}, bench.gpus, bench.sizes};
  Model other = bench.model;
  other.name = "other";
  other.layers[0].kind = "attention";
  const ComputeQuestion question{other, bench.gpus[1], Precision::fp32, 32, "horovod"};
  const auto blended = find_compute(question, {}, {}, plain);
  CHECK(blended.blend_width > 0);
  CHECK(blended.one_gpu_s > alone.iteration_s);
  CHECK(find_compute(question, {alone}, {}, plain).one_gpu_s == Approx(alone.iteration_s));
}

TEST_CASE("among transformers a cost that falls with the width is learnt from some and holds for another", "[blend]") {
  BlendFixture bench;
  bench.records.clear();
  const auto excess = [](double width) { return -0.6 + 0.2 * 1024 / width; };
  const auto named = [](double width) { return "wide " + std::to_string(static_cast<int>(width)); };
  for (const double width : {512.0, 1024.0, 2048.0, 4096.0, 16384.0}) {
    auto attending = bench.model;
    attending.layers[0].kind = "attention";
    attending.layers[0].tensors = {{"w", {100, static_cast<long>(width)}, 1e6}};
    bench.sizes[named(width)] = size_of(attending);
    CHECK(bench.sizes[named(width)].width == width);
  }
  for (const double width : {512.0, 1024.0, 4096.0}) {
    bench.measure(1, named(width), 32, std::exp(excess(width)));
    bench.records.back().preset = "horovod";
  }
  const auto answer = [&](double width) {
    const auto curves = compute_curves(bench.records, bench.gpus, bench.sizes, "");
    const CurveIndex index(curves, bench.gpus, bench.sizes);
    const auto blend = blend_of_gpus(index, bench.sizes.at(named(width)), bench.gpus[1],
                                     {"B", named(width), Precision::fp32, "horovod", 32});
    return std::log(blend.value().time_s / bench.catalogue_s(1, 32));
  };
  CHECK(answer(2048) < excess(1024)); // beyond the widest of the narrow ones, drawn towards the catalogue
  CHECK(answer(2048) > excess(4096));
  // Without such an effect both would be the same; most of what was planted is found.
  CHECK(answer(2048) - answer(16384) > 0.5 * (excess(2048) - excess(16384)));
  CHECK(answer(2048) - answer(16384) < excess(2048) - excess(16384));
}

TEST_CASE("what runs of several GPUs imply says nothing of other families", "[blend]") {
  TransformerBench bench;
  bench.measure(0, "vgg16", 32, 1);
  const OtherClusterTimes plain{bench.records, bench.gpus, bench.sizes};
  const auto without = find_compute({bench.model, bench.gpus[1], Precision::fp32, 32, "horovod"}, {}, {}, plain);
  CHECK(std::exp(bench.excess_of("vgg16", 0.01)) * bench.catalogue_of_s("vgg16") ==
        Approx(without.one_gpu_s).epsilon(1e-12));
}

} // namespace ddlsim
