#include "sim/base/error.hpp"
#include "sim/formats/record.hpp"
#include "tests/trainer/check_records.hpp"
#include "trainer/compute/published_profile.hpp"
#include "trainer/compute/replay_compute.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/records/record_file.hpp"
#include "trainer/records/statistics.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>

namespace {

const ddltrain::LayerTable table = {{"conv", "conv", 1000, 8, {{"conv.weight", {2, 3}}, {"conv.bias", {2}}}},
                                    {"relu", "activation", 10, 8, {}},
                                    {"fc", "linear", 100, 4, {{"fc.weight", {5}}}}};

ddltrain::Profile profile_of(double fc_backward_s = 0.003) {
  ddltrain::Profile profile;
  profile.model = "tiny";
  profile.batch = 4;
  profile.source = "a test";
  profile.layers = {{"conv", 0.002, 0.004}, {"relu", 0.001, 0.001}, {"fc", 0.001, fc_backward_s}};
  return profile;
}

std::filesystem::path write(const TemporaryFile& file, const std::string& text) {
  std::ofstream(file.path) << text;
  return file.path;
}

/// A clock that stands still but for waits, each of which ends `late_s` after its time.
ddltrain::ReplayClock clock_late_by(double late_s, double& clock_s) {
  return {[&clock_s] { return clock_s; },
          [&clock_s, late_s](double time_s) { clock_s = std::max(clock_s, time_s + late_s); }};
}

struct PassTimes {
  double forward_s = 0;
  double backward_s = 0;
};

PassTimes run_passes(ddltrain::ReplayCompute& compute, const double& clock_s, const ddltrain::GradientReady& ready) {
  const double start_s = clock_s;
  compute.forward({});
  const double turn_s = clock_s;
  compute.backward(ready);
  return {turn_s - start_s, clock_s - turn_s};
}

} // namespace

TEST_CASE("A replay hands out gradients of the model's sizes, last layer first") {
  ddltrain::ReplayCompute compute(table, profile_of(), 1);
  REQUIRE(compute.parameters().size() == 3);
  CHECK(compute.parameters()[0].name == "conv.weight");
  CHECK(compute.parameters()[0].tensor.grad().numel() == 6);
  CHECK(compute.emulated());
  std::vector<std::size_t> order;
  compute.forward({});
  compute.backward([&](std::size_t index) { order.push_back(index); });
  CHECK(order == std::vector<std::size_t>{2, 1, 0});
}

TEST_CASE("A replay's waits never end before their time") {
  ddltrain::ReplayCompute compute(table, profile_of(), 2);
  const double start_s = ddltrain::now_s();
  double fc_ready_s = 0;
  compute.forward({});
  compute.backward([&](std::size_t index) {
    if (index == 2) fc_ready_s = ddltrain::now_s() - start_s;
  });
  CHECK(fc_ready_s >= 2 * 0.007);
  CHECK(ddltrain::now_s() - start_s >= 2 * 0.012); // stretched by two
}

TEST_CASE("Late wake-ups do not add up") {
  double clock_s = 100;
  const double late_s = 0.0005;
  ddltrain::ReplayCompute compute(table, profile_of(), 2, clock_late_by(late_s, clock_s));
  double fc_ready_s = 0;
  const auto times = run_passes(compute, clock_s, [&](std::size_t index) {
    if (index == 2) fc_ready_s = clock_s - 100;
  });
  CHECK(times.forward_s == Approx(2 * 0.004 + late_s));
  CHECK(fc_ready_s == Approx(2 * 0.007 + late_s));
  CHECK(times.forward_s + times.backward_s == Approx(2 * 0.012 + late_s)); // of six waits, one is late
}

TEST_CASE("A late listener does not delay what comes after it") {
  double clock_s = 100;
  ddltrain::ReplayCompute compute(table, profile_of(), 5, clock_late_by(0, clock_s)); // 15 ms of backward's 40 are fc's
  const auto times = run_passes(compute, clock_s, [&](std::size_t index) {
    if (index == 2) clock_s += 0.02; // the GPU works on
  });
  CHECK(times.backward_s == Approx(0.04)); // 60 ms if they added up
}

