#pragma once
// Two questions that differ in one thing: draws them and compares their answers. 30 pairs a relation, by a fixed seed.
#include "sim/predict/predict.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/calibrate/shipped_data.hpp"
#include "tests/collective/machines.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace ddlsim {

// Questions drawn over the shipped clusters, presets, models and strategies, and a data folder in which the question's
// cluster may be changed.

inline const DataFolder shipped_data = ddlsim_test::shipped_data();

/// Samples behind an interval: enough for two beyond each end.
constexpr int relation_samples = 40;

/// Named one by one, so that a new cluster or preset does not draw all questions anew.
inline const std::vector<std::string> question_clusters{"azure-nc24r-k80",
                                                        "azure-nc24rs-v3-v100",
                                                        "deepbench-8gpu-m40",
                                                        "dell-c4140-v100",
                                                        "dgx-a100",
                                                        "dgx1-p100",
                                                        "dgx1-v100",
                                                        "dgx2-v100",
                                                        "dlperf-v100",
                                                        "ec2-p2.xlarge",
                                                        "ec2-p2.16xlarge",
                                                        "g4dn-metal-t4",
                                                        "hkbu-2020",
                                                        "hkbu-2020-ipoib",
                                                        "horovod-pascal",
                                                        "iris",
                                                        "p3dn",
                                                        "p4d",
                                                        "v100-1x-10g-emulated",
                                                        "v100-2x2-roce40"};
inline const std::vector<std::string> question_presets{"pytorch-ddp", "pytorch-mpi",   "horovod", "tf-ps",
                                                       "tf-mirrored", "mxnet-kvstore", "byteps",  "wfbp"};
inline const std::vector<std::string> question_models{"alexnet",      "bert_base_seq64", "googlenet",
                                                      "inception_v3", "resnet152_v1.5",  "resnet50_v1.5",
                                                      "vgg16",        "mobilenet_v2",    "bert_large_seq128"};

inline const std::vector<std::string> question_gpus{"", "", "A100-SXM4-80GB", "P100-PCIe-16GB",
                                                    "T4"}; // "": the cluster's

/// A scenario whose one-GPU rate is stated: what other clusters measured is then not looked for. One strategy, one GPU
/// and two more scales.
class RandomQuestion {
public:
  explicit RandomQuestion(std::uint64_t seed) : random(seed) {
    scenario.name = "question-" + std::to_string(seed);
    scenario.seed = seed;
    scenario.samples = relation_samples;
    choose_machine();
    scenario.model = one_of(question_models);
    scenario.batch_per_gpu = std::pow(2, below(5));
    const double one_gpu_s = log_uniform(random, 0.02, 0.6);
    scenario.one_gpu = StatedRate{scenario.batch_per_gpu / one_gpu_s, 0, 0};
    scenario.strategies = {random_strategy()};
    scenario.gpu = one_of(question_gpus);
  }

  Scenario scenario;
  std::mt19937_64 random;

  int below(int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); }
  const std::string& one_of(const std::vector<std::string>& names) {
    return names[static_cast<std::size_t>(below(static_cast<int>(names.size())))];
  }

  Strategy random_strategy() {
    using enum StrategyName;
    static const std::vector<StrategyName> names{ring, hierarchical_ring, tree, halving_doubling, automatic, ps, ps};
    static const std::vector<Sharding> shardings{Sharding::round_robin, Sharding::bytes, Sharding::split,
                                                 Sharding::pieces, Sharding::hash};
    Strategy strategy;
    strategy.name = names[static_cast<std::size_t>(below(static_cast<int>(names.size())))];
    if (strategy.name != ps) return strategy;
    strategy.servers = {ServerCount::Rule::count, 1 + below(8)};
    strategy.placement = below(2) == 0 ? Placement::dedicated : Placement::colocated;
    strategy.sharding = shardings[static_cast<std::size_t>(below(static_cast<int>(shardings.size())))];
    strategy.on_node_reduce = below(2) == 0;
    return strategy;
  }

private:
  /// A cluster and a preset that has one of its transports; scales that the cluster may grow to.
  void choose_machine() {
    const auto presets = load_presets(shipped_data);
    const Transport* transport = nullptr;
    Cluster cluster;
    while (transport == nullptr) {
      scenario.cluster = one_of(question_clusters);
      scenario.preset = one_of(question_presets);
      cluster = load_cluster(shipped_data, scenario.cluster);
      transport = transport_for(cluster, find_preset(presets, scenario.preset));
    }
    constexpr int most_gpus = 128;
    const int most = std::min(most_gpus, cluster.growth_max_nodes * cluster.gpus_per_node);
    scenario.gpus = {1, 2 + below(most - 1), 2 + below(most - 1)};
    std::sort(scenario.gpus.begin(), scenario.gpus.end());
    scenario.gpus.erase(std::unique(scenario.gpus.begin(), scenario.gpus.end()), scenario.gpus.end());
  }
};

/// The shipped files with one cluster only, which borrows nothing and was never calibrated: what changes in its file
/// then acts through the simulator alone.
class OneClusterFolder {
public:
  explicit OneClusterFolder(const std::string& cluster)
      : cluster_(cluster),
        document_(nlohmann::json::parse(ddlsim_test::text_of(shipped_data.platforms() / cluster / "cluster.json"))) {
    namespace fs = std::filesystem;
    const DataFolder own = data();
    fs::create_directories(own.platforms() / cluster);
    fs::create_directory_symlink(shipped_data.scenarios(), own.scenarios());
    for (const char* name : {"gpus.json", "priors.json"})
      fs::create_symlink(shipped_data.platforms() / name, own.platforms() / name);
    document_.erase("borrows");
    write();
  }

  DataFolder data() const { return {folder_.path()}; }

  /// Another value at a JSON pointer of cluster.json.
  void set(const std::string& pointer, const nlohmann::json& value) {
    document_[nlohmann::json::json_pointer(pointer)] = value;
    write();
  }

private:
  void write() { folder_.write("platforms/" + cluster_ + "/cluster.json", document_.dump()); }

  ddlsim_test::TemporaryFolder folder_;
  std::string cluster_;
  nlohmann::json document_;
};

/// Pairs of each relation; sanitizer builds are ten times slower.
#if defined(__SANITIZE_ADDRESS__)
constexpr int pairs_wanted = 4;
#else
constexpr int pairs_wanted = 30;
#endif
/// Sums of some thousand durations in another order.
constexpr double relation_rounding = 1e-9;

/// The formulas everywhere: full runs of trees and halving-doubling have anomalies of their own (property_test.cpp).
inline const PredictOptions formulas{Fidelity::formula, {}};

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

/// They add up to the iteration.
inline void check_parts(const PredictedPoint& point) {
  INFO(point.gpus << " GPUs");
  CHECK(sum_s(point.parts) == Approx(point.iteration_s).epsilon(relation_rounding));
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

/// `share` is what a change may cost by another choice of the library.
inline void check_never_slower(const Scenario& scenario, const Points& after, const Points& before, double share = 0) {
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    INFO(before[i].gpus << " GPUs");
    CHECK(after[i].error == before[i].error);
    const double rounding = 1 + relation_rounding + share;
    CHECK(after[i].iteration_s <= before[i].iteration_s * rounding + wait_for_a_cycle_s(scenario));
  }
}

} // namespace ddlsim
