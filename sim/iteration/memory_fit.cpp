#include "sim/iteration/memory_fit.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/piece_shape.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/iteration/pipeline_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ddlsim {
namespace {

constexpr double gibibyte = 1024.0 * 1024 * 1024;
constexpr double gigabyte = 1e9;
/// Of each card: the driver and its tables (80 GiB less 81,559 MiB is 0.35 GiB), CUDA's context (0.5 to 0.8 GiB) and
/// NCCL's buffers (0.3 to 1 GiB). The last two are from experience and not tested.
constexpr double outside_of_allocator_bytes = 1.5 * gibibyte;
/// Small cards have older contexts and no NCCL of many channels: their part is not above this share.
constexpr double largest_share_outside = 0.05;

MemoryFit fit_of(const StepSetup& setup) {
  return memory_fit(peak_memory(setup).total(), setup.gpu, setup.model);
}

/// The change, where it fits surely.
std::optional<MemoryChange> change_if_fits(const StepSetup& setup, std::string what) {
  const double peak_bytes = peak_memory(setup).total();
  if (memory_fit(peak_bytes, setup.gpu, setup.model) != MemoryFit::fits) return {};
  return MemoryChange{std::move(what), peak_bytes};
}

std::optional<MemoryChange> with_full_recomputation(StepSetup setup) {
  const bool is_parallel = is_model_parallel(setup.strategy.name);
  if (!has_micro_batches(setup.strategy.name)) return {};
  auto& recompute = is_parallel ? setup.strategy.parallel.recompute : setup.strategy.sharded.recompute;
  if (recompute == Recompute::full) return {};
  recompute = Recompute::full;
  return change_if_fits(setup, "\"recompute\": \"full\"");
}

/// Doubles the micro-batches until the run fits or one has less than a sample.
std::optional<MemoryChange> with_micro_batches(StepSetup setup) {
  const bool is_parallel = is_model_parallel(setup.strategy.name);
  auto& number = is_parallel ? setup.strategy.parallel.micro_batches : setup.strategy.sharded.micro_batches;
  const auto& parallel = setup.strategy.parallel;
  const double samples =
      setup.batch_per_gpu * (is_parallel ? parallel.tensor * parallel.context * parallel.pipeline : 1);
  for (number *= 2; number <= samples; number *= 2)
    if (auto change = change_if_fits(setup, fmt::format("{} micro-batches", number))) return change;
  return {};
}

/// Doubles a degree and the micro-batches, so that a micro-batch has as many samples, until the run fits or the layout is
/// none.
std::optional<MemoryChange> with_larger_groups(StepSetup setup, int ModelParallelOptions::*degree, const char* words) {
  if (!is_model_parallel(setup.strategy.name)) return {};
  auto& parallel = setup.strategy.parallel;
  while (true) {
    parallel.*degree *= 2;
    parallel.micro_batches *= 2;
    const int ranks = parallel.tensor * parallel.context * parallel.pipeline;
    if (ranks > setup.gpus ||
        !layout_complaint(setup.model, setup.strategy, setup.batch_per_gpu, setup.gpus, gpus_of_domain_used(setup))
             .empty())
      return {};
    const auto what = fmt::format("{} {} with {} micro-batches", parallel.*degree, words, parallel.micro_batches);
    if (auto change = change_if_fits(setup, what)) return change;
  }
}

std::optional<MemoryChange> with_smaller_batch(StepSetup setup) {
  for (double batch = std::floor(setup.batch_per_gpu / 2); batch >= 1; batch = std::floor(batch / 2)) {
    setup.batch_per_gpu = batch;
    if (auto change = change_if_fits(setup, fmt::format("a batch of {} a GPU", batch))) return change;
  }
  return {};
}

std::optional<MemoryChange> with_all_ranks_in_a_group(StepSetup setup) {
  auto& group = setup.strategy.sharded.shard_group;
  if (!is_sharded(setup.strategy.name) || group == ShardedOptions::all_ranks) return {};
  group = ShardedOptions::all_ranks;
  return change_if_fits(setup, "no \"shard_group\"");
}

constexpr int most_gpus_tried = 10'000'000;

/// The fewest GPUs that share the state so that the run fits.
std::optional<MemoryChange> with_more_gpus(StepSetup setup) {
  const int now = setup.gpus;
  if (!is_sharded(setup.strategy.name) || setup.strategy.sharded.shard_group != ShardedOptions::all_ranks) return {};
  const auto fits = [&](int gpus) {
    setup.gpus = gpus;
    return fit_of(setup) == MemoryFit::fits;
  };
  if (!fits(most_gpus_tried)) return {};
  int too_few = now;
  int enough = most_gpus_tried;
  while (enough > too_few + 1) {
    const int middle = too_few + (enough - too_few) / 2;
    (fits(middle) ? enough : too_few) = middle;
  }
  setup.gpus = enough;
  return change_if_fits(setup, fmt::format("{} GPUs", enough));
}

} // namespace

