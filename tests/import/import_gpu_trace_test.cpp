// A trace that PyTorch 2.11.0 (CUDA 13.0) wrote of torchvision's resnet50 on an H200: 64 images, autocast in bf16, SGD
// with momentum. Of its last step there are the events of the stem, of the first residual block, of the head and of the
// optimizer, and one of each category that nothing is read of; of an event what some reader reads, and of a kernel's
// name 60 letters. "By hand" is a sum over the file's JSON: a kernel is backward's where the operator with its
// "External id" is of the thread of backward.
#include "import/importers.hpp"
#include "import/trace_anatomy.hpp"
#include "import/trace_layers.hpp"
#include "import/traces.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace {

using ddlsim::ImportContext;
using ddlsim::LayersRecord;
using ddlsim::StepRecord;
using ddlsim::test::ScratchFile;

constexpr double us = 1e-6;
const std::filesystem::path source = DDLSIM_SOURCE_DIR;
const auto h200_trace = source / "tests/import/kineto-resnet50-h200.json";

ImportContext of_images(const std::string& table = "") {
  auto stated = ddlsim::test::on_iris();
  stated.given = {{"batch_per_gpu", "64"}};
  stated.table = table;
  if (table.empty()) stated.given["model"] = "resnet50_v1.5";
  return stated;
}

/// One step of 10 ms in which a product takes `type`, its gradient is `gradient`, and a kernel runs for 5 ms.
std::string half_idle(const std::string& type, const std::string& gradient, double input_wait_ms = 0) {
  const auto event = [](const char* category, const char* name, double begin_ms, double length_ms,
                        const std::string& type_of_input) {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","tid":1,"ts":{},"dur":{},"args":{{"Input type":["{}"]}}}},)", category,
        name, 1000 * begin_ms, 1000 * length_ms, type_of_input);
  };
  return R"({"traceEvents":[)" + event("user_annotation", "ProfilerStep#1", 0, 10, "") +
         event("user_annotation", "enumerate(DataLoader)#_SingleProcess", 0, input_wait_ms, "") +
         event("cpu_op", "aten::mm", 4, 1, type) + event("cpu_op", "torch::autograd::AccumulateGrad", 5, 1, gradient) +
         event("kernel", "gemm", 5, 5, "") + "{}]}";
}

ddlsim::Imported imported_from(const std::string& text, const ImportContext& stated = of_images()) {
  const ScratchFile file("trace.json", text);
  return ddlsim::import_kineto(ddlsim::LogSource(file.path()), stated);
}

const StepRecord& traced_step(const ddlsim::Imported& imported) {
  return std::get<StepRecord>(imported.measurements.records.front());
}

std::string all_notes(const ddlsim::Imported& imported) {
  std::string all;
  for (const auto& note : imported.notes) all += note + "\n";
  return all;
}

} // namespace

TEST_CASE("a trace of an H200 has the layers that ddltrain describe found in the network's definition") {
  const auto imported = ddlsim::import_kineto(ddlsim::LogSource(h200_trace), of_images("excerpt"));
  REQUIRE(imported.model.has_value());
  const auto& seen = imported.model->layers;
  const auto shipped = ddlsim::read_model(source / "scenarios/models/resnet50_v1.5.json");
  constexpr std::size_t first = 16; // stem and block
  constexpr std::size_t last = 4;   // head
  REQUIRE(seen.size() == first + last);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto& defined = shipped.layers.at(i < first ? i : shipped.layers.size() - seen.size() + i);
    INFO(seen[i].name << " and " << defined.name);
    CHECK(seen[i].kind == defined.kind);
    CHECK(seen[i].forward_flop_per_sample ==
          defined.forward_flop_per_sample); // also of the pool, whose windows overlap
    CHECK(seen[i].activation_bytes_per_sample == defined.activation_bytes_per_sample);
    REQUIRE(seen[i].tensors.size() == defined.tensors.size());
    for (std::size_t t = 0; t < defined.tensors.size(); ++t)
      CHECK(seen[i].tensors[t].shape == defined.tensors[t].shape);
  }
  CHECK(imported.model->parameters == 2'133'544); // by hand, of 17 AccumulateGrad
  CHECK_THAT(imported.model->source, !Catch::Contains("overlapped"));
}

