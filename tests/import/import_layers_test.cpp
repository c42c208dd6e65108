// A trace that PyTorch 1.12.1 wrote of a LeNet-5 on a processor, and traces that are typed here.
#include "import/importers.hpp"
#include "import/trace_layers.hpp"
#include "import/traces.hpp"
#include "sim/base/text_file.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace {

using ddlsim::ImportContext;
using ddlsim::LayersRecord;
using ddlsim::StepRecord;
using ddlsim::test::mistakes_of;
using ddlsim::test::read_back;
using ddlsim::test::ScratchFile;

const auto lenet_trace = std::filesystem::path(DDLSIM_SOURCE_DIR) / "tests/fuzz/seeds/kineto-lenet5.json";

ImportContext with_table(const std::string& batch, const std::string& table = "tiny") {
  auto stated = ddlsim::test::on_iris();
  stated.given = {{"batch_per_gpu", batch}};
  stated.table = table;
  return stated;
}

/// An operator's event; its id grows from one to the next, as the profiler numbers them.
class Events {
public:
  void add(const std::string& category, const std::string& name, double begin_us, double length_us,
           const std::string& facts = "") {
    text_ +=
        fmt::format(R"({}{{"ph":"X","cat":"{}","name":"{}","tid":1,"ts":{},"dur":{},"args":{{"External id":{}{}}}}})",
                    text_.empty() ? "" : ",\n", category, name, begin_us, length_us, ++last_id_, facts);
  }

  /// With the number that its node of backward has.
  void forward(const std::string& name, double begin_us, double length_us, int number, const std::string& shapes) {
    add("cpu_op", name, begin_us, length_us, fmt::format(R"(,"Sequence number":{},"Input Dims":{})", number, shapes));
  }

  void node(const std::string& name, double begin_us, double length_us, int number, const std::string& shapes) {
    add("cpu_op", "autograd::engine::evaluate_function: " + name, begin_us, length_us);
    forward(name, begin_us, length_us, number, shapes);
  }

  void gradient(double begin_us, const std::string& shape) {
    node("torch::autograd::AccumulateGrad", begin_us, 0, -1, fmt::format("[{}]", shape));
  }

  int last_id() const { return last_id_; }
  std::string trace() const { return R"({"traceEvents":[)" + text_ + "]}"; }

private:
  std::string text_;
  int last_id_ = 0;
};

/// A product whose left side is copied first, of 8 samples, and a sum of losses; backward transposes the weights' gradient
/// after it has run the copy.
Events small_network() {
  Events events;
  events.add("user_annotation", "ProfilerStep#1", 0, 1000);
  events.add("python_function", "nn.Module: Linear_0", 10, 100);
  events.forward("aten::linear", 20, 80, 1, "[[8,5],[3,5]]");
  events.forward("aten::t", 22, 5, 1, "[[3,5]]");
  events.forward("aten::clone", 30, 10, 2, "[[8,5]]");
  events.forward("aten::mm", 50, 30, 3, "[[8,5],[5,3]]");
  events.forward("aten::mystery", 200, 20, 4, "[[8,3]]");
  events.node("MysteryBackward0", 300, 10, 4, "[[8,3]]");
  events.node("MmBackward0", 320, 40, 3, "[[8,3]]");
  events.forward("aten::mm", 330, 10, 3, "[[5,8],[8,3]]"); // bears its node's number
  events.node("CloneBackward0", 370, 10, 2, "[[8,5]]");
  events.node("TBackward0", 390, 4, 1, "[[5,3]]");
  events.gradient(400, "[3,5]");
  return events;
}

