// Every number of the traces is typed here, none is measured.
#include "import/importers.hpp"
#include "import/trace_anatomy.hpp"
#include "import/traces.hpp"
#include "tests/import/import_support.hpp"

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
  return mistakes_of([&] { ddlsim::import_kineto(ddlsim::LogSource(file.path()), stated); });
}

} // namespace

TEST_CASE("a trace of the PyTorch profiler becomes a step and what it was spent on") {
  const ScratchFile file("trace.json", three_steps());
  const auto imported = ddlsim::import_kineto(ddlsim::LogSource(file.path()), of_trace());
  REQUIRE(imported.measurements.records.size() == 1);
  const auto& step = std::get<StepRecord>(imported.measurements.records.front());
  CHECK(step.iteration_s == Approx(0.010));
  CHECK(step.gpus == 4);
  CHECK(step.head.repeats == 2);
  CHECK(step.head.note ==
        "a step waits 2 ms for input; kernels compute 6 ms, NCCL's run 4 ms, 1 ms of it beside no other "
        "kernel (exposed)");
}

TEST_CASE("a PyTorch without Kineto writes a bare list of events, which says nothing of other processes") {
  std::string text = "[";
  for (const int step : {0, 1, 2})
    text +=
        fmt::format(R"({{"name": "ProfilerStep#{}", "ph": "X", "ts": {}, "dur": {}, "tid": 1, "pid": "CPU functions", )"
                    R"("args": {{}}}}, )",
                    step, 50'000 * step, step == 0 ? 40'000 : 20'000);
  const ScratchFile file("trace.json", text + R"({"name": "aten::mm", "ph": "X", "ts": 1, "dur": 2}])");
  auto stated = of_trace();
  CHECK_THAT(mistakes_of([&] { ddlsim::import_kineto(ddlsim::LogSource(file.path()), stated); }),
             Catch::Contains("give --set gpus=VALUE"));
  stated.given["gpus"] = "1";
  stated.given["strategy"] = "none";
  const auto imported = ddlsim::import_kineto(ddlsim::LogSource(file.path()), stated);
  CHECK(std::get<StepRecord>(imported.measurements.records.front()).iteration_s == Approx(0.02));
  CHECK(ddlsim::guess_kind(ddlsim::LogSource(file.path())) == "kineto");
}

TEST_CASE("a trace with NCCL's kernels or torch.distributed's calls is no run of one GPU, whoever says no world size") {
  const auto without = ddlsim::test::replaced_all(three_steps(), "distributedInfo", "otherInfo");
  CHECK_THAT(refused_trace(without), Catch::Contains("give --set gpus=VALUE"));
  const auto alone = ddlsim::test::replaced_all(without, "nccl", "my");
  CHECK(refused_trace(alone).empty());
  for (const char* name :
       {"c10d::allreduce_", "DistributedDataParallel.forward", "nccl:all_reduce", "FSDP::all_gather"})
    CHECK_THAT(refused_trace(ddlsim::test::replaced_all(alone, "enumerate(DataLoader)#_SingleProcess", name)),
               Catch::Contains("give --set gpus=VALUE"));
}

TEST_CASE("a record is of the GPU that the trace names, and the cluster's other one is reported") {
  const ScratchFile file("trace.json", three_steps());
  auto stated = of_trace();
  stated.find_cluster = [](const std::string& name) {
    ddlsim::Cluster cluster;
    cluster.name = name;
    cluster.gpu = "H100-SXM5-80GB";
    cluster.gpus_per_node = 4;
    return std::optional(cluster);
  };
  const auto import = [&] { return ddlsim::import_kineto(ddlsim::LogSource(file.path()), stated); };
  CHECK(import().measurements.context.gpu == "V100-SXM2-16GB");
  CHECK_THAT(import().notes.back(),
             Catch::Contains("\"V100-SXM2-16GB\"") && Catch::Contains("those of cluster iris are H100-SXM5-80GB"));
  stated.gpu = "H100-SXM5-80GB";
  CHECK(import().measurements.context.gpu == "H100-SXM5-80GB");
  CHECK_THAT(import().notes.back(), Catch::Contains("and \"H100-SXM5-80GB\" was stated"));
  CHECK_THAT(import().notes.at(3), Catch::Contains("60 % matrix products; 40 % communication"));
}

TEST_CASE("what is covered by nothing else is exposed") {
  CHECK(ddlsim::covered_s({{0, 4}, {2, 6}, {8, 9}}) == Approx(7));
  CHECK(ddlsim::covered_s({{0, 10}}, {{1, 2}, {4, 6}, {5, 7}}) == Approx(6));
  CHECK(ddlsim::covered_s({{0, 1}, {2, 3}}, {{0, 10}}) == 0);
  CHECK(ddlsim::covered_s({{0, 2}, {4, 6}}, {{1, 5}}) == Approx(2));
  CHECK(ddlsim::covered_s({}) == 0);
}

TEST_CASE("a cover gives what it shares with another interval") {
  const ddlsim::TraceCover cover({{1, 3}, {2, 4}, {6, 8}});
  CHECK(cover.shared_s({0, 10}) == Approx(5));
  CHECK(cover.shared_s({2, 7}) == Approx(3));
  CHECK(cover.shared_s({4, 6}) == 0);
  CHECK(ddlsim::TraceCover({}).shared_s({0, 1}) == 0);
}

TEST_CASE("kernels beside NCCL's are held to the same kernels alone, and the busiest are named") {
  std::string text = R"({"traceEvents":[)";
  for (const double begin : {0.0, 100.0}) {
    text += event("user_annotation", "ProfilerStep#1", begin, 100);
    text += event("kernel", "gemm", begin, 20) + event("kernel", "gemm", begin + 40, 30); // 20 alone, 30 beside
    text += event("kernel", "\\u001b[31mnorm", begin + 20, 10);
    text += event("kernel", "ncclDevKernel_AllReduce", begin + 40, 40);
  }
  const ScratchFile file("trace.json", text + "{}]}");
  ddlsim::LogSource source_of_trace(file.path());
  const auto trace = ddlsim::read_kineto(source_of_trace);
  const auto anatomy = ddlsim::anatomy_of(trace, trace.steps);
  REQUIRE(anatomy.slowdown_beside_nccl.has_value());
  CHECK(*anatomy.slowdown_beside_nccl == Approx(1.5));
  REQUIRE(anatomy.busiest.size() == 2);
  CHECK(anatomy.busiest[0].name == "gemm");
  CHECK(anatomy.busiest[0].time_s == Approx(50e-6));
  CHECK(anatomy.exposed_s == Approx(10e-6));
  std::string message;
  for (const auto& sentence : to_sentences(anatomy)) message += sentence + "\n";
  CHECK_THAT(message,
             Catch::Contains("1.50 times as long") && Catch::Contains("\"gemm\" 50 us") && !Catch::Contains("\x1b"));
}

TEST_CASE("on a processor operators count without what they call, and gradients are ready along backward") {
  std::string text = "[";
  for (const double begin : {0.0, 100.0}) {
    text += event("", "ProfilerStep#1", begin, 100);
    text += event("cpu_op", "aten::conv2d", begin + 1, 20) + event("cpu_op", "aten::mkldnn_convolution", begin + 2, 18);
    text += event("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", begin + 40, 10);
    for (const double after : {10.0, 20.0, 30.0, 40.0})
      text += event("cpu_op", "torch::autograd::AccumulateGrad", begin + 40 + after - 1, 1);
  }
  const ScratchFile file("trace.json", text + "{}]");
  ddlsim::LogSource source_of_trace(file.path());
  const auto trace = ddlsim::read_kineto(source_of_trace);
  const auto anatomy = ddlsim::anatomy_of(trace, trace.steps);
  REQUIRE(anatomy.gradients_ready.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(anatomy.gradients_ready[i] == Approx(0.25 * (static_cast<double>(i) + 1)));
  CHECK(anatomy.busiest.at(0).name == "aten::mkldnn_convolution");
  CHECK(anatomy.busiest.at(0).time_s == Approx(18e-6));
  CHECK_FALSE(anatomy.slowdown_beside_nccl.has_value());
  CHECK_THAT(to_sentences(anatomy).back(), Catch::Contains("of 4 gradients a quarter is ready after 44 % of backward"));
}

TEST_CASE("a trace that says too little is refused") {
  CHECK_THAT(refused_trace("{}"), Catch::Contains("no \"traceEvents\""));
  CHECK_THAT(refused_trace("[]"), Catch::Contains("call profiler.step()"));
  CHECK_THAT(refused_trace("{\"traceEvents\":[]}"), Catch::Contains("call profiler.step()"));
  CHECK_THAT(refused_trace(""), Catch::Contains("found an empty file"));
  CHECK_THAT(refused_trace(three_steps(), ddlsim::test::on_iris()),
             Catch::Contains("give --set model=VALUE") && Catch::Contains("batch_per_gpu"));
}

TEST_CASE("no cut or changed trace does more than be refused or read", "[mutation]") {
  const auto text = three_steps();
  for (std::size_t at = 0; at < text.size(); at += 7) { // the fuzzers see every place: tests/fuzz
    CHECK(!refused_trace(text.substr(0, at)).empty());
    for (const char letter : {'9', '-', '"', '\x01', '\xff'}) {
      auto changed = text;
      changed[at] = letter;
      refused_trace(changed); // any other exception, or a crash, fails the test
    }
  }
}
