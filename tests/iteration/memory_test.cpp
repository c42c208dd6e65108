#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "sim/iteration/memory.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace ddlsim {
namespace {

const DataFolder shipped{DDLSIM_SOURCE_DIR};

} // namespace

TEST_CASE("least memory: three copies of the parameters and half of the outputs", "[memory]") {
  Model model;
  model.layers = {{"a", "linear", 0, 1000, {{"a.weight", {10}, 40}}}, {"b", "activation", 0, 3000, {}}};
  CHECK(least_memory_bytes(model, Precision::fp32, 2) == 3 * 40 + 0.5 * 4000 * 2);
  CHECK(least_memory_bytes(model, Precision::amp, 2) == 3 * 40 + 0.25 * 4000 * 2);
}

TEST_CASE("what does not fit is reported, with both figures", "[memory]") {
  const auto model = load_model(shipped, "resnet152_v1");
  const auto gpus = load_gpus(shipped);
  const auto& k80 = find_gpu(gpus, "K80");
  CHECK(memory_complaint(model, k80, Precision::fp32, 32).empty());
  CHECK_THAT(memory_complaint(model, k80, Precision::fp32, 512), Catch::Contains("K80") && Catch::Contains("GB"));
}

TEST_CASE("no published training run is refused", "[memory]") {
  const auto gpus = load_gpus(shipped);
  std::map<std::string, Model> models;
  for (const auto& name : list_models(shipped)) models.emplace(name, load_model(shipped, name));
  int looked_at = 0;
  for (const auto& cluster : list_clusters(shipped)) {
    for (const auto& step : records_of<StepRecord>(read_cluster_measurements(shipped.platforms(), cluster))) {
      const auto model = models.find(step.model);
      if (step.mode != RunMode::train || model == models.end() || step.head.gpu.empty()) continue;
      INFO(step.head.series);
      CHECK(memory_complaint(model->second, find_gpu(gpus, step.head.gpu), step.precision, step.batch_per_gpu).empty());
      ++looked_at;
    }
  }
  CHECK(looked_at > 1000);
}

} // namespace ddlsim
