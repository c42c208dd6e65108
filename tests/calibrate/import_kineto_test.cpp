// Every number of the traces is typed here, none is measured.
#include "calibrate/import/importers.hpp"
#include "calibrate/import/kineto_trace.hpp"
#include "tests/calibrate/import_support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace {

using ddlsim::ImportContext;
using ddlsim::StepRecord;
using ddlsim::test::mistakes_of;
using ddlsim::test::ScratchFile;

std::string event(const std::string& category, const std::string& name, double begin_us, double length_us) {
  return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":1,"ts":{},"dur":{},"args":{{"stream":7}}}},)",
                     category, name, begin_us, length_us);
}

/// Three steps of 10 ms, the first of 50; in each 6 ms of compute, 4 of NCCL of which 1 beside nothing, 2 of waiting.
std::string three_steps() {
  std::string text = R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"Tesla V100-SXM2-16GB"}],)"
                     R"("distributedInfo":{"backend":"nccl","rank":0,"world_size":4},"traceEvents":[)";
  text += event("user_annotation", "ProfilerStep#0", 0, 50'000);
  for (const double begin : {50'000.0, 60'000.0}) {
    text += event("user_annotation", fmt::format("ProfilerStep#{}", begin), begin, 10'000);
    text += event("gpu_user_annotation", "ProfilerStep#9", begin, 12'000);
    text += event("user_annotation", "enumerate(DataLoader)#_SingleProcess", begin, 2'000);
    text += event("kernel", "volta_sgemm_128x64_nn", begin + 2'000, 6'000);
    text += event("kernel", begin > 55'000 ? "ncclKernel_AllReduce_RING" : "ncclDevKernel_AllReduce_Sum", begin + 5'000,
                  4'000);
  }
  return text + R"({"ph":"M","name":"process_name"}]})";
}

ImportContext of_trace() {
  auto stated = ddlsim::test::on_iris();
  stated.given = {{"model", "resnet50_v1.5"}, {"batch_per_gpu", "32"}, {"transport", "shm"}};
  return stated;
}

std::string refused_trace(const std::string& text, const ImportContext& stated = of_trace()) {
  const ScratchFile file("trace.json", text);
  return mistakes_of([&] { ddlsim::import_kineto(file.path(), stated); });
}

} // namespace

TEST_CASE("a trace of the PyTorch profiler becomes a step and what it was spent on") {
  const ScratchFile file("trace.json", three_steps());
  const auto imported = ddlsim::import_kineto(file.path(), of_trace());
  REQUIRE(imported.measurements.records.size() == 1);
  const auto& step = std::get<StepRecord>(imported.measurements.records.front());
  CHECK(step.iteration_s == Approx(0.010));
  CHECK(step.gpus == 4);
  CHECK(step.head.repeats == 2);
  CHECK(step.head.note ==
        "a step waits 2 ms for input; kernels compute 6 ms, NCCL's run 4 ms, 1 ms of it beside no other "
        "kernel (exposed)");
}

TEST_CASE("what is covered by nothing else is exposed") {
  CHECK(ddlsim::covered_s({{0, 4}, {2, 6}, {8, 9}}) == Approx(7));
  CHECK(ddlsim::covered_s({{0, 10}}, {{1, 2}, {4, 6}, {5, 7}}) == Approx(6));
  CHECK(ddlsim::covered_s({{0, 1}, {2, 3}}, {{0, 10}}) == 0);
  CHECK(ddlsim::covered_s({{0, 2}, {4, 6}}, {{1, 5}}) == Approx(2));
  CHECK(ddlsim::covered_s({}) == 0);
}

TEST_CASE("a trace that says too little is refused") {
  CHECK_THAT(refused_trace("{}"), Catch::Contains("no \"traceEvents\""));
  CHECK_THAT(refused_trace("[]"), Catch::Contains("no \"traceEvents\""));
  CHECK_THAT(refused_trace("{\"traceEvents\":[]}"), Catch::Contains("call profiler.step()"));
  CHECK_THAT(refused_trace(""), Catch::Contains("no whole JSON document"));
  CHECK_THAT(refused_trace(three_steps(), ddlsim::test::on_iris()),
             Catch::Contains("give --set model=VALUE") && Catch::Contains("batch_per_gpu"));
}

TEST_CASE("no cut or changed trace does more than be refused or read", "[mutation]") {
  const auto text = three_steps();
  for (std::size_t at = 0; at < text.size(); ++at) {
    CHECK(!refused_trace(text.substr(0, at)).empty());
    for (const char letter : {'9', '-', '"', '\x01', '\xff'}) {
      auto changed = text;
      changed[at] = letter;
      refused_trace(changed); // any other exception, or a crash, fails the test
    }
  }
}
