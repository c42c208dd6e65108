#include "sim/predict/largest_efficient_scale.hpp"

#include "sim/base/statistics.hpp"
#include "sim/base/threads.hpp"
#include "sim/iteration/hybrid_shards.hpp"
#include "sim/iteration/optimizer_update.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "sim/iteration/step_cache.hpp"
#include "sim/predict/input.hpp"
#include "sim/predict/interval.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

/// Number of samples behind the interval of the largest efficient scale. Its ends are whole nodes, which 5 samples
/// beyond each end determine well enough.
constexpr std::size_t samples_of_largest_scale = 100;

/// Share of the bound below which a falling curve is not followed, because no term of the model brings it back up.
constexpr double lost_share = 0.5;

/// The most GPUs of the search: those of the cluster's growth, or of one node for a transport that stays inside it.
int most_gpus(const Curve& curve) {
  return curve.setup.transport.nic.empty() ? std::min(curve.gpus_per_full_node, curve.growth_gpus) : curve.growth_gpus;
}

/// The most GPUs up to `gpus` that the strategy can use; a pipeline leaves the rest idle. 0 when its stages alone need
/// more, or when no layout is possible.
int most_usable(const Curve& curve, int gpus) {
  const auto& setup = curve.setup;
  const auto& sharded = setup.strategy.sharded;
  if (sharded.shard_group != ShardedOptions::all_ranks)
    return most_gpus_in_groups(ranks_of_shard_group(sharded, gpus, curve.gpus_per_full_node), gpus);
  if (!is_model_parallel(setup.strategy.name)) return gpus;
  if (curve.best_layout) return curve.best_layout->most_usable(gpus);
  return most_gpus_laid_out(setup.strategy.parallel, gpus, curve.gpus_per_full_node,
                            domain_nodes(setup.cluster, setup.transport));
}

/// The largest scale up to `gpus` that the strategy can use; else that of a replica, or of those that hold all experts.
int usable_scale(const Curve& curve, int gpus) {
  const int usable = most_usable(curve, gpus);
  if (usable == 0 && curve.best_layout) return curve.best_layout->least_usable(most_gpus(curve));
  if (usable > 0) return usable;
  const auto& parallel = curve.setup.strategy.parallel;
  const int of_experts = parallel.ranks_of_expert() * parallel.expert;
  return parallel.pipeline * std::lcm(of_experts, parallel.tensor * parallel.context);
}

/// Efficiencies of the samples of one curve. The residual at a scale is the same for all samples and costs simulations
/// of its own, so it is kept. So is the cache that one sample's run leaves for the next.
class SampleEfficiencies {
public:
  SampleEfficiencies(const Curve& curve, int against_gpus)
      : curve_(curve), against_{against_gpus == 1 ? without_shared_update(at_scale(curve, 1))
                                                  : at_scale(curve, against_gpus),
                                against_gpus == 1 ? ModelError{} : model_error_at(curve, against_gpus),
                                {}} {}

  const Curve& curve() const { return curve_; }
  double at(const Parameters& sample, int gpus) {
    ScaleOnCurve& there = known(usable_scale(curve_, gpus));
    const auto before = against_.setup.gpus == 1 ? sample : estimated(curve_, sample, against_.unexplained);
    return iteration_s(against_, before) / iteration_s(there, estimated(curve_, sample, there.unexplained));
  }

private:
  struct ScaleOnCurve {
    StepSetup setup;
    ModelError unexplained;
    std::vector<StepCache> memories; ///< caches that no thread is using
  };

  ScaleOnCurve& known(int gpus) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto known = known_.find(gpus);
      if (known != known_.end()) return known->second;
    }
    ScaleOnCurve found{at_scale(curve_, gpus), model_error_at(curve_, gpus), {}};
    const std::lock_guard<std::mutex> lock(mutex_);
    return known_.emplace(gpus, std::move(found)).first->second;
  }

  double iteration_s(ScaleOnCurve& there, const Parameters& sample) {
    StepCache memory = take_memory(there);
    memory.divides = false;
    const double found_s = time_step(there.setup, sample, Fidelity::formula, memory).iteration_s;
    const std::lock_guard<std::mutex> lock(mutex_);
    there.memories.push_back(std::move(memory));
    return found_s;
  }

  StepCache take_memory(ScaleOnCurve& there) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (there.memories.empty()) return {};
    StepCache memory = std::move(there.memories.back());
    there.memories.pop_back();
    return memory;
  }

  const Curve& curve_;
  ScaleOnCurve against_; ///< the GPUs to which efficiency is relative: one, or those at hand
  std::mutex mutex_;     // two threads compute samples
  std::map<int, ScaleOnCurve> known_;
};

