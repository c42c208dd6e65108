#include "diagnose/diagnose.hpp"
#include "diagnose/other_curves.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/record.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/known_files.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

// Every log that is shipped is of a cluster that was as it should be: each is diagnosed with its own cluster. The tables that
// are printed stand in docs/diagnosis.md.

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// One run over scales, or one table over sizes.
struct VisibleLog {
  std::string name;
  std::string transport;
  const StepRecord* step = nullptr; ///< the first; null of collectives
  std::optional<StrategyName> algorithm;
  std::vector<Observation> points;
  std::vector<std::pair<int, int>> stands; ///< GPUs and nodes
  int gpus_per_node = 0;                   ///< as the records say
};

void add(VisibleLog& log, const Observation& point, int nodes) {
  log.points.push_back(point);
  log.stands.emplace_back(point.gpus, nodes);
  if (nodes > 0) log.gpus_per_node = std::max(log.gpus_per_node, (point.gpus + nodes - 1) / nodes);
}

std::vector<VisibleLog> logs_of(const MeasurementFile& file) {
  std::map<std::tuple<std::string, std::string, std::string, std::string, double, std::string, std::string>, VisibleLog>
      logs;
  for (const auto& record : file.records) {
    if (head_of(record).suspect) continue;
    const auto& head = head_of(record);
    if (const auto* one = std::get_if<CollectiveRecord>(&record)) {
      const auto what = collective_named(one->operation);
      if (!what || one->concurrent_jobs > 1 || one->size_bytes <= 0 || one->ranks < 2) continue;
      auto& log = logs[{head.series, head.transport, one->operation, one->algorithm, 0, "", ""}];
      log.transport = head.transport;
      log.algorithm = value_named<StrategyName>(one->algorithm);
      add(log, {*what, one->ranks, one->size_bytes, one->time_s, ""}, one->nodes);
    }
    const auto* step = std::get_if<StepRecord>(&record);
    if (step == nullptr || step->mode != RunMode::train || !step->synchronised || step->quoted) continue;
    if (head.device == "cpu" && !head.gpu.empty()) continue;
    auto& log = logs[{head.series, head.transport, step->model, to_text(step->strategy), step->batch_per_gpu,
                      to_text(step->precision), step->preset}];
    if (log.step == nullptr) log.step = step;
    log.transport = head.transport;
    add(log, {Observed::iteration, step->gpus, 0, step->iteration_s, ""}, step->nodes);
  }
  std::vector<VisibleLog> all;
  for (auto& [key, log] : logs) {
    log.name = std::get<0>(key) + " " + std::get<2>(key);
    const bool several =
        std::any_of(log.points.begin(), log.points.end(), [](const Observation& one) { return one.gpus > 1; });
    if (several) all.push_back(std::move(log));
  }
  return all;
}

Scenario scenario_of(const VisibleLog& log, const Cluster& cluster) {
  Scenario scenario;
  scenario.name = log.name;
  scenario.cluster = cluster.name;
  scenario.model = log.step != nullptr ? log.step->model : "resnet50_v1.5";
  scenario.batch_per_gpu = log.step != nullptr ? log.step->batch_per_gpu : 1;
  if (log.step != nullptr) scenario.precision = log.step->precision;
  const bool mpi = log.transport.starts_with("mpi");
  scenario.preset = log.step != nullptr ? log.step->preset : mpi ? "pytorch-mpi" : "pytorch-ddp";
  if (transport_named(cluster, log.transport) != nullptr) scenario.transport = log.transport;
  if (log.step != nullptr) scenario.series = log.step->head.series;
  Strategy strategy;
  strategy.name = log.algorithm.value_or(StrategyName::automatic);
  if (log.step != nullptr) strategy = log.step->strategy;
  if (strategy.name == StrategyName::all_reduce || strategy.name == StrategyName::none)
    strategy.name = StrategyName::automatic;
  scenario.strategies = {strategy};
  scenario.gpus = {log.points.front().gpus};
  if (log.gpus_per_node > 0 && log.gpus_per_node < cluster.gpus_per_node) {
    const bool filled = std::all_of(log.stands.begin(), log.stands.end(), [&](const auto& stand) {
      return stand.second < 1 || (stand.first + cluster.gpus_per_node - 1) / cluster.gpus_per_node == stand.second;
    });
    if (!filled) scenario.gpus_per_node = log.gpus_per_node;
  }
  return scenario;
}

