// Counted peaks against peaks that torchtitan's benchmarks print: the most that PyTorch's allocator reserved.

#include "sim/iteration/memory_fit.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "tests/iteration/memory_setup.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

namespace ddlsim {
namespace {

constexpr double bytes_of_gib = 1024.0 * 1024 * 1024;

/// A figure of pytorch/torchtitan, benchmarks/, at b5bcd76. With a context group of c a rank has 1/c of a sequence c
/// times as long, and the state is cut over all ranks: the same as c = 1, so that it is written as four sequences of
/// 8,192 tokens.
struct PublishedPeak {
  const char* what;
  double gib;
  int gpus;
  double sequences; ///< of 8,192 tokens a GPU
  Recompute recompute;
  Precision precision;
  CrossEntropy cross_entropy; ///< compiled since June 2025
};

constexpr auto by_operations = Recompute::alternate_matmuls;
constexpr auto eager_loss = CrossEntropy::eager;

// llama3_h100_202412_torchtitan.md, lines 23 to 38; llama3-8b_h200_202506_trainy-whitefiber.md. Llama 3.1 8B, FSDP2.
const std::vector<PublishedPeak> published_peaks{
    {"eager", 82.4, 8, 2, by_operations, Precision::bf16, eager_loss},
    {"compiled", 77.0, 8, 2, by_operations, Precision::bf16, eager_loss},
    {"compiled, 8 bits", 76.8, 8, 2, by_operations, Precision::fp8, eager_loss},
    {"context 1", 83.9, 8, 4, Recompute::full, Precision::fp8, eager_loss},
    {"context 2", 84.2, 8, 4, Recompute::full, Precision::fp8, eager_loss},
    {"context 4", 84.0, 8, 4, Recompute::full, Precision::fp8, eager_loss},
    {"context 8", 84.5, 8, 4, Recompute::full, Precision::fp8, eager_loss},
    {"H200, 8 bits", 47.96, 32, 2, by_operations, Precision::fp8, CrossEntropy::compiled},
};

double counted_bytes(MemoryRun run, const PublishedPeak& figure) {
  run.strategy.name = StrategyName::fsdp;
  run.strategy.sharded.recompute = figure.recompute;
  run.precision = figure.precision;
  run.gpus = figure.gpus;
  run.batch_per_gpu = figure.sequences;
  run.cross_entropy = figure.cross_entropy;
  return peak_memory(run.setup()).total();
}

} // namespace

TEST_CASE("the counted peak of Llama 3.1 8B is within 5 % of what torchtitan printed", "[memory][published]") {
  const auto run = memory_run("llama_3.1_8b_seq8192", "H100-SXM5-80GB", "pytorch-fsdp2");
  double sum = 0;
  for (const auto& figure : published_peaks) {
    const double counted = counted_bytes(run, figure);
    const double error = std::log(figure.gib * bytes_of_gib / counted);
    UNSCOPED_INFO(figure.what << ": " << counted / bytes_of_gib << " of " << figure.gib << " GiB, " << 100 * error
                              << " %");
    CHECK(std::abs(error) < 0.05);
    CHECK(std::abs(error) < transformer_half_width);
    sum += std::abs(error);
  }
  CHECK(sum / static_cast<double>(published_peaks.size()) < 0.02);
}

} // namespace ddlsim
