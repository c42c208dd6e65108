// What storage must deliver and how many cores must decode, and the doubt about storage that is named.

#include "sim/base/statistics.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/predict/input.hpp"
#include "sim/predict/prediction_sentences.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ddlsim;

namespace {

/// Samples that are alike but for their input.
Curve curve_with_input(const SmallCluster& small, const InputPipeline& input, const InputUncertainty& uncertainty,
                       int samples) {
  Curve curve{small.setup(StrategyName::ring, 1), small.sample, {}, 1, 64, EvidenceLabel::calibrated};
  curve.setup.input = input;
  curve.samples.values.assign(static_cast<std::size_t>(samples), small.sample);
  curve.samples.z_scores.assign(static_cast<std::size_t>(samples), std::vector<double>(parameter_fields().size(), 0.0));
  curve.calibration.residual_process.spread = 0;
  curve.calibration.residual_process.growth = 0;
  curve.calibration.measurement_noise = 0;
  curve.input_uncertainty = uncertainty;
  draw_input(curve.samples, uncertainty, samples, 3);
  return curve;
}

PredictedPoint input_point(const Curve& curve, int gpus) {
  return predict_point(curve, gpus, Fidelity::formula).point;
}

InputPipeline cores_of(int cores, double core_samples_per_s) {
  InputPipeline input;
  input.cores = cores;
  input.core_samples_per_s = core_samples_per_s;
  return input;
}

} // namespace

TEST_CASE("decoding is the limit where cores x rate is below what the GPUs take") {
  const SmallCluster small; // 10 samples in 0.3 s: 33.3 samples/s
  const auto starved = input_point(curve_with_input(small, cores_of(4, 5), {}, 20), 1);
  CHECK(starved.iteration_s == Approx(10 / 20.0));
  CHECK(starved.parts.input_wait_s == Approx(0.2));
  REQUIRE(starved.input);
  CHECK(starved.input->limit == InputLimit::decoding);
  CHECK(starved.input->samples_per_s == Approx(100.0 / 3));
  CHECK(starved.input->node_cores == Approx(100.0 / 3 / 5));
  CHECK(starved.input->wait_chance == 1);
  const auto busy = input_point(curve_with_input(small, cores_of(7, 5), {}, 20), 1); // 35 samples/s
  CHECK(busy.iteration_s == Approx(0.3));
  CHECK(busy.parts.input_wait_s == 0);
  CHECK(busy.input->wait_chance == 0);
  CHECK(busy.input->node_cores == Approx(100.0 / 3 / 5));
}

TEST_CASE("GPUs that decode are a limit of their own") {
  const SmallCluster small;
  InputPipeline input;
  input.gpu_samples_per_s = 25;
  const auto point = input_point(curve_with_input(small, input, {}, 20), 1);
  CHECK(point.iteration_s == Approx(10 / 25.0));
  CHECK(point.input->limit == InputLimit::decoding);
  CHECK(point.input->node_cores == 0);
}

TEST_CASE("what storage must deliver is the GPUs' rate times the bytes of a sample") {
  const SmallCluster small;
  InputPipeline input;
  input.bytes_per_sample = 1e6;
  const auto alone = input_point(curve_with_input(small, input, {}, 20), 4);
  REQUIRE(alone.input);
  CHECK(alone.input->limit == InputLimit::none);
  CHECK(alone.input->storage_Bps == Approx(alone.samples_per_s * 1e6));
  CHECK(alone.input->storage_Bps_low == Approx(alone.input->storage_Bps));
  input.shared_read_Bps = 0.5 * alone.samples_per_s * 1e6; // half of that for all 4 nodes
  const auto shared = input_point(curve_with_input(small, input, {}, 20), 4);
  CHECK(shared.iteration_s == Approx(2 * alone.iteration_s));
  CHECK(shared.input->limit == InputLimit::shared_storage);
  CHECK(shared.input->storage_Bps == Approx(alone.input->storage_Bps)); // what the GPUs would take
  input.shared_read_Bps = 0;
  input.read_Bps = 0.125 * alone.samples_per_s * 1e6; // half of a node's quarter
  const auto own = input_point(curve_with_input(small, input, {}, 20), 4);
  CHECK(own.iteration_s == Approx(2 * alone.iteration_s));
  CHECK(own.input->limit == InputLimit::storage);
}

