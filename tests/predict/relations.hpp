#pragma once
// Two questions that differ in one thing: draws them and compares their answers. 30 pairs a relation, by a fixed seed.

#include "tests/predict/random_question.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <functional>

namespace ddlsim {

/// Pairs of each relation; sanitizer builds are ten times slower.
#if defined(__SANITIZE_ADDRESS__)
constexpr int pairs_wanted = 4;
#else
constexpr int pairs_wanted = 30;
#endif
/// Sums of some thousand durations in another order.
constexpr double relation_rounding = 1e-9;

/// The formulas everywhere: full runs of trees and halving-doubling have anomalies of their own (property_test.cpp).
inline const PredictOptions formulas{Fidelity::closed_form, {}};

using Points = std::vector<PredictedPoint>;

inline Points points_of(const Scenario& scenario, const DataFolder& data) {
  return predict(scenario, data, formulas).strategies.front().points;
}

inline bool any(const Scenario&) {
  return true;
}

inline bool has_servers(const Scenario& scenario) {
  return is_parameter_server(scenario.strategies.front().name);
}

/// Where flows of several servers share links they can pass each other, so that less latency or a quicker path inside
/// nodes may be slower: tests/predict/property_test.cpp.
inline bool is_all_reduce_on_nodes(const Scenario& scenario) {
  return !has_servers(scenario) && load_cluster(shipped_data, scenario.cluster).intra.kind != IntraKind::none;
}

/// Draws questions that `usable` takes until there are `wanted`, and hands each to `compare`.
inline void for_questions(int wanted, const std::function<bool(const Scenario&)>& usable,
                          const std::function<void(RandomQuestion&)>& compare) {
  int drawn = 0;
  for (std::uint64_t seed = 1; drawn < wanted; ++seed) {
    RandomQuestion question(seed);
    if (!usable(question.scenario)) continue;
    const auto& scenario = question.scenario;
    INFO(fmt::format("seed {}: {} with {} on {}, {}", seed, scenario.model, scenario.preset, scenario.cluster,
                     to_text(scenario.strategies.front())));
    ++drawn;
    compare(question);
  }
}

/// Horovod's loop wakes once a cycle: what is ready a moment earlier, or an operation that ends earlier, may leave the
/// next tensors to the next cycle. Whatever gets better, an iteration may become longer by up to that.
inline double wait_for_a_cycle_s(const Scenario& scenario) {
  const auto preset = find_preset(load_presets(shipped_data), scenario.preset);
  return preset.grouping == Grouping::fusion && !has_servers(scenario) ? preset.cycle_s : 0;
}

/// Compute, exposed communication, synchronisation, straggling, input and what is unexplained.
inline void check_parts(const PredictedPoint& point) {
  INFO(point.gpus << " GPUs");
  CHECK(point.compute_s + point.exposed_communication_s + point.synchronisation_s + point.straggling_s +
            point.input_wait_s + point.bubble_s + point.unexplained_s ==
        Approx(point.iteration_s).epsilon(relation_rounding));
}

/// Asks for the largest efficient scale of the first strategy and for the next one: a GPU more inside a node, else a
/// node more.
inline void check_largest_scale(Scenario scenario, const LargestEfficientScale& found, const PredictOptions& options) {
  const auto cluster = load_cluster(shipped_data, scenario.cluster);
  const int per_node = scenario.gpus_per_node > 0 ? scenario.gpus_per_node : cluster.gpus_per_node;
  scenario.gpus = {found.gpus, found.gpus < per_node ? found.gpus + 1 : found.gpus + per_node};
  const auto points = predict(scenario, shipped_data, options).strategies.front().points;
  INFO("bound " << scenario.efficiency_bound << ", " << found.gpus << " GPUs");
  REQUIRE(points.front().error.empty());
  CHECK(points.front().efficiency >= scenario.efficiency_bound);
  if (points.back().error.empty()) CHECK(points.back().efficiency < scenario.efficiency_bound);
  CHECK(found.beyond_growth == !points.back().error.empty());
}

inline void check_never_slower(const Scenario& scenario, const Points& after, const Points& before) {
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    INFO(before[i].gpus << " GPUs");
    CHECK(after[i].error == before[i].error);
    CHECK(after[i].iteration_s <= before[i].iteration_s * (1 + relation_rounding) + wait_for_a_cycle_s(scenario));
  }
}

} // namespace ddlsim
