// Which runs fit, and what is said of those that do not.

#include "sim/formats/record.hpp"
#include "sim/iteration/memory_fit.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "tests/iteration/memory_setup.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>

namespace ddlsim {
namespace {

Gpu card_of(double memory_bytes) {
  Gpu gpu;
  gpu.name = "card";
  gpu.memory_bytes = memory_bytes;
  return gpu;
}

} // namespace

TEST_CASE("a card of 80 GB has 80 GiB, and one of 81,559 MiB as many", "[memory]") {
  CHECK(installed_bytes(card_of(80e9)) == 80 * 1073741824.0);
  CHECK(installed_bytes(card_of(81559 * 1048576.0)) == 81559 * 1048576.0);
  CHECK(usable_bytes(card_of(80e9)) == 78.5 * 1073741824.0);
  CHECK(usable_bytes(card_of(12e9)) == Approx(0.95 * 12 * 1073741824.0));
}

TEST_CASE("tight is what lies within the count's error of the card", "[memory]") {
  Model transformer;
  transformer.layers = {{"block0.attention.fused", "attention", 0, 1, {}}};
  const auto card = card_of(80e9);
  const double usable = usable_bytes(card);
  CHECK(memory_fit(0.9 * usable, card, transformer) == MemoryFit::fits);
  CHECK(memory_fit(0.92 * usable, card, transformer) == MemoryFit::tight);
  CHECK(memory_fit(1.1 * usable, card, transformer) == MemoryFit::tight);
  CHECK(memory_fit(1.12 * usable, card, transformer) == MemoryFit::too_large);
  CHECK(memory_fit(1.12 * usable, card, {}) == MemoryFit::tight);      // a model whose count is wider
  CHECK(memory_fit(1e15, card_of(0), transformer) == MemoryFit::fits); // a device of unknown memory
}

TEST_CASE("what does not fit is told both figures and what would fit", "[memory]") {
  auto run = memory_run("llama_3.1_8b_seq8192", "H100-SXM5-80GB", "pytorch-fsdp2");
  run.strategy.name = StrategyName::fsdp;
  run.gpus = 8;
  run.batch_per_gpu = 2;
  const auto told = memory_complaint(run.setup());
  CHECK_THAT(told, Catch::Contains("2 samples of llama_3.1_8b_seq8192 by fsdp on 8 GPUs need") &&
                       Catch::Contains("H100-SXM5-80GB has 80 GiB") && Catch::Contains("\"recompute\": \"full\"") &&
                       Catch::Contains("or a GPU of"));
  CHECK(memory_refusal(run.setup()) == told);
  const double peak_bytes = peak_memory(run.setup()).total();
  run.gpu.memory_bytes = peak_bytes / 1.25;
  CHECK_FALSE(memory_complaint(run.setup()).empty());
  CHECK(memory_refusal(run.setup()).empty()); // a stack may do better by a quarter
  run.gpu.memory_bytes = 80e9;
  run.strategy.sharded.recompute = Recompute::full;
  CHECK(memory_complaint(run.setup()).empty());
  run.gpus = 1; // 8 billion parameters of 16 bytes
  const auto changes = changes_that_fit(run.setup());
  REQUIRE(!changes.empty());
  CHECK(changes.back().what.ends_with(" GPUs"));
  for (const auto& change : changes) CHECK(change.peak_bytes < usable_bytes(run.gpu));
}

TEST_CASE("a layout that does not fit is told larger groups, with as many samples in a micro-batch", "[memory]") {
  auto run = memory_run("llama_3_70b_seq8192", "H100-SXM5-80GB", "megatron-lm");
  run.strategy.name = StrategyName::model_parallel;
  run.strategy.parallel = {4, 4, 16, PipelineSchedule::one_f_one_b, 1, DataParallel::zero_1};
  run.gpus = 64;
  run.batch_per_gpu = 1;
  std::string all;
  for (const auto& change : changes_that_fit(run.setup())) all += change.what + "; ";
  CHECK(memory_fit(peak_memory(run.setup()).total(), run.gpu, run.model) != MemoryFit::fits);
  CHECK_THAT(all, Catch::Contains("\"recompute\": \"full\"") &&
                      Catch::Contains("8 GPUs a tensor group with 32 micro-batches"));
  CHECK_THAT(all, !Catch::Contains("16 GPUs a tensor group")); // no more than a node
}

TEST_CASE("a batch of a CNN that does not fit is told a smaller one", "[memory]") {
  auto run = memory_run("resnet152_v1", "K80", "pytorch-ddp");
  run.precision = Precision::fp32;
  run.batch_per_gpu = 32;
  CHECK(memory_complaint(run.setup()).empty());
  run.batch_per_gpu = 512;
  CHECK_THAT(memory_complaint(run.setup()), Catch::Contains("K80") && Catch::Contains("a batch of "));
}

namespace {

/// Rows whose tables leave out what decides their memory, so that their records assume something else.
bool is_of_another_run(const StepRecord& step) {
  // Megatron-Bridge 067f987, perf_recipes/llama: activations of 20 to 40 of 80 layers go to the host.
  const bool offloads = step.preset == "megatron-lm" && step.strategy.name == StrategyName::fsdp;
  // The table has micro-batches of 2 and no interleaving in this release only, of 1 and of 5 pieces before and after it.
  return offloads || step.head.series == "dgx-gb300-llama3-70b-mxfp8-batch256-26.02.01";
}

/// The run as it is recorded, with facts of its stack that records have no field for.
MemoryRun run_of(const StepRecord& step, const Model& model, const Gpu& gpu, const Preset& preset) {
  MemoryRun run{model, gpu, {}, preset};
  run.strategy = step.strategy;
  run.precision = step.precision;
  run.batch_per_gpu = step.batch_per_gpu;
  run.gpus = step.gpus;
  run.gpus_per_node = step.gpus_per_node;
  // flash-attn's kernel (llmfoundry/models/mpt/modeling_mpt.py, loss_fn fused_crossentropy)
  if (step.head.file.find("llm-foundry") != std::string::npos) run.cross_entropy = CrossEntropy::fused;
  // perf_recipes/_common.py at 067f987: grad_reduce_in_fp32 = False
  if (step.head.file.find("megatron-bridge") != std::string::npos) run.wire_bytes_per_parameter = 2;
  auto& parallel = run.strategy.parallel;
  if (seeks_best_layout(run.strategy)) // the smallest micro-batches
    parallel.micro_batches = static_cast<int>(step.batch_per_gpu * parallel.tensor * parallel.pipeline);
  return run;
}

} // namespace

TEST_CASE("no published training run is refused", "[memory][published]") {
  const auto& shipped = shipped_memory_data();
  const auto gpus = load_gpus(shipped);
  const auto presets = load_presets(shipped);
  std::map<std::string, Model> models;
  for (const auto& name : list_models(shipped)) models.emplace(name, load_model(shipped, name));
  int looked_at = 0;
  int language_models = 0; ///< of llm-foundry, whose batches are the largest that its authors found to fit
  int fit_twice = 0;       ///< of these with batches twice as large
  int certain = 0;         // neither refused nor tight
  for (const auto& cluster : list_clusters(shipped))
    for (const auto& step : records_of<StepRecord>(read_cluster_measurements(shipped.platforms(), cluster))) {
      const auto model = models.find(step.model);
      const auto* preset = preset_named(presets, step.preset);
      if (step.mode != RunMode::train || model == models.end() || step.head.gpu.empty() || !step.optimizer) continue;
      if (is_of_another_run(step) || step.head.suspect) continue;
      const auto& gpu = find_gpu(gpus, step.head.gpu);
      const auto run = run_of(step, model->second, gpu, preset != nullptr ? *preset : presets.front());
      const double peak_bytes = peak_memory(run.setup()).total();
      INFO(step.head.series << " of " << cluster << ": ln of the count over what is usable is "
                            << std::log(peak_bytes / usable_bytes(gpu)));
      CHECK(peak_bytes > 0);
      CHECK(memory_fit(peak_bytes, gpu, model->second) != MemoryFit::too_large);
      if (step.model.starts_with("mpt")) {
        auto twice = run;
        twice.batch_per_gpu *= 2;
        ++language_models;
        fit_twice += peak_memory(twice.setup()).total() <= usable_bytes(gpu) ? 1 : 0;
      }
      certain += memory_fit(peak_bytes, gpu, model->second) == MemoryFit::fits ? 1 : 0;
      ++looked_at;
    }
  CHECK(looked_at > 1000);
  CHECK(certain > 0.9 * looked_at);
  CHECK(language_models > 40);
  CHECK(fit_twice < 0.4 * language_models);
}

} // namespace ddlsim
