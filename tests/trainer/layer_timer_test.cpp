#include "tests/trainer/check_records.hpp"
#include "trainer/describe/layer_table.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/records/record_file.hpp"
#include "trainer/timing/layer_measurement.hpp"
#include "trainer/train/training_step.hpp"

#include <ATen/autocast_mode.h>
#include <catch2/catch.hpp>
#include <torch/version.h>

#include <algorithm>

namespace {

/// A clock on which every mark is one second after the one before: times are then counts.
class CountingMarks final : public ddltrain::Marks {
public:
  void clear() override { count_ = 0; }
  std::size_t mark() override { return count_++; }
  void settle() override {}
  double between_s(std::size_t from, std::size_t to) const override { return static_cast<double>(to - from); }

private:
  std::size_t count_ = 0;
};

ddltrain::LayerMeasurement measure(const std::string& model, std::int64_t samples, ddltrain::Marks& marks,
                                   int repetitions) {
  const auto network = ddltrain::find_model(model).make();
  const auto device = ddltrain::open_device("cpu", 1);
  ddltrain::LoneWorker worker(network, device, ddlsim::Precision::fp32, {});
  const ddltrain::Batch batch = network->random_batch(samples);
  ddltrain::LayerTimer timer(*network, worker, batch, marks);
  ddltrain::RepeatLimits limits;
  limits.warm_up = 1;
  limits.relative_error = 0;
  limits.most_repetitions = repetitions;
  ddltrain::LayerMeasurement measured = ddltrain::measure_layers(timer, limits);
  measured.model = model;
  measured.batch = samples;
  return measured;
}

bool is_autocast_on() {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  return at::autocast::is_autocast_enabled(at::kCPU);
#else
  return at::autocast::is_cpu_enabled();
#endif
}

} // namespace

TEST_CASE("Timed layers are those of the layer table, in its order") {
  const auto model = GENERATE(as<std::string>{}, "lenet5", "googlenet", "googlenet_aux");
  CountingMarks marks;
  const auto measured = measure(model, 2, marks, 1);
  const auto table = ddltrain::describe(*ddltrain::find_model(model).make());
  REQUIRE(measured.layers.size() == table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    CHECK(measured.layers[i].name == table[i].name);
    CHECK(measured.layers[i].kind == table[i].kind);
    CHECK(measured.layers[i].forward_flop == 2.0 * static_cast<double>(table[i].forward_flop_per_sample));
    CHECK(measured.observed[0][i].forward_s == 1); // one mark a layer
    CHECK(measured.observed[0][i].backward_s > 0);
    CHECK((measured.observed[0][i].ready_s > 0) == !table[i].tensors.empty());
  }
}

TEST_CASE("Gradients become ready from the last layer to the first, within the backward pass") {
  CountingMarks marks;
  const auto measured = measure("lenet5", 2, marks, 1);
  double before = 0;
  for (std::size_t i = measured.layers.size(); i-- > 0;) {
    const double ready_s = measured.observed[0][i].ready_s;
    if (ready_s < 0) continue;
    CHECK(ready_s > before);
    before = ready_s;
  }
  CHECK(before < measured.observed_steps[0].backward_s);
}

TEST_CASE("Layers add up to their step, but for the loss") {
  CountingMarks marks;
  const auto measured = measure("lenet5", 2, marks, 1);
  const double passes_s = measured.observed_steps[0].forward_s + measured.observed_steps[0].backward_s;
  CHECK(ddltrain::balance_of(measured).within_step == Approx((passes_s - 1) / passes_s)); // one mark is the loss's
}

TEST_CASE("Records of layers are accepted, and hold the step they belong to") {
  const auto marks = ddltrain::host_marks();
  const auto measured = measure("lenet5", 4, *marks, 5);
  ddltrain::MeasureOptions options;
  options.cluster = "testbed";
  const auto records = ddltrain::records_of(measured, options);
  CHECK(records.step.head.repeats == 5);
  CHECK(records.step.head.samples_s.size() == 5);
  CHECK(records.step.iteration_s == ddltrain::summarise(records.step.head.samples_s).median);
  CHECK(records.layers.layers.size() == measured.layers.size());
  REQUIRE(records.layers.timings.size() == 1);
  const auto& timing = records.layers.timings.front();
  CHECK(timing.batch == 4);
  CHECK(timing.count == 5);
  CHECK(timing.passes.at(ddlsim::LayerPass::forward).size() == measured.layers.size());
  CHECK(timing.passes.at(ddlsim::LayerPass::backward).size() == measured.layers.size());
  const TemporaryFile file("layers.jsonl");
  {
    ddltrain::RecordFile writer(file.path, ddltrain::context_of(options, "a test", "LibTorch"));
    writer.add(records.step);
    writer.add(records.layers);
  }
  check_with_ddlsim(file.path);
}

TEST_CASE("Steps given in one go are timed as steps alone are") {
  CountingMarks marks;
  const auto network = ddltrain::find_model("lenet5").make();
  const auto device = ddltrain::open_device("cpu", 1);
  ddltrain::LoneWorker worker(network, device, ddlsim::Precision::fp32, {});
  const ddltrain::Batch batch = network->random_batch(2);
  ddltrain::LayerTimer timer(*network, worker, batch, marks);
  ddltrain::RepeatLimits limits;
  limits.warm_up = 1;
  limits.most_repetitions = 6;
  const auto measured = ddltrain::measure_layers(timer, limits, /*queued=*/3);
  CHECK(measured.plain_steps.size() == 6);
  CHECK(measured.observed_steps.size() == 2);
  CHECK(measured.queue.waits == 2);
  CHECK(measured.plain_steps[4].total_s() == timer.plain_step().total_s());
  for (const auto& layer : measured.observed[1]) CHECK(layer.forward_s == 1);
}

TEST_CASE("Autocast is on in the forward pass and the loss, and off in the backward pass and the update") {
  const auto network = ddltrain::find_model("lenet5").make();
  const auto device = ddltrain::open_device("cpu", 1);
  ddltrain::LoneWorker worker(network, device, ddlsim::Precision::bf16, {}); // the half precision a processor knows
  std::vector<bool> forward;
  std::vector<bool> backward;
  std::size_t half_outputs = 0;
  for (const auto& [name, layer] : ddltrain::layers_of(*network)) {
    layer->observe([&](const ddltrain::Layer&, const ddltrain::Tensors&, const at::Tensor& output) {
      forward.push_back(is_autocast_on());
      half_outputs += output.scalar_type() == at::kBFloat16 ? 1 : 0;
      output.register_hook([&](const at::Tensor& gradient) {
        backward.push_back(is_autocast_on());
        return gradient;
      });
    });
  }
  std::vector<bool> moments;
  worker.step().run(network->random_batch(2), {[&](ddltrain::StepMoment) { moments.push_back(is_autocast_on()); },
                                               [&](std::size_t) { backward.push_back(is_autocast_on()); }});
  CHECK(forward.size() == ddltrain::layers_of(*network).size());
  CHECK(std::count(forward.begin(), forward.end(), false) == 0);
  CHECK(half_outputs > 0);
  CHECK(backward.size() > forward.size());
  CHECK(std::count(backward.begin(), backward.end(), true) == 0);
  CHECK(moments == std::vector<bool>(5, false));
}