TEST_CASE("A profile that does not fit the model is refused") {
  auto missing = profile_of();
  missing.layers.pop_back();
  CHECK_THROWS_WITH(ddltrain::ReplayCompute(table, missing, 1), Catch::Contains("no time for layer fc"));
  auto more = profile_of();
  more.layers.push_back({"pool", 1, 1});
  CHECK_THROWS_WITH(ddltrain::ReplayCompute(table, more, 1), Catch::Contains("layer pool, which tiny does not have"));
  CHECK_THROWS_AS(ddltrain::ReplayCompute(table, profile_of(), 0), ddlsim::UserError);
}

TEST_CASE("A profile comes back from its file") {
  const TemporaryFile file("profile.json");
  const auto read = ddltrain::read_profile(write(file, ddltrain::profile_json(profile_of())), "tiny");
  CHECK(read.batch == 4);
  CHECK(read.source == "a test");
  CHECK(ddltrain::forward_s(read) == Approx(0.004));
  CHECK(ddltrain::backward_s(read) == Approx(0.008));
  CHECK_THROWS_WITH(ddltrain::read_profile(file.path, "big"), Catch::Contains("a profile of tiny, not of big"));
  CHECK_THROWS_WITH(ddltrain::read_profile(file.path, "tiny", 8), Catch::Contains("at batch 4, not 8"));
}

namespace {

std::string context_line() {
  ddlsim::Context context;
  context.cluster = "there";
  context.gpu = "K80";
  context.machine = context.software = context.who = "a test";
  context.date = "2020";
  context.source_title = "t";
  return ddlsim::to_json_line(context) + "\n";
}

ddlsim::LayerTiming timing_of(double batch, double forward_s) {
  ddlsim::LayerTiming timing;
  timing.batch = batch;
  timing.passes[ddlsim::LayerPass::forward] = {{0, forward_s, 0}, {1, 1e-3, 0}};
  timing.passes[ddlsim::LayerPass::backward_data] = {{1, 3e-3, 0}};
  timing.passes[ddlsim::LayerPass::backward_weights] = {{1, 4e-3, 0}};
  timing.passes[ddlsim::LayerPass::optimizer] = {{1, 5, 0}};
  return timing;
}

std::string table_line(const std::vector<ddlsim::LayerTiming>& timings, const std::string& series = "layers") {
  ddlsim::LayersRecord record;
  record.head = ddltrain::own_head(series);
  record.model = "tiny";
  record.layers = {{"conv", "conv", 0, 0}, {"fc", "linear", 0, 0}};
  record.timings = timings;
  return ddlsim::to_json_line(ddlsim::Record(record)) + "\n";
}

/// In the old form.
std::string row_line(double batch, const std::string& pass, double time_s, const std::string& series = "layers") {
  return nlohmann::json({{"record", "layer"},
                         {"series", series},
                         {"origin", "run"},
                         {"model", "tiny"},
                         {"layer", "fc"},
                         {"kind", "linear"},
                         {"pass", pass},
                         {"precision", "fp32"},
                         {"batch", batch},
                         {"value", time_s},
                         {"unit", "s"}})
             .dump() +
         "\n";
}

} // namespace

TEST_CASE("A table of layers is a profile too") {
  const TemporaryFile file("records.jsonl");
  write(file, context_line() + table_line({timing_of(1, 2e-3), timing_of(8, 9e-3)}));
  const auto profile = ddltrain::read_profile(file.path, "tiny", 1);
  CHECK(profile.gpu == "K80");
  REQUIRE(profile.layers.size() == 2);
  CHECK(profile.layers[0].layer == "conv");
  CHECK(profile.layers[0].forward_s == Approx(0.002));
  CHECK(profile.layers[0].backward_s == 0);
  CHECK(ddltrain::forward_s(profile) == Approx(0.003));
  CHECK(ddltrain::backward_s(profile) == Approx(0.007)); // without the optimizer
  CHECK(ddltrain::forward_s(ddltrain::read_profile(file.path, "tiny", 8)) == Approx(0.010));
  CHECK_THROWS_WITH(ddltrain::read_profile(file.path, "tiny"), Catch::Contains("several batches (1, 8)"));
  CHECK_THROWS_WITH(ddltrain::read_profile(file.path, "tiny", 2), Catch::Contains("not 2"));
  CHECK_THROWS_WITH(ddltrain::read_profile(file.path, "big"), Catch::Contains("no layer records of big"));
  write(file, context_line() + table_line({timing_of(1, 2e-3)}) + table_line({timing_of(1, 3e-3)}, "layers-amp"));
  CHECK_THROWS_WITH(ddltrain::read_profile(file.path, "tiny"),
                    Catch::Contains(R"(more than once ("layers" in fp32 on "K80", "layers-amp" in fp32 on "K80"))"));
  CHECK_THROWS_AS(ddltrain::read_profile(write(file, "no JSON"), "tiny"), ddlsim::UserError);
  CHECK_THROWS_AS(ddltrain::read_profile("/no/such/file", "tiny"), ddlsim::UserError);
}