int largest_scale_inside_node(SampleEfficiencies& efficiencies, const Parameters& sample, double bound) {
  int gpus = std::min(efficiencies.curve().gpus_per_full_node, most_gpus(efficiencies.curve()));
  while (gpus > 1 && efficiencies.at(sample, gpus) < bound) --gpus;
  return gpus;
}

/// The numbers of nodes between which a sample's largest scale lies.
struct Bracket {
  int good = 0; ///< a number of nodes that reaches the bound
  int bad = 0;  ///< a number of nodes that does not reach it; 0: the cluster cannot grow to such a number

  bool is_settled() const { return bad <= good + 1; }
  int highest() const { return std::max(good, bad - 1); }
};

bool holds(SampleEfficiencies& efficiencies, const Parameters& sample, double bound, int nodes) {
  return efficiencies.at(sample, nodes * efficiencies.curve().gpus_per_full_node) >= bound;
}

/// Finds a bracket by doubling the nodes. The bracket has 0 nodes when not even one node reaches the bound.
Bracket bracket_of_sample(SampleEfficiencies& efficiencies, const Parameters& sample, double bound) {
  const int per_node = efficiencies.curve().gpus_per_full_node;
  const int most = std::max(1, most_gpus(efficiencies.curve()) / per_node);
  Bracket bracket;
  for (int nodes = 1; nodes <= most; nodes = nodes < most ? std::min(2 * nodes, most) : most + 1) {
    const double reached = efficiencies.at(sample, nodes * per_node);
    if (reached >= bound) {
      bracket = {nodes, 0};
    } else if (bracket.bad == 0) {
      bracket.bad = nodes;
    }
    if (reached < lost_share * bound) break;
  }
  if (bracket.good == 0) bracket.bad = 0;
  return bracket;
}

void halve(SampleEfficiencies& efficiencies, const Parameters& sample, double bound, Bracket& bracket) {
  const int middle = bracket.good + (bracket.bad - bracket.good) / 2;
  (holds(efficiencies, sample, bound, middle) ? bracket.good : bracket.bad) = middle;
}

int gpus_of(SampleEfficiencies& efficiencies, const Parameters& sample, double bound, const Bracket& settled) {
  if (settled.good == 0) return largest_scale_inside_node(efficiencies, sample, bound);
  return settled.good * efficiencies.curve().gpus_per_full_node;
}

int largest_scale_of_sample(SampleEfficiencies& efficiencies, const Parameters& sample, double bound) {
  auto bracket = bracket_of_sample(efficiencies, sample, bound);
  while (!bracket.is_settled()) halve(efficiencies, sample, bound, bracket);
  return gpus_of(efficiencies, sample, bound, bracket);
}

/// Returns single quantiles of the largest scales of many samples. It does not refine the bracket of a sample that
/// cannot be the quantile.
class LargestScales {
public:
  LargestScales(SampleEfficiencies& efficiencies, double bound) : efficiencies_(efficiencies), bound_(bound) {
    const Curve& curve = efficiencies.curve();
    const std::size_t stride = std::max<std::size_t>(1, curve.samples.values.size() / samples_of_largest_scale);
    for (std::size_t i = 0; i < curve.samples.values.size(); i += stride) samples_.push_back(&curve.samples.values[i]);
    brackets_.resize(samples_.size());
    for_each_sample([&](std::size_t i) { brackets_[i] = bracket_of_sample(efficiencies_, *samples_[i], bound_); });
  }

  /// Returns the quantile of the samples' scales. It is the scale of one sample, so it is a whole number of nodes.
  int gpus_at(double probability) {
    const auto place = static_cast<std::size_t>(std::lround(probability * static_cast<double>(samples_.size() - 1)));
    while (true) {
      const int lowest = nodes_at(place, [](const Bracket& bracket) { return bracket.good; });
      const int highest = nodes_at(place, [](const Bracket& bracket) { return bracket.highest(); });
      if (lowest == 0 && highest == 0) return gpus_inside_node_at(place);
      if (lowest == highest) return lowest * efficiencies_.curve().gpus_per_full_node;
      for_each_sample([&](std::size_t i) {
        Bracket& bracket = brackets_[i];
        const bool may_stand_there = bracket.highest() >= lowest && bracket.good <= highest;
        if (may_stand_there && !bracket.is_settled()) halve(efficiencies_, *samples_[i], bound_, bracket);
      });
    }
  }

private:
  template <class Work> void for_each_sample(const Work& work) {
    for_each_number(samples_.size(), efficiencies_.curve().threads, work);
  }

  template <class Nodes> int nodes_at(std::size_t place, const Nodes& nodes_of) const {
    std::vector<int> nodes;
    for (const Bracket& bracket : brackets_) nodes.push_back(nodes_of(bracket));
    std::nth_element(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(place), nodes.end());
    return nodes[place];
  }