TEST_CASE("small files cost the time to open them, shared by the readers") {
  InputPipeline input;
  input.open_s = 1e-2;
  input.readers = 5;
  CHECK(input_times(input, {}, 1, 1, 100).opening_s == Approx(0.2));
  input.shared_opens_per_s = 1000;
  CHECK(input_times(input, {}, 4, 1, 100).shared_opening_s == Approx(0.4));
  InputFactors slow;
  slow.open = 3;
  CHECK(input_times(input, {}, 1, 1, 100, slow).opening_s == Approx(0.6));
  input.readers = 0; // nobody says how many: no limit
  CHECK(input_times(input, {}, 1, 1, 100).opening_s == 0);
}

TEST_CASE("a worker reads and then decodes, several beside each other, within what storage and cores do") {
  auto input = cores_of(8, 5); // 0.2 s a sample
  input.bytes_per_sample = 1e6;
  input.read_Bps = 1e7; // 0.1 s a sample
  input.open_s = 0.05;
  input.readers = 8;
  CHECK(input_times(input, {}, 1, 1, 100).workers_s == 0); // reading ahead: beside each other
  CHECK(input_times(input, {}, 1, 1, 100).longest_s() == Approx(10));
  input.serial_workers = 1;
  CHECK(input_times(input, {}, 1, 1, 100).workers_s == Approx(100 * (0.05 + 0.1 + 0.2)));
  InputFactors factors;
  factors.open = 2;
  factors.read = 0.5;
  factors.core = 4;
  CHECK(input_times(input, {}, 1, 1, 100, factors).workers_s == Approx(100 * (0.1 + 0.2 + 0.05)));
  input.serial_workers = 4; // 11.4 samples/s, and storage gives 10
  CHECK(input_times(input, {}, 1, 1, 100).workers_s == Approx(100 * 0.35 / 4));
  CHECK(input_times(input, {}, 1, 1, 100).longest_s() == Approx(10));
  input.shared_read_Bps = 5e6; // one worker's bytes pass both
  CHECK(input_times(input, {}, 1, 1, 100).workers_s == Approx(100 * 0.45 / 4));
  input.shared_read_Bps = 0;
  input.loader_samples_per_s = 16; // of these four workers: 0.25 s a sample
  CHECK(input_times(input, {}, 1, 1, 100).workers_s == Approx(100 * 0.4 / 4));
}

TEST_CASE("few workers are the limit that a report names") {
  const SmallCluster small; // 33.3 samples/s
  auto input = cores_of(8, 5);
  input.bytes_per_sample = 1e6;
  input.read_Bps = 1e8; // 0.01 s a sample
  input.serial_workers = 4;
  StrategyAnswer answer;
  answer.points = {input_point(curve_with_input(small, input, {}, 20), 1)};
  CHECK(answer.points[0].samples_per_s == Approx(4 / 0.21));
  CHECK(answer.points[0].input->limit == InputLimit::workers);
  CHECK(to_text(InputLimit::workers) == "workers");
  CHECK_THAT(input_lines(answer), Catch::Contains("how many workers a node has"));
}

TEST_CASE("the interval holds the rates that were planted") {
  const SmallCluster small;
  const InputUncertainty uncertainty{{}, {}, {}, {5, 2, 8}, {}, {}};
  const auto curve = curve_with_input(small, cores_of(2, 5), uncertainty, 400); // 10 (4 .. 16) samples/s of 33.3
  const auto point = input_point(curve, 1);
  CHECK(point.samples_per_s == Approx(10));
  CHECK(point.samples_per_s_low == Approx(4).epsilon(0.02));
  CHECK(point.samples_per_s_high == Approx(16).epsilon(0.02));
  CHECK(point.input->node_cores == Approx(100.0 / 3 / 5));
  CHECK(point.input->node_cores_low == Approx(100.0 / 3 / 8).epsilon(0.02));
  CHECK(point.input->node_cores_high == Approx(100.0 / 3 / 2).epsilon(0.02));
  CHECK(point.bottleneck == "input");
  CHECK(point.evidence == EvidenceLabel::assumed);
}

TEST_CASE("the chance of waiting is that of the rates drawn") {
  const SmallCluster small;
  // ln of the rate is normal about 40 samples/s; 33.3 is the point where a quarter lies below
  const double to_end = std::log(40 / (100.0 / 3)) * normal_quantile(0.95) / -normal_quantile(0.25);
  const InputUncertainty uncertainty{{}, {}, {}, {5, 5 * std::exp(-to_end), 5 * std::exp(to_end)}, {}, {}};
  const auto point = input_point(curve_with_input(small, cores_of(8, 5), uncertainty, 400), 1);
  CHECK(point.parts.input_wait_s == 0);
  CHECK(point.input->wait_chance == Approx(0.25).margin(0.005));
}

