#include "tests/trainer/check_records.hpp"
#include "trainer/describe/layer_table.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/records/record_file.hpp"
#include "trainer/timing/layer_measurement.hpp"

#include <catch2/catch.hpp>

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
  const ddltrain::Batch batch = network->random_batch(samples);
  ddltrain::LayerTimer timer(*network, batch, marks);
  ddltrain::RepeatLimits limits;
  limits.warm_up = 1;
  limits.relative_error = 0;
  limits.most_repetitions = repetitions;
  ddltrain::LayerMeasurement measured = ddltrain::measure_layers(timer, limits);
  measured.model = model;
  measured.batch = samples;
  return measured;
}

} // namespace

TEST_CASE("Timed layers are those of the layer table, in its order") {
  const auto model = GENERATE(as<std::string>{}, "lenet5", "googlenet");
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
  CHECK(records.layers.size() == 2 * measured.layers.size());
  const TemporaryFile file("layers.jsonl");
  {
    ddltrain::RecordFile writer(file.path, ddltrain::context_of(options, "a test", "LibTorch"));
    writer.add(records.step);
    for (const auto& layer : records.layers) writer.add(layer);
  }
  check_with_ddlsim(file.path);
}
