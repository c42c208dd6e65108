#include "tests/trainer/check_records.hpp"
#include "trainer/compute/published_profile.hpp"
#include "trainer/compute/replay_compute.hpp"
#include "trainer/files/error.hpp"
#include "trainer/models/image_network.hpp"
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

} // namespace

TEST_CASE("A replay hands out gradients of the model's sizes, last layer first") {
  ddltrain::ReplayCompute compute(table, profile_of(), 1);
  REQUIRE(compute.parameters().size() == 3);
  CHECK(compute.parameters()[0].name == "conv.weight");
  CHECK(compute.parameters()[0].tensor.grad().numel() == 6);
  CHECK(compute.emulated());
  std::vector<std::size_t> order;
  compute.forward_backward({}, [&](std::size_t index) { order.push_back(index); });
  CHECK(order == std::vector<std::size_t>{2, 1, 0});
}

TEST_CASE("A replay's waits never end before their time") {
  ddltrain::ReplayCompute compute(table, profile_of(), 2);
  const double start_s = ddltrain::now_s();
  double fc_ready_s = 0;
  compute.forward_backward({}, [&](std::size_t index) {
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
  const auto times = compute.forward_backward({}, [&](std::size_t index) {
    if (index == 2) fc_ready_s = clock_s - 100;
  });
  CHECK(times.forward_s == Approx(2 * 0.004 + late_s));
  CHECK(fc_ready_s == Approx(2 * 0.007 + late_s));
  CHECK(times.forward_s + times.backward_s == Approx(2 * 0.012 + late_s)); // of six waits, one is late
}

TEST_CASE("A late listener does not delay what comes after it") {
  double clock_s = 100;
  ddltrain::ReplayCompute compute(table, profile_of(), 5, clock_late_by(0, clock_s)); // 15 ms of backward's 40 are fc's
  const auto times = compute.forward_backward({}, [&](std::size_t index) {
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
  CHECK_THROWS_AS(ddltrain::ReplayCompute(table, profile_of(), 0), ddltrain::UsageError);
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

TEST_CASE("Layer records are a profile too") {
  const std::string context = R"({"record":"context","gpu":"K80","date":"2020","source":{"title":"t"}})";
  const auto line = [](double batch, const std::string& pass, double value) {
    return R"({"record":"layer","model":"tiny","layer":"fc","precision":"fp32","batch":)" + std::to_string(batch) +
           R"(,"pass":")" + pass + R"(","value":)" + std::to_string(value) + R"(,"unit":"ms"})" + "\n";
  };
  const TemporaryFile file("records.jsonl");
  write(file, context + "\n" + line(1, "forward", 2) + line(1, "backward-data", 3) + line(1, "backward-weights", 4) +
                  line(8, "forward", 9));
  const auto profile = ddltrain::read_profile(file.path, "tiny", 1);
  CHECK(profile.gpu == "K80");
  CHECK(ddltrain::forward_s(profile) == Approx(0.002));
  CHECK(ddltrain::backward_s(profile) == Approx(0.007));
  CHECK_THROWS_WITH(ddltrain::read_profile(file.path, "tiny"), Catch::Contains("several batches (1, 8)"));
  CHECK_THROWS_WITH(ddltrain::read_profile(file.path, "tiny", 2), Catch::Contains("not 2"));
  CHECK_THROWS_WITH(ddltrain::read_profile(file.path, "big"), Catch::Contains("no layer records of big"));
  CHECK_THROWS_AS(ddltrain::read_profile(write(file, "no JSON"), "tiny"), ddltrain::UsageError);
  CHECK_THROWS_AS(ddltrain::read_profile("/no/such/file", "tiny"), ddltrain::UsageError);
}

TEST_CASE("A published iteration is split by roofline") {
  // At 1000 FLOP/s and 100 B/s, batch 1: conv 1 s of compute (16 + 32 bytes are 0.48 s), relu 0.16 s and fc 0.28 s of
  // memory (16, and 8 + 20 bytes). Backward: twice, once, twice. In all 3 + 0.32 + 0.84 = 4.16.
  const ddltrain::FoundStep step = {1, 41.6, "somewhere"};
  const auto profile = ddltrain::split_by_roofline(table, {1000, 100}, step, {"tiny", "K80", "fp32", 1});
  CHECK(profile.layers[0].forward_s == Approx(10));
  CHECK(profile.layers[0].backward_s == Approx(20));
  CHECK(profile.layers[1].forward_s == Approx(1.6));
  CHECK(profile.layers[1].backward_s == Approx(1.6));
  CHECK(profile.layers[2].forward_s == Approx(2.8));
  CHECK(ddltrain::forward_s(profile) + ddltrain::backward_s(profile) == Approx(41.6));
  CHECK_THAT(profile.source, Catch::Contains("somewhere") && Catch::Contains("roofline"));
}

TEST_CASE("Published iterations and GPUs are found in the repository") {
  const std::filesystem::path platforms = std::filesystem::path(DDLSIM_SOURCE_DIR) / "platforms";
  const auto step = ddltrain::find_published_step(platforms, {"resnet50_v2", "V100-SXM2-16GB", "fp32", 32});
  CHECK(step.iteration_s > 0.05); // a V100 trains ResNet-50 at some 300 images/s
  CHECK(step.iteration_s < 0.2);
  CHECK_THAT(step.source, Catch::Contains(".jsonl"));
  CHECK_THROWS_WITH(ddltrain::find_published_step(platforms, {"resnet50_v2", "V100-SXM2-16GB", "fp32", 0}),
                    Catch::Contains("choose one with --batch"));
  CHECK_THROWS_WITH(ddltrain::find_published_step(platforms, {"lenet5", "K20", "fp32", 0}),
                    Catch::Contains("no record"));
  CHECK(ddltrain::gpu_rates(platforms, "K20", "fp32").peak_flop_per_s == 3.52e12);
  CHECK(ddltrain::gpu_rates(platforms, "K20", "fp32").memory_Bps == 208e9);
  CHECK_THROWS_WITH(ddltrain::gpu_rates(platforms, "K21", "fp32"), Catch::Contains("nearest is \"K20\""));
  CHECK_THROWS_WITH(ddltrain::gpu_rates(platforms, "K20", "bf16"), Catch::Contains("no bf16 peak"));
}