TEST_CASE("more cores and faster storage are never slower, in the number and in both ends") {
  const SmallCluster small;
  const InputUncertainty uncertainty{{1e8, 5e7, 3e8}, {4e8, 1e8, 9e8}, {1e-2, 5e-3, 5e-2},
                                     {5, 2, 8},       {0.7, 0.4, 1},   {}};
  const auto input_of = [](int cores, double rate) {
    auto input = cores_of(cores, 5);
    input.bytes_per_sample = 1e6;
    input.read_Bps = 1e8 * rate;
    input.shared_read_Bps = 4e8 * rate;
    input.open_s = 1e-2 / rate;
    input.readers = cores;
    return input;
  };
  for (const int gpus : {1, 4, 16}) {
    PredictedPoint before;
    for (int step = 0; step < 12; ++step) {
      const auto input = input_of(1 + 2 * (step / 2), 0.1 * std::pow(2.0, (step + 1) / 2));
      const auto point = input_point(curve_with_input(small, input, uncertainty, 100), gpus);
      CHECK(point.iteration_s_low <= point.iteration_s);
      CHECK(point.iteration_s <= point.iteration_s_high);
      if (step > 0) {
        INFO(gpus << " GPUs, step " << step);
        CHECK(point.iteration_s <= before.iteration_s);
        CHECK(point.iteration_s_low <= before.iteration_s_low * (1 + 1e-9));
        CHECK(point.iteration_s_high <= before.iteration_s_high * (1 + 1e-9));
      }
      before = point;
    }
  }
}

TEST_CASE("each factor takes every stratum of its interval once in a block, and no more than what is in doubt moves") {
  Draws draws;
  draws.values.resize(200);
  draw_input(draws, {{}, {}, {}, {100, 50, 200}, {}, {}}, 100, 7);
  for (const std::size_t begin : {0, 100}) {
    std::vector<double> cores;
    for (std::size_t i = begin; i < begin + 100; ++i) {
      cores.push_back(draws.values[i].input.core);
      CHECK(draws.values[i].input.read == 1);
    }
    std::sort(cores.begin(), cores.end());
    for (std::size_t i = 0; i < cores.size(); ++i)
      CHECK(cores[i] == Approx(factor_at({100, 50, 200}, normal_quantile((static_cast<double>(i) + 0.5) / 100))));
  }
  Draws same;
  same.values.resize(200);
  draw_input(same, {}, 100, 7);
  CHECK(same.values[0].input == InputFactors{});
}

TEST_CASE("the samples of a point wait for their own input, on one GPU too") {
  const SmallCluster small;
  const InputUncertainty uncertainty{{}, {}, {}, {5, 2, 8}, {}, {}};
  const auto curve = curve_with_input(small, cores_of(2, 5), uncertainty, 50);
  const auto times_s = predict_point(curve, 1, Fidelity::formula).sample_times_s;
  REQUIRE(times_s.size() == 50);
  for (std::size_t i = 0; i < times_s.size(); ++i)
    CHECK(times_s[i] == Approx(std::max(0.3, 10 / (10 * curve.samples.values[i].input.core))));
  const auto next = find_measure_next(curve, 1, times_s);
  CHECK(next.parameter == "core_decode");
  CHECK(next.interval_then < 0.5 * next.interval_now);
}

TEST_CASE("a report says what input takes, and which of it is the limit") {
  const SmallCluster small;
  auto input = cores_of(4, 5);
  input.bytes_per_sample = 1e6;
  StrategyAnswer answer;
  answer.points = {input_point(curve_with_input(small, input, {}, 20), 1)};
  CHECK(
      input_lines(answer) ==
      "To keep 1 GPU busy takes 33.33 samples/s: 33.33 MB/s from storage (90 %: 33.33 MB/s .. 33.33 MB/s), and 7 cores "
      "a node\n  that decode (90 %: 7 .. 7; there are 4). The GPUs wait for input, 200 ms an iteration (chance of any "
      "wait 100 %): the\n  limit is decoding.\n");
  input.shared_read_Bps = 1e7; // 10 samples/s for all nodes, and 20 of a node's cores
  const auto both = curve_with_input(small, input, {}, 20);
  input.shared_read_Bps = 0;
  answer.points = {input_point(curve_with_input(small, input, {}, 20), 1), input_point(both, 4)};
  CHECK_THAT(input_lines(answer), Catch::Contains("together read from storage. At 1 GPUs it is decoding."));
  answer.points = {input_point(curve_with_input(small, {}, {}, 20), 1)};
  CHECK(input_lines(answer).empty());
}