  /// Returns the quantile where it is less than one node. Every sample below it fails at one node, too.
  int gpus_inside_node_at(std::size_t place) const {
    std::vector<int> gpus;
    for (std::size_t i = 0; i < samples_.size(); ++i)
      if (brackets_[i].good == 0) gpus.push_back(largest_scale_inside_node(efficiencies_, *samples_[i], bound_));
    std::sort(gpus.begin(), gpus.end());
    return gpus[place];
  }

  SampleEfficiencies& efficiencies_;
  double bound_;
  std::vector<const Parameters*> samples_;
  std::vector<Bracket> brackets_;
};

/// Efficiencies by predict_point() at the scales of the search. Scale 1 is one GPU. The next scales are all numbers of
/// GPUs in a node, and then all numbers of whole nodes.
class PredictedScales {
public:
  PredictedScales(const Curve& curve, double bound, Fidelity fidelity, const std::map<int, double>& known,
                  int against_gpus)
      : curve_(curve), bound_(bound), fidelity_(fidelity), against_(against_gpus == 1 ? 1 : known.at(against_gpus)),
        per_node_(std::min(curve.gpus_per_full_node, most_gpus(curve))) {
    for (const auto& [gpus, efficiency] : known)
      if (gpus_of(scale_of(gpus)) == gpus) known_[scale_of(gpus)] = efficiency / against_;
  }

  int gpus_of(int scale) const { return scale <= per_node_ ? scale : (scale - per_node_ + 1) * per_node_; }
  int scale_of(int gpus) const { return gpus <= per_node_ ? gpus : gpus / per_node_ + per_node_ - 1; }
  int most() const { return scale_of(most_gpus(curve_)); }

  bool holds(int scale) { return scale <= 1 || shown(scale) >= bound_; }

  /// Returns the efficiency at a scale. SimGrid takes up to seconds for a scale, so at scales that it did not run this
  /// is the formula's efficiency times SimGrid's ratio to it at the nearest scale that it ran.
  double shown(int scale) {
    if (is_known(scale) || known_.empty()) return run(scale);
    const auto distance = [&](int other) { return std::abs(std::log(1.0 * gpus_of(other) / gpus_of(scale))); };
    const auto nearest = std::min_element(known_.begin(), known_.end(), [&](const auto& one, const auto& other) {
      return distance(one.first) < distance(other.first);
    });
    return by_formula(scale) * nearest->second / by_formula(nearest->first);
  }

  bool is_known(int scale) const { return known_.contains(scale); }

  /// Runs one scale. Where the fidelity cannot time it, the formulas do. Where the point is an error, the likeliest
  /// sample by the formulas answers, and a single GPU is the last resort.
  double run(int scale) {
    const auto [known, is_new] = known_.try_emplace(scale, 0);
    if (!is_new) return known->second;
    const int gpus = usable_scale(curve_, gpus_of(scale));
    const auto found = predicted_efficiency(curve_, gpus, fidelity_);
    if (found) losses_[gpus] = found->largest_loss;
    return known->second = found ? found->efficiency / against_ : by_formula(scale);
  }

  /// The largest loss beside compute at that scale. It runs predict_point() where that was not run.
  std::string largest_loss(int gpus) const {
    const auto run_here = losses_.find(gpus);
    if (run_here != losses_.end()) return run_here->second;
    return time_step(at_scale(curve_, gpus), curve_.median, fidelity_).largest_loss;
  }

private:
  double by_formula(int scale) {
    const auto [known, is_new] = by_formula_.try_emplace(scale, 0);
    if (!is_new) return known->second;
    const int gpus = usable_scale(curve_, gpus_of(scale));
    const auto found = predicted_efficiency(curve_, gpus, Fidelity::formula);
    return known->second = (found ? found->efficiency : efficiency(curve_, curve_.median, gpus)) / against_;
  }

  const Curve& curve_;
  double bound_;
  Fidelity fidelity_;
  double against_; ///< efficiency, relative to one GPU, of the GPUs to which `bound_` is relative
  int per_node_;
  std::map<int, double> known_;
  std::map<int, std::string> losses_; ///< losses by number of GPUs, for the scales that were run
  std::map<int, double> by_formula_;
};

/// Estimates the scale at which the efficiency crosses the bound: by the formulas, scaled to the result of
/// predict_point() at one scale.
class CrossingEstimate {
public:
  CrossingEstimate(SampleEfficiencies& efficiencies, PredictedScales& scales, double bound)
      : efficiencies_(efficiencies), scales_(scales), bound_(bound) {}

  int first() { return crossing_at(bound_); }