TEST_CASE("Layer records of the old form are a profile too") {
  const TemporaryFile file("records.jsonl");
  write(file, context_line() + row_line(1, "forward", 2e-3) + row_line(1, "backward-data", 3e-3) +
                  row_line(1, "backward-weights", 4e-3) + row_line(8, "forward", 9e-3));
  const auto profile = ddltrain::read_profile(file.path, "tiny", 1);
  CHECK(profile.gpu == "K80");
  CHECK(ddltrain::forward_s(profile) == Approx(0.002));
  CHECK(ddltrain::backward_s(profile) == Approx(0.007));
  CHECK_THROWS_WITH(ddltrain::read_profile(file.path, "tiny"), Catch::Contains("several batches (1, 8)"));
  write(file, context_line() + row_line(1, "forward", 2e-3) + row_line(1, "forward", 3e-3, "layers-amp"));
  CHECK_THROWS_WITH(ddltrain::read_profile(file.path, "tiny"), Catch::Contains("more than once"));
}

TEST_CASE("A published iteration is split by the simulator's roofline") {
  // At 1000 FLOP/s and half of 100 B/s, batch 1. conv: 1/0.7 s forward, 1/0.4 + 1/0.6 backward, and 16 and 32 bytes.
  ddlsim::Gpu gpu;
  gpu.name = "K80";
  gpu.peak_flop_per_s = {{ddlsim::ArithmeticUnit::fp32, 1000}};
  gpu.memory_bandwidth_Bps = 100;
  const ddltrain::FoundStep step = {1, 41.6, "somewhere"};
  const auto profile = ddltrain::split_by_roofline(table, gpu, step, {"tiny", "K80", "fp32", 1});
  const auto ratio = [&](std::size_t i) { return profile.layers[i].backward_s / profile.layers[i].forward_s; };
  CHECK(ratio(0) == Approx((1 / 0.4 + 1 / 0.6 + 32 / 50.0) / (1 / 0.7 + 16 / 50.0)));
  CHECK(ratio(1) == Approx((0.01 / 0.4 + 32 / 50.0) / (0.01 / 0.7 + 16 / 50.0))); // no gradient of weights
  CHECK(ddltrain::forward_s(profile) + ddltrain::backward_s(profile) == Approx(41.6));
  CHECK_THAT(profile.source, Catch::Contains("somewhere") && Catch::Contains("roofline"));
}

TEST_CASE("Published iterations are found in the repository") {
  const std::filesystem::path platforms = std::filesystem::path(DDLSIM_SOURCE_DIR) / "platforms";
  const auto step = ddltrain::find_published_step(platforms, {"resnet50_v2", "V100-SXM2-16GB", "fp32", 32});
  CHECK(step.iteration_s > 0.05); // a V100 trains ResNet-50 at some 300 images/s
  CHECK(step.iteration_s < 0.2);
  CHECK_THAT(step.source, Catch::Contains(".jsonl"));
  CHECK_THROWS_WITH(ddltrain::find_published_step(platforms, {"resnet50_v2", "V100-SXM2-16GB", "fp32", 0}),
                    Catch::Contains("choose one with --batch"));
  CHECK_THROWS_WITH(ddltrain::find_published_step(platforms, {"lenet5", "K20", "fp32", 0}),
                    Catch::Contains("no record"));
}