TEST_CASE("a window that is no list of lengths is none, and one beyond all machines is refused") {
  std::ifstream stream(h200_trace);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  const auto with_window = [&](const std::string& window) {
    auto text = whole;
    const std::string from = R"("[3, 3]")";
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + window.size()))
      text.replace(at, from.size(), window);
    return text;
  };
  for (const char* window :
       {"3", "null", "[3, 3]", R"("")", R"("[3, 3")", R"("[[[3]]]")", R"("[3, -3]")", R"("[1e999]")"}) {
    const auto imported = imported_from(with_window(window), of_images("excerpt"));
    INFO(window);
    CHECK(imported.model.value().layers.at(3).forward_flop_per_sample == 802'816); // as if no window overlapped another
    CHECK_THAT(imported.model->source, Catch::Contains("overlapped"));
  }
  CHECK_THAT(ddlsim::test::mistakes_of([&] {
               imported_from(with_window(R"("[9007199254740991, 9007199254740991]")"), of_images("excerpt"));
             }),
             Catch::Contains("larger than any machine holds"));
}

TEST_CASE("every kernel of an H200's forward and backward is some layer's") {
  const auto imported = ddlsim::import_kineto(ddlsim::LogSource(h200_trace), of_images("excerpt"));
  const auto tables = ddlsim::records_of<LayersRecord>({imported.measurements});
  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].timings.size() == 1);
  CHECK_FALSE(tables[0].head.suspect);
  CHECK_FALSE(tables[0].timings[0].suspect);
  const auto sum_of = [&](ddlsim::LayerPass pass) {
    double sum_s = 0;
    for (const auto& time : tables[0].timings[0].passes.at(pass)) sum_s += time.time_s;
    return sum_s;
  };
  // by hand, less 5.568 us that count the norms' batches and a fill of 0.992
  CHECK(sum_of(ddlsim::LayerPass::forward) == Approx(3027.042 * us));
  CHECK(sum_of(ddlsim::LayerPass::backward) == Approx(4847.517 * us)); // by hand
  ddlsim::LogSource source(h200_trace);
  const auto trace = ddlsim::read_kineto(source);
  const auto seen = ddlsim::layers_of(trace, trace.steps.back());
  const auto last = std::find_if(seen.layers.begin(), seen.layers.end(),
                                 [](const auto& layer) { return layer.name == "convolution_1"; });
  REQUIRE(last != seen.layers.end());
  CHECK(last->ready_s == Approx(4847.517 * us)); // all of it: backward's last layer
}

TEST_CASE("an H200's trace says its precision, its GPU, when gradients are ready, and what the profiler cost") {
  ddlsim::LogSource source(h200_trace);
  const auto trace = ddlsim::read_kineto(source);
  CHECK(trace.device == "NVIDIA H200");
  CHECK(trace.steps.size() == 1); // the GPU has an annotation of the same name
  CHECK(trace.kernels.size() == 111);
  const auto anatomy = ddlsim::anatomy_of(trace, trace.steps);
  CHECK(anatomy.compute_s == Approx(8158.432 * us)); // by hand: 8159.584 us, of which 1.152 are two kernels' at once
  REQUIRE(anatomy.gradients_ready.size() == 17);
  CHECK(anatomy.gradients_ready[0] == Approx(27.071 / 4847.517)); // by hand
  CHECK(anatomy.gradients_ready[8] == Approx(1585.565 / 4847.517));
  CHECK(anatomy.gradients_ready[16] == 1);
  const auto imported = ddlsim::import_kineto(ddlsim::LogSource(h200_trace), of_images());
  CHECK(traced_step(imported).precision == ddlsim::Precision::bf16);
  CHECK(traced_step(imported).iteration_s == Approx(48'899.997 * us));
  CHECK(traced_step(imported).gpus == 1);
  CHECK_THAT(all_notes(imported), Catch::Contains("ran in bf16; the records say so"));
}

TEST_CASE("a step whose GPU idles under the profiler is marked suspect, but not one that waits for input") {
  const auto marked = imported_from(half_idle("float", "float"));
  CHECK(traced_step(marked).head.suspect);
  CHECK_THAT(traced_step(marked).head.note, Catch::Contains("no kernel runs for 5 ms") &&
                                                Catch::Contains("without it a step takes between 5 ms and 10 ms"));
  CHECK_THAT(all_notes(marked), Catch::Contains("marked suspect: time steps without the profiler"));
  CHECK(std::get<StepRecord>(ddlsim::test::read_back(marked).records.front()).head.suspect);
  CHECK_FALSE(traced_step(imported_from(half_idle("float", "float", 4))).head.suspect);
}

TEST_CASE("the precision of a trace is that of its products, unless it is stated") {
  const auto precision_of = [](const std::string& type, const std::string& gradient) {
    return traced_step(imported_from(half_idle(type, gradient))).precision;
  };
  CHECK(precision_of("c10::BFloat16", "c10::BFloat16") == ddlsim::Precision::bf16);
  CHECK(precision_of("c10::Half", "float") == ddlsim::Precision::amp);
  CHECK(precision_of("c10::Half", "c10::Half") == ddlsim::Precision::fp16);
  CHECK(precision_of("float", "float") == ddlsim::Precision::fp32);
  CHECK(precision_of("", "") == ddlsim::Precision::fp32);
  auto stated = of_images();
  stated.given["precision"] = "tf32";
  const auto imported = imported_from(half_idle("c10::Half", "float"), stated);
  CHECK(traced_step(imported).precision == ddlsim::Precision::tf32);
  CHECK_THAT(all_notes(imported), Catch::Contains("ran in amp; the records say tf32, as stated"));
}