/// What is known: all files as they are, or what a newcomer has of the cluster: its file and priors of others.
enum class Shown { all, cluster_file };

struct Tally {
  int asked = 0;
  int ill = 0;
  int not_askable = 0;
};

void judge_log(const VisibleLog& log, const Cluster& cluster, const DataFolder& data, Shown shown, Tally& tally) {
  const auto scenario = scenario_of(log, cluster);
  try {
    const KnownFiles files(scenario, data);
    auto knowledge = files.knowledge();
    const auto priors = priors_without(knowledge.priors, cluster.name);
    const Knowledge newcomer{
        knowledge.cluster, knowledge.gpus, knowledge.presets, priors, nullptr, knowledge.one_gpu_time, {},
        knowledge.inputs};
    const auto curve =
        make_curve(scenario, scenario.strategies.front(), files.model(), shown == Shown::all ? knowledge : newcomer);
    const OtherClusters others(scenario, curve, data);
    constexpr int draws = 199;
    const auto diagnosis = diagnose(curve, log.points, {0.05, 1, draws}, others.curves());
    ++tally.asked;
    if (diagnosis.verdict != Verdict::ill) return;
    ++tally.ill;
    const auto& cause = diagnosis.causes.front();
    fmt::print("  ill: {} {} ({} points, {:.3f}): {} {:.2f} chance {:.2f}\n", cluster.name, log.name, log.points.size(),
               diagnosis.chance_if_healthy, cause.row.name, cause.severity, cause.chance);
  } catch (const UserError& error) {
    ++tally.not_askable;
    fmt::print("  not askable: {} {}: {}\n", cluster.name, log.name, error.mistakes().front().what.substr(0, 120));
  }
}

void judge_cluster(const Cluster& cluster, const DataFolder& data, Shown shown, Tally& steps, Tally& collectives) {
  const auto folder = data.platforms_of(cluster.name) / cluster.name / "measurements";
  if (!fs::exists(folder)) return;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    const auto file = read_measurements(path);
    for (const auto& log : logs_of(file))
      judge_log(log, cluster, data, shown, log.step != nullptr ? steps : collectives);
  }
}

void print(const char* what, const Tally& tally) {
  fmt::print("{:<50} {:4} of {:4} called ill; {} not askable\n", what, tally.ill, tally.asked, tally.not_askable);
}

void judge_shipped(Shown shown, Tally& steps, Tally& collectives) {
  const DataFolder data{DDLSIM_SOURCE_DIR};
  for (const auto& name : list_clusters(data)) judge_cluster(load_cluster(data, name), data, shown, steps, collectives);
}

} // namespace

TEST_CASE("shipped logs are as healthy as their calibrated clusters", "[.visible]") {
  Tally steps;
  Tally collectives;
  judge_shipped(Shown::all, steps, collectives);
  print("steps, all known", steps);
  print("collectives, all known", collectives);
  CHECK(steps.ill <= 0.05 * steps.asked);
  CHECK(collectives.ill <= 0.05 * collectives.asked);
}

TEST_CASE("shipped logs are healthy for a newcomer, who has the cluster's file and other sites' priors", "[.visible]") {
  Tally steps;
  Tally collectives;
  judge_shipped(Shown::cluster_file, steps, collectives);
  print("steps, cluster file only", steps);
  print("collectives, cluster file only", collectives);
  CHECK(steps.ill <= 0.05 * steps.asked);
  CHECK(collectives.ill <= 0.05 * collectives.asked);
}

TEST_CASE("logs that nothing learns from are healthy", "[.visible]") {
  Tally steps;
  Tally collectives;
  for (const auto& entry : fs::directory_iterator(DDLSIM_SOURCE_DIR "/platforms/held-out")) {
    const auto data = with_own_cluster(DataFolder{DDLSIM_SOURCE_DIR}, entry.path());
    judge_cluster(load_cluster(data, entry.path().filename().string()), data, Shown::all, steps, collectives);
  }
  print("steps, held out", steps);
  print("collectives, held out", collectives);
  CHECK(steps.ill + collectives.ill <= 0.05 * (steps.asked + collectives.asked) + 1);
}

} // namespace ddlsim
