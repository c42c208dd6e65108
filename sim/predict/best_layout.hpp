#pragma once
// "tensor", "context", "pipeline" or "micro_batches": "best": how a model is cut over the GPUs of a scale.

#include "sim/iteration/step.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace ddlsim {

/// What is tried at the setup's scale, in the order in which one is preferred among equals: smaller tensor groups, then
/// smaller context groups, fewer stages, fewer micro-batches. Degrees that the strategy states stay.
///   tensor         divisors of a node's GPUs and of the sides of all matrices in blocks with attention; 1 without any
///   context        divisors of the GPUs over `tensor` of which twice divides the sequence; 1 where keys are not known
///   pipeline       divisors of the GPUs over both, up to the model's blocks
///   micro_batches  all that leave a whole number of samples
/// What layout_complaint() refuses is left out, and what has more than half a million operations; of more than 5,000
/// layouts the first are tried.
std::vector<Strategy> layout_candidates(const StepSetup& setup);

/// A layout with its time by the formulas.
struct TimedLayout {
  Strategy strategy;
  StepTime time;
};

/// What a search found at one scale.
struct FoundLayout {
  Strategy strategy; ///< with all degrees named; where no layout is possible, one whose complaint says why
  std::optional<TimedLayout> best{};
  std::optional<TimedLayout> runner_up{};
  std::optional<TimedLayout> too_large{}; ///< fastest of those that do not fit into memory, where faster than the best
  int tried = 0;                          ///< layouts that can be
  int refused_by_memory = 0;              ///< of these
};

/// The choice among them at every scale, by the least time of an iteration. One sample decides, by the formulas, and
/// its choice holds for all samples of a point. Same arguments, same choice. Candidates that a lower bound of their
/// iteration rules out are not run, nor, the most promising first, any beyond 30 million operations.
class BestLayout {
public:
  /// `setup` is of any scale; its references must outlive this.
  BestLayout(const StepSetup& setup, const Parameters& likeliest, int gpus_per_full_node)
      : setup_(setup), likeliest_(likeliest), gpus_per_full_node_(gpus_per_full_node) {}

  /// The best layout at that scale. May be called by any thread; each scale is searched once.
  const FoundLayout& at(int gpus) const;

  /// The most GPUs up to `gpus` for which there is a layout, 0 where there are none, and the fewest: of the multiples
  /// of what the strategy states inside a node, and of whole nodes with it, doubled again and again. Few, because each
  /// is searched.
  int most_usable(int gpus) const;
  int least_usable(int most) const;

private:
  std::vector<int> scales_up_to(int gpus) const;

  StepSetup setup_;
  Parameters likeliest_;
  int gpus_per_full_node_;
  mutable std::mutex searching_;
  mutable std::map<int, FoundLayout> known_;
};

} // namespace ddlsim