double memory_half_width(const Model& model) {
  return has_attention(model) ? transformer_half_width : other_half_width;
}

double installed_bytes(const Gpu& gpu) {
  const double whole = std::round(gpu.memory_bytes / gigabyte);
  const bool is_sold_size = whole > 0 && gpu.memory_bytes == whole * gigabyte;
  return is_sold_size ? whole * gibibyte : gpu.memory_bytes;
}

double usable_bytes(const Gpu& gpu) {
  const double installed = installed_bytes(gpu);
  return installed - std::min(outside_of_allocator_bytes, largest_share_outside * installed);
}

MemoryFit memory_fit(double peak_bytes, const Gpu& gpu, const Model& model) {
  if (gpu.memory_bytes <= 0 || peak_bytes <= 0) return MemoryFit::fits;
  const double above = std::log(peak_bytes / usable_bytes(gpu));
  const double half_width = memory_half_width(model);
  if (above > half_width) return MemoryFit::too_large;
  return above < -half_width ? MemoryFit::fits : MemoryFit::tight;
}

std::string gibibytes_text(double bytes) {
  constexpr double whole_from = 10;
  const double gibibytes = bytes / gibibyte;
  return gibibytes < whole_from ? fmt::format("{:.2g} GiB", gibibytes) : fmt::format("{:.0f} GiB", gibibytes);
}

std::vector<MemoryChange> changes_that_fit(const StepSetup& setup) {
  std::vector<MemoryChange> changes;
  for (const auto& change :
       {with_full_recomputation(setup),
        has_micro_batches(setup.strategy.name) ? with_micro_batches(setup) : with_smaller_batch(setup),
        with_larger_groups(setup, &ModelParallelOptions::tensor, "GPUs a tensor group"),
        with_larger_groups(setup, &ModelParallelOptions::pipeline, "stages"), with_all_ranks_in_a_group(setup),
        with_more_gpus(setup)})
    if (change) changes.push_back(*change);
  return changes;
}

std::string advice_on_memory(const StepSetup& setup, double peak_bytes) {
  std::vector<std::string> texts;
  for (const auto& [what, bytes] : changes_that_fit(setup))
    texts.push_back(fmt::format("{} ({})", what, gibibytes_text(bytes)));
  const double needed = peak_bytes * std::exp(memory_half_width(setup.model)) + outside_of_allocator_bytes;
  texts.push_back(fmt::format("a GPU of {}", gibibytes_text(needed)));
  return "what would fit: " + join_names(texts, " or ");
}

namespace {

std::string complaint_about(const StepSetup& setup, double peak_bytes) {
  const auto& strategy = setup.strategy;
  const auto on_gpus = is_sharded(strategy.name) ? fmt::format(" by {} on {} GPUs", to_text(strategy), setup.gpus)
                       : is_model_parallel(strategy.name) ? fmt::format(" a GPU by {}", to_text(strategy))
                                                          : "";
  return fmt::format("{} samples of {}{} need {} of memory at their peak, and one {} has {}; {}", setup.batch_per_gpu,
                     setup.model.name, on_gpus, gibibytes_text(peak_bytes), setup.gpu.name,
                     gibibytes_text(installed_bytes(setup.gpu)), advice_on_memory(setup, peak_bytes));
}

} // namespace

std::string memory_complaint(const StepSetup& setup) {
  const double peak_bytes = peak_memory(setup).total();
  if (memory_fit(peak_bytes, setup.gpu, setup.model) != MemoryFit::too_large) return "";
  return complaint_about(setup, peak_bytes);
}

std::string memory_refusal(const StepSetup& setup) {
  const double peak_bytes = peak_memory(setup).total();
  const bool is_known = setup.gpu.memory_bytes > 0;
  if (!is_known || peak_bytes <= usable_bytes(setup.gpu) * std::exp(largest_excess)) return "";
  return complaint_about(setup, peak_bytes);
}

} // namespace ddlsim
