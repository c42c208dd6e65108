#pragma once
// Searches how a model is split over the GPUs of a scale, for a strategy with "layout": "best", or with that word for
// single degrees.

#include "sim/predict/layout_candidates.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace ddlsim {

/// A layout and its iteration time by the formulas.
struct TimedLayout {
  Strategy strategy;
  StepTime time;
};

/// The result of a search at one scale.
struct FoundLayout {
  /// the strategy with all degrees set; if no layout is possible, a layout whose error gives the reason
  Strategy strategy;
  std::optional<TimedLayout> best{};
  std::optional<TimedLayout> runner_up{};
  /// the fastest layout that does not fit into memory, if it is faster than the best one
  std::optional<TimedLayout> too_large{};
  int tried = 0;             ///< number of possible layouts
  int refused_by_memory = 0; ///< number of these that do not fit into memory
};

/// Chooses the layout with the shortest iteration at each scale. The likeliest sample decides by the formulas, and all
/// samples of a point use its choice. The same arguments give the same choice. A run of one micro-batch estimates each
/// candidate, and those are run whose estimate is within 5 % of the fastest. None is run once 30 million operations have
/// run.
class BestLayout {
public:
  /// `setup` may have any scale. The objects that it refers to must outlive this object.
  BestLayout(const StepSetup& setup, const Parameters& likeliest, int gpus_per_full_node)
      : setup_(setup), likeliest_(likeliest), gpus_per_full_node_(gpus_per_full_node) {}

  /// Returns the best layout at that scale. Threads may call it at the same time; each scale is searched once.
  const FoundLayout& at(int gpus) const;

  /// The largest and the smallest number of GPUs up to a limit for which there is a possible layout; 0 when there is
  /// none. They try multiples of the GPUs that the stated degrees take, up to one node. After that they try whole nodes
  /// that hold such a multiple, doubling their number each time. These are few scales, because each must be searched.
  int most_usable(int gpus) const;
  int least_usable(int most) const;

private:
  std::vector<int> scales_up_to(int gpus) const;
  FoundLayout search(int gpus) const;

  StepSetup setup_;
  Parameters likeliest_;
  int gpus_per_full_node_;
  /// The search at one scale, which holds its lock while it runs.
  struct Search {
    std::mutex running;
    bool is_done = false;
    FoundLayout found;
  };
  mutable std::mutex adding_;
  mutable std::map<int, Search> searches_;
};

} // namespace ddlsim