std::string refused(const std::string& text, const ImportContext& stated) {
  const ScratchFile file("trace.json", text);
  return mistakes_of([&] { ddlsim::import_kineto(ddlsim::LogSource(file.path()), stated); });
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("a trace of a LeNet-5 gives the layer table that ddltrain describe made of its definition") {
  const auto imported = ddlsim::import_kineto(ddlsim::LogSource(lenet_trace), with_table("16"));
  REQUIRE(imported.model.has_value());
  const auto shipped = ddlsim::read_model(std::filesystem::path(DDLSIM_SOURCE_DIR) / "scenarios/models/lenet5.json");
  CHECK(imported.model->parameters == shipped.parameters);
  CHECK(imported.model->sample == shipped.sample);
  CHECK_THAT(imported.model->source, Catch::Contains("as if no window overlapped")); // PyTorch 1.12 wrote none
  REQUIRE(imported.model->layers.size() == shipped.layers.size());
  for (std::size_t i = 0; i < shipped.layers.size(); ++i) {
    const auto& seen = imported.model->layers[i];
    const auto& defined = shipped.layers[i];
    INFO(seen.name << " and " << defined.name);
    CHECK(seen.kind == defined.kind);
    CHECK(seen.forward_flop_per_sample == defined.forward_flop_per_sample);
    CHECK(seen.activation_bytes_per_sample == defined.activation_bytes_per_sample);
    REQUIRE(seen.tensors.size() == defined.tensors.size());
    for (std::size_t t = 0; t < defined.tensors.size(); ++t) CHECK(seen.tensors[t].shape == defined.tensors[t].shape);
  }
  CHECK(imported.model->layers[0].name == "Conv2d_0"); // its module's
  CHECK(imported.model->layers[0].tensors[1].name == "Conv2d_0.bias");
}

TEST_CASE("each layer of a trace has a time of forward and one of backward, within the step") {
  const auto imported = ddlsim::import_kineto(ddlsim::LogSource(lenet_trace), with_table("16"));
  const auto& records = imported.measurements.records;
  REQUIRE(records.size() == 2);
  const auto& table = std::get<LayersRecord>(records[1]);
  CHECK(table.model == "tiny");
  REQUIRE(table.layers.size() == 13);
  REQUIRE(table.timings.size() == 1);
  CHECK(table.timings[0].batch == 16);
  CHECK(table.timings[0].passes.size() == 2);
  double sum_s = 0;
  for (const auto pass : {ddlsim::LayerPass::forward, ddlsim::LayerPass::backward}) {
    const auto& times = table.timings[0].passes.at(pass);
    CHECK(times.size() == 13);
    for (const auto& time : times) sum_s += time.time_s;
  }
  const auto& convolution = table.layers[0];
  CHECK(convolution.flop_per_sample == 235200);
  CHECK(convolution.size_bytes == 624);
  CHECK(sum_s < std::get<StepRecord>(records[0]).iteration_s);
  CHECK(read_back(imported).records.size() == records.size());
}

TEST_CASE("weights belong to the product that they are transposed for, and a layer to its module") {
  const ScratchFile file("trace.json", small_network().trace());
  ddlsim::LogSource source_of_trace(file.path());
  const auto trace = ddlsim::read_kineto(source_of_trace);
  const auto seen = ddlsim::layers_of(trace, trace.steps.back());
  REQUIRE(seen.layers.size() == 3);
  CHECK(seen.layers[0].name == "Linear_0.clone_1");
  CHECK(seen.layers[0].weights.empty());
  const auto& product = seen.layers[1];
  CHECK(product.name == "Linear_0.mm_1");
  CHECK(product.kind == "linear");
  CHECK(product.flop == 2 * 8 * 3 * 5);
  CHECK(product.outputs == 24);
  CHECK(product.weights == std::vector<std::vector<long>>{{3, 5}});
  CHECK(product.forward_s == Approx(30e-6));
  CHECK(product.backward_s == Approx(40e-6)); // the gradient's sum took no whole microsecond
  CHECK(product.ready_s == Approx(100e-6));
  CHECK(seen.layers[0].backward_s == Approx(14e-6)); // with the transposition that followed
  CHECK(seen.uncounted == std::map<std::string, int>{{"mystery", 1}});
  CHECK(seen.layers[2].name == "mystery_1");
}

TEST_CASE("on a GPU a layer takes as long as the kernels that its operators launched") {
  auto events = small_network();
  const auto launched = [](int id) { return fmt::format(R"(,"External id":{})", id); };
  events.add("kernel", "sgemm", 5000, 300, launched(6));  // by aten::mm; the last of two ids counts
  events.add("kernel", "sgemm", 6000, 700, launched(11)); // by MmBackward0
  events.add("kernel", "else", 7000, 900, launched(999));
  const ScratchFile file("trace.json", events.trace());
  ddlsim::LogSource source_of_trace(file.path());
  const auto trace = ddlsim::read_kineto(source_of_trace);
  const auto seen = ddlsim::layers_of(trace, trace.steps.back());
  REQUIRE(seen.layers.size() == 3);
  CHECK(seen.layers[1].forward_s == Approx(300e-6));
  CHECK(seen.layers[1].backward_s == Approx(700e-6));
  CHECK(seen.layers[1].ready_s == Approx(700e-6)); // of kernels, not when the processor had launched them
  CHECK(seen.layers[0].forward_s == 0);
}

TEST_CASE("a trace that says too little for a layer table is refused with what to do") {
  const auto text = small_network().trace();
  CHECK(refused(text, with_table("8")).empty());
  const std::string step = R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":9})";
  CHECK_THAT(refused("[" + step + "]",
                     [] {
                       auto stated = with_table("8");
                       stated.given["gpus"] = "1";
                       stated.given["strategy"] = "none";
                       return stated;
                     }()),
             Catch::Contains("the trace has no shapes of operators") && Catch::Contains("record_shapes=True"));
  CHECK_THAT(refused(text, with_table("7")), Catch::Contains("takes 8x5, which has no 7 samples"));
  CHECK_THAT(
      refused(changed(text, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", "aten::other"),
              with_table("8")),
      Catch::Contains("no gradient is summed"));
  auto again = small_network();
  again.add("cpu_op", "autograd::engine::evaluate_function: CheckpointFunctionBackward", 500, 100);
  again.forward("aten::relu", 510, 5, 9, "[[8,3]]");
  again.node("ReluBackward0", 516, 2, 9, "[[8,3]]");
  CHECK_THAT(refused(again.trace(), with_table("8")), Catch::Contains("activation checkpointing"));
  auto large = small_network();
  large.gradient(410, "[9000000000000000,9000000000000000]");
  CHECK_THAT(refused(large.trace(), with_table("8")), Catch::Contains("larger than any machine holds"));
  auto other = with_table("8");
  other.given["model"] = "resnet50_v1.5";
  CHECK_THAT(refused(text, other), Catch::Contains("but the layer table is called \"tiny\""));
}

TEST_CASE("names of layers from a trace stay text") {
  auto text =
      changed(small_network().trace(), "nn.Module: Linear_0", R"(nn.Module: \u001b[31m\"</script>\u009b\u0000)");
  text = changed(text, "aten::mystery", "aten::");
  const ScratchFile file("trace.json", text);
  const auto imported = ddlsim::import_kineto(ddlsim::LogSource(file.path()), with_table("8"));
  REQUIRE(imported.model.has_value());
  const ScratchFile table("tiny.json", ddlsim::model_json(*imported.model));
  const auto model = ddlsim::read_model(table.path());
  REQUIRE(model.layers.size() == 3);
  CHECK(model.layers[0].name == "?[31m\"</script>??.clone_1");
  CHECK(model.layers[2].name == "operator_1");
  CHECK(read_back(imported).records.size() == imported.measurements.records.size());
  for (const auto& note : imported.notes) CHECK_THAT(note, !Catch::Contains("\x1b"));
}

TEST_CASE("how much longer kernels take beside NCCL's is in the step's record") {
  std::string text = R"({"traceEvents":[)";
  for (const double begin : {0.0, 100.0}) {
    const auto event = [&](const char* category, const char* name, double from, double length) {
      text +=
          fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","ts":{},"dur":{}}},)", category, name, begin + from, length);
    };
    event("user_annotation", "ProfilerStep#1", 0, 100);
    event("kernel", "gemm", 0, 20);
    event("kernel", "gemm", 40, 30);
    event("kernel", "ncclDevKernel_AllReduce", 40, 40);
  }
  const ScratchFile file("trace.json", text + R"({}],"distributedInfo":{"world_size":2}})");
  auto stated = ddlsim::test::on_iris();
  stated.given = {{"model", "resnet50_v1.5"}, {"batch_per_gpu", "32"}};
  const auto imported = ddlsim::import_kineto(ddlsim::LogSource(file.path()), stated);
  const auto& step = std::get<StepRecord>(imported.measurements.records.front());
  CHECK(step.overlap_slowdown == Approx(1.5));
  CHECK(step.overlap_kernels == 2);
  const auto again = read_back(imported);
  CHECK(std::get<StepRecord>(again.records.front()).overlap_slowdown == step.overlap_slowdown);
  CHECK(std::get<StepRecord>(again.records.front()).overlap_kernels == 2);
  CHECK_THAT(imported.notes.back(), Catch::Contains("interference is 0.50"));
}

TEST_CASE("no cut or changed trace with shapes does more than be refused or read", "[mutation]") {
  const auto text = small_network().trace();
  for (std::size_t at = 0; at < text.size(); at += 7) { // the fuzzers see every place: tests/fuzz
    CHECK(!refused(text.substr(0, at), with_table("8")).empty());
    for (const char letter : {'9', '-', '"', '[', '\x01', '\xff'}) {
      auto other = text;
      other[at] = letter;
      refused(other, with_table("8")); // any other exception, or a crash, fails the test
    }
  }
}
