#pragma once
// Does the peak of a run fit into a GPU's memory, and what would make it fit?

#include "sim/iteration/step.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Half-width of the count's 90 % interval, in ln. Of a transformer: the eight peaks of torchtitan differ by 5 % at most
/// (tests/iteration/published_peaks_test.cpp).
constexpr double transformer_half_width = 0.10;
/// Of other models, whose stacks choose workspaces of convolutions and reuse memory in ways that the count does not know.
/// Assumed: no public source has such a peak. All published runs of CNNs fit by the count itself
/// (tests/iteration/memory_fit_test.cpp).
constexpr double other_half_width = 0.20;
double memory_half_width(const Model& model);

/// Memory of a card as drivers report it. Cards are sold by GB and have as many GiB: an "80 GB" H100 reports 81,559
/// MiB, a "141 GB" H200 143,771. A size that is not a whole number of GB is taken as it is.
double installed_bytes(const Gpu& gpu);

/// What of it PyTorch's allocator can have: the driver's own part, CUDA's context and NCCL's buffers are away.
double usable_bytes(const Gpu& gpu);

/// `tight`: within the half-width of what is usable. Everything fits a device whose memory is not known.
MemoryFit memory_fit(double peak_bytes, const Gpu& gpu, const Model& model);

/// "61 GiB"; "0.82 GiB".
std::string gibibytes_text(double bytes);

/// One change of a run, and the peak with it.
struct MemoryChange {
  std::string what; ///< "recompute full"; "4 micro-batches"
  double peak_bytes = 0;
};

/// The single changes that make the run fit, each as small as is enough: full recomputation, smaller micro-batches or a
/// smaller batch, larger tensor groups or more stages, all ranks in one group, more GPUs.
std::vector<MemoryChange> changes_that_fit(const StepSetup& setup);

/// "what would fit: 2 micro-batches (51 GiB), 64 GPUs (60 GiB) or a GPU of 96 GiB".
std::string advice_on_memory(const StepSetup& setup, double peak_bytes);

/// Returns "" unless the peak is too large; else one sentence: what is needed, what the GPU has, what would fit.
std::string memory_complaint(const StepSetup& setup);

/// ln of peak over memory above which no facts of a stack that a question does not state help: gradients cut over
/// replicas, fused activations, tensors freed early. Llama 3 405B at 8,192 tokens, which ran so on 80 GB without
/// recomputation (arXiv:2407.21783, section 3.3.2), counts 0.28 above.
constexpr double largest_excess = 0.35;

/// Returns the complaint where the peak is above that; else "", and the question has an answer that says that the peak
/// does not fit.
std::string memory_refusal(const StepSetup& setup);

} // namespace ddlsim
