#include "sim/base/statistics.hpp"
#include "sim/compute/kernels/transformer_sizes.hpp"
#include "sim/compute/kernels/transformer_step.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>

namespace ddlsim {
namespace {

const DataFolder& shipped() {
  static const DataFolder data{DDLSIM_SOURCE_DIR};
  return data;
}

TransformerSizes sizes_of(const std::string& model) {
  const auto sizes = transformer_sizes(load_model(shipped(), model));
  REQUIRE(sizes);
  return *sizes;
}

/// ln(measured / model) of our own steps of transformers on one GPU in bf16, by their series.
std::map<std::string, double> missed(const std::string& cluster) {
  const auto gpus = load_gpus(shipped());
  const auto book = load_kernel_rates(shipped());
  std::map<std::string, double> errors;
  for (const auto& step : records_of<StepRecord>(read_cluster_measurements(shipped().platforms(), cluster))) {
    const bool compiled = step.head.series.find("compiled") != std::string::npos;
    const bool is_plain =
        step.head.note.find("attention by PyTorch's choice of cuDNN; no optimizer") != std::string::npos;
    if (step.precision != Precision::bf16 || step.host_paced || !is_plain) continue;
    const auto rates = kernel_rates(book, gpus, find_gpu(gpus, step.head.gpu), KernelPrecision::bf16);
    auto stack = costs_of(TrainingStack::pytorch, compiled);
    stack.attention = AttentionKernel::cudnn;
    StepLayout layout;
    layout.micro_batch = step.batch_per_gpu;
    const auto time = transformer_step(sizes_of(step.model), layout, stack, rates);
    errors[step.head.series] = std::log(step.iteration_s / (time.total_s - time.parts.optimizer_s));
  }
  return errors;
}

} // namespace

TEST_CASE("sizes of a transformer are those of its layer table", "[kernels]") {
  const auto llama = sizes_of("llama_2_70b_seq4096");
  CHECK(llama.layers == 80);
  CHECK(llama.hidden == 8192);
  CHECK(llama.heads == 64);
  CHECK(llama.kv_heads == 8);
  CHECK(llama.ffn == 28672);
  CHECK(llama.gated);
  CHECK(llama.vocabulary == 32000);
  CHECK_FALSE(llama.tied_words);
  CHECK(llama.sequence == 4096);
  CHECK(llama.scored_tokens == 4096);
  CHECK(llama.causal);
  const auto bert = sizes_of("bert_base_seq128");
  CHECK(bert.layers == 12);
  CHECK(bert.heads == 12);
  CHECK(bert.kv_heads == 12);
  CHECK_FALSE(bert.gated);
  CHECK_FALSE(bert.causal);
  CHECK(bert.scored_tokens == Approx(20).epsilon(0.01));
  CHECK(sizes_of("mpt_7b_seq2048").kv_heads == 32);
  CHECK_FALSE(transformer_sizes(load_model(shipped(), "resnet50_v1.5")));
}

TEST_CASE("weights of the products and words are nearly all parameters", "[kernels]") {
  for (const auto& name : list_models(shipped())) {
    const auto model = load_model(shipped(), name);
    const auto sizes = transformer_sizes(model);
    if (!sizes) continue;
    CAPTURE(name);
    const double words = (sizes->tied_words ? 1 : 2) * sizes->vocabulary * sizes->hidden;
    CHECK(sizes->layers * layer_parameters(*sizes) + words == Approx(model.parameters).epsilon(0.03));
  }
}

TEST_CASE("own steps of transformers are near what their kernels say", "[kernels]") {
  for (const char* cluster : {"h100-1x1-vm", "h200-1x1-vm"}) {
    CAPTURE(cluster);
    std::vector<double> errors;
    for (const auto& [series, error] : missed(cluster)) {
      CAPTURE(series, error);
      CHECK(std::abs(error) < 0.3);
      errors.push_back(error);
    }
    REQUIRE(errors.size() >= 15);
    CAPTURE(mean(errors), standard_deviation(errors));
    CHECK(std::abs(mean(errors)) < 0.1); // nothing was fitted to steps but backward's share of attention
    CHECK(standard_deviation(errors) < 0.08);
  }
}

} // namespace ddlsim