  /// Returns the estimate, if the ratio of predict_point() to the formula at this scale holds at all scales.
  int after(int scale) {
    const double by_formula = efficiencies_.at(efficiencies_.curve().median, scales_.gpus_of(scale));
    return crossing_at(bound_ * by_formula / scales_.shown(scale));
  }

private:
  int crossing_at(double bound) {
    return scales_.scale_of(largest_scale_of_sample(efficiencies_, efficiencies_.curve().median, bound));
  }

  SampleEfficiencies& efficiencies_;
  PredictedScales& scales_;
  double bound_;
};

/// Finds a scale that reaches the bound while the next one does not. It goes up by estimates, and down by steps that at
/// most double, so that it does not miss a crossing near the first estimate. Between a scale that reaches the bound and
/// one that does not, it tries one estimate and then bisects. In the upper half it tries the most GPUs at once; if
/// these reach the bound, they are the result.
int find_crossing(PredictedScales& scales, CrossingEstimate& guess) {
  const int most = scales.most();
  int good = 1;
  int bad = most + 1;
  int next = std::clamp(guess.first(), 1, most);
  int stride = std::max(1, next / 64);
  bool was_enclosed = false;
  while (bad > good + 1) {
    next = std::clamp(next, good + 1, bad - 1);
    (scales.holds(next) ? good : bad) = next;
    if (bad > most && 2 * good >= most && scales.holds(most)) return most;
    const bool is_enclosed = good > 1 && bad <= most;
    next = was_enclosed ? good + (bad - good) / 2 : guess.after(next);
    if (good == 1) next = std::max(next, bad - std::exchange(stride, 2 * stride));
    was_enclosed = is_enclosed;
  }
  return good;
}

/// The largest scale at or above the bound. SimGrid runs it and the next scale. The search continues where they differ
/// from their estimates.
int find_simulated_crossing(PredictedScales& scales, CrossingEstimate& guess) {
  constexpr int most_runs = 12;
  int scale = find_crossing(scales, guess);
  for (int i = 0; i < most_runs; ++i) {
    const bool is_next_open = scale < scales.most() && !scales.is_known(scale + 1);
    if (scales.is_known(scale) && !is_next_open) break;
    scales.run(scales.is_known(scale) ? scale + 1 : scale);
    scale = find_crossing(scales, guess);
  }
  return scale;
}

/// Returns the fidelity to use: full simulations of thousands of GPUs take minutes or are refused, so the default
/// replaces `full`; it stays within a second.
Fidelity affordable(Fidelity requested) {
  return requested == Fidelity::formula ? requested : Fidelity::by_default;
}

/// The bound for the formula's efficiency of the likeliest sample that corresponds to `bound` for predict_point() at
/// that scale.
double bound_by_formula(SampleEfficiencies& efficiencies, PredictedScales& scales, double bound, int gpus) {
  if (gpus <= 1) return bound;
  return bound * efficiencies.at(efficiencies.curve().median, gpus) / scales.shown(scales.scale_of(gpus));
}

/// Whether replicas need several GPUs each, so that some numbers of nodes cannot be used.
bool is_in_groups(const Strategy& strategy) {
  return is_model_parallel(strategy.name) || strategy.sharded.shard_group > 0;
}

/// Whether the cluster cannot grow to the next scale that the strategy can use.
bool is_last_scale(const Curve& curve, int gpus) {
  const int most = most_gpus(curve);
  if (is_in_groups(curve.setup.strategy)) return gpus > 0 && gpus == most_usable(curve, most);
  return gpus >= curve.gpus_per_full_node && gpus + curve.gpus_per_full_node > most;
}

} // namespace

LargestEfficientScale find_largest_efficient_scale(const Curve& curve, double efficiency_bound, Fidelity fidelity,
                                                   const std::map<int, double>& known, int against_gpus) {
  LargestEfficientScale largest_scale;
  if (curve.best_layout && curve.best_layout->least_usable(most_gpus(curve)) == 0) return largest_scale;
  SampleEfficiencies efficiencies(curve, against_gpus);
  PredictedScales scales(curve, efficiency_bound, affordable(fidelity), known, against_gpus);
  CrossingEstimate guess(efficiencies, scales, efficiency_bound);
  const int shown_gpus = scales.gpus_of(find_simulated_crossing(scales, guess));
  largest_scale.gpus = most_usable(curve, shown_gpus);
  LargestScales of_samples(efficiencies, bound_by_formula(efficiencies, scales, efficiency_bound, shown_gpus));
  largest_scale.gpus_low = std::min(largest_scale.gpus, most_usable(curve, of_samples.gpus_at(low_tail)));
  largest_scale.gpus_high = std::max(largest_scale.gpus, most_usable(curve, of_samples.gpus_at(high_tail)));
  largest_scale.beyond_growth = is_last_scale(curve, largest_scale.gpus);
  largest_scale.bottleneck = scales.largest_loss(usable_scale(curve, largest_scale.gpus));
  return largest_scale;
}

} // namespace ddlsim
