#include "diagnose/evidence.hpp"
#include "diagnose/sampled_times.hpp"
#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/record.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/known_files.hpp"
#include "tests/calibrate/shipped_data.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>

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

/// The fields in which the records of one log agree; the last three are of steps only.
struct LogKey {
  std::string series;
  std::string transport;
  std::string model_or_operation;
  std::string strategy_or_algorithm;
  double batch_per_gpu = 0;
  std::string precision{};
  std::string preset{};
  auto operator<=>(const LogKey&) const = default;
};

std::vector<VisibleLog> logs_of(const MeasurementFile& file) {
  std::map<LogKey, VisibleLog> logs;
  for (const auto& record : file.records) {
    if (head_of(record).suspect) continue;
    const auto& head = head_of(record);
    if (const auto* one = std::get_if<CollectiveRecord>(&record)) {
      const auto what = collective_named(one->operation);
      if (!what || one->concurrent_jobs > 1 || one->size_bytes <= 0 || one->ranks < 2) continue;
      auto& log = logs[LogKey{head.series, head.transport, one->operation, one->algorithm}];
      log.transport = head.transport;
      log.algorithm = value_named<StrategyName>(one->algorithm);
      add(log, {*what, one->ranks, one->size_bytes, one->time_s, ""}, one->nodes);
    }
    const auto* step = std::get_if<StepRecord>(&record);
    if (step == nullptr || step->mode != RunMode::train || !step->synchronised) continue;
    if (head.device == "cpu" && !head.gpu.empty()) continue;
    auto& log = logs[LogKey{head.series, head.transport, step->model, to_text(step->strategy), step->batch_per_gpu,
                            to_text(step->precision), step->preset}];
    if (log.step == nullptr) log.step = step;
    log.transport = head.transport;
    add(log, {Measured::step, step->gpus, 0, step->iteration_s, ""}, step->nodes);
  }
  std::vector<VisibleLog> all;
  for (auto& [key, log] : logs) {
    log.name = key.series + " " + key.model_or_operation;
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
  if (log.step == nullptr) scenario.one_gpu = StatedRate{1};
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

/// What is known: all files as they are, or what a newcomer has of the cluster: its file and what other sites say.
enum class Shown { all, cluster_file };

/// The curve of a log's question, and what it refers to.
struct AskedLog {
  Scenario scenario;
  KnownFiles files;
  PriorBook priors;
  Knowledge of_cluster_file;
  std::optional<Curve> curve;

  AskedLog(const VisibleLog& log, const Cluster& cluster, const DataFolder& data, const MeasuredTimes& measured,
           Shown shown)
      : scenario(scenario_of(log, cluster)), files(scenario, data, &measured),
        priors(without_site(files.knowledge().priors, cluster.site)), of_cluster_file{files.knowledge().cluster,
                                                                                      files.knowledge().gpus,
                                                                                      files.knowledge().presets,
                                                                                      priors,
                                                                                      nullptr,
                                                                                      files.knowledge().one_gpu_time,
                                                                                      {},
                                                                                      files.knowledge().inputs},
        curve(make_curve(scenario, scenario.strategies.front(), files.model(),
                         shown == Shown::all ? files.knowledge() : of_cluster_file)) {}
};

const MeasuredTimes& measured_times() {
  static const auto measured = read_measured_times(DataFolder{DDLSIM_SOURCE_DIR});
  return measured;
}

using Look = std::function<void(const AskedLog& asked, const VisibleLog& log)>;

void look_at(const VisibleLog& log, const Cluster& cluster, const DataFolder& data, Shown shown, const Look& look) {
  try {
    look(AskedLog(log, cluster, data, measured_times(), shown), log);
  } catch (const UserError& error) {
    fmt::print("  not askable: {} {}: {}\n", cluster.name, log.name, error.mistakes().front().what.substr(0, 120));
  }
}

void look_at_cluster(const Cluster& cluster, const DataFolder& data, Shown shown, const Look& look) {
  const auto folder = data.platforms_of(cluster.name) / cluster.name / "measurements";
  if (!fs::exists(folder)) return;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<VisibleLog> all;
  std::vector<MeasurementFile> kept; // logs refer to their records
  for (const auto& path : files) {
    auto file = read_measurements(path);
    auto logs = logs_of(file);
    all.insert(all.end(), std::make_move_iterator(logs.begin()), std::make_move_iterator(logs.end()));
    kept.push_back(std::move(file));
  }
  constexpr std::size_t most = 16; // of one cluster, evenly chosen
  const double every = std::max(1.0, static_cast<double>(all.size()) / most);
  for (double i = 0; i < static_cast<double>(all.size()); i += every)
    look_at(all[static_cast<std::size_t>(i)], cluster, data, shown, look);
}

void look_at_shipped(Shown shown, const Look& look) {
  const auto data = ddlsim_test::shipped_data();
  for (const auto& name : list_clusters(data)) look_at_cluster(load_cluster(data, name), data, shown, look);
}

void look_at_held_out(const Look& look) {
  for (const auto& entry : fs::directory_iterator(DDLSIM_SOURCE_DIR "/platforms/held-out")) {
    const auto data = with_own_cluster(DataFolder{DDLSIM_SOURCE_DIR}, entry.path());
    look_at_cluster(load_cluster(data, entry.path().filename().string()), data, Shown::all, look);
  }
}

struct Tally {
  int asked = 0;
  int not_normal = 0;
};

enum class Kind { iterations, collectives };

Look judging(Tally& tally, Kind kind) {
  return [&tally, kind](const AskedLog& asked, const VisibleLog& log) {
    if ((log.step != nullptr) != (kind == Kind::iterations)) return;
    constexpr int draws = 399;
    const auto diagnosis = diagnose(*asked.curve, log.points, {0.05, 1, draws});
    ++tally.asked;
    if (diagnosis.verdict != Verdict::not_normal) return;
    ++tally.not_normal;
    const auto& cause = diagnosis.causes.front();
    fmt::print("  {} of {} not normal: {} {} ({} points, {:.3f}): {} {:.2f} chance {:.2f}\n", tally.not_normal,
               tally.asked, asked.scenario.cluster, log.name, log.points.size(), diagnosis.chance_if_healthy,
               cause.row.name, cause.severity, cause.chance);
  };
}

/// The level's share, and two standard deviations of so few logs.
double most_not_normal(const Tally& tally) {
  const double expected = 0.05 * tally.asked;
  return expected + 2 * std::sqrt(expected);
}

void print(const char* what, const Tally& tally) {
  fmt::print("{:<32} {:3} of {:3} called not normal\n", what, tally.not_normal, tally.asked);
}

// By how much healthy logs differ: the likelihood of all of them where a share of them differs by so much.

constexpr double shares[] = {0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5, 1};
constexpr double commons[] = {0, 0.05, 0.1, 0.2, 0.3, 0.5};
constexpr double owns[] = {0, 0.05, 0.1, 0.2, 0.4};

/// ln of the density of one log by the pair of its differences, the first without any.
using Densities = std::vector<double>;

Eigen::VectorXd ln_times_of(const std::vector<Observation>& points) {
  Eigen::VectorXd all(static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) all(static_cast<Eigen::Index>(i)) = std::log(points[i].time_s);
  return all;
}

Look comparing(std::vector<Densities>& steps, std::vector<Densities>& collectives) {
  return [&](const AskedLog& asked, const VisibleLog& log) {
    const auto points = merged(log.points);
    for (const auto& one : points)
      if (!why_not_comparable(*asked.curve, one).empty()) return;
    auto ln_times = ln_times_of(points);
    const auto healthy = SampledTimes(*asked.curve, points).healthy();
    const auto scatter = scatter_of(*asked.curve, points);
    for (Eigen::Index i = 0; i < ln_times.size(); ++i) { // faster is no fault
      const Eigen::RowVectorXd healthy_ln_times = healthy.row(i);
      ln_times(i) = std::max(ln_times(i), median({healthy_ln_times.begin(), healthy_ln_times.end()}) + scatter.mean(i));
    }
    Densities densities;
    for (const double common : commons)
      for (const double own : owns) {
        densities.push_back(
            ln_density(component_of(scatter_of_atypical(scatter, {1, common, own}), healthy, 1), ln_times));
      }
    (log.step != nullptr ? steps : collectives).push_back(std::move(densities));
  };
}

void print(const char* what, const std::vector<Densities>& logs) {
  struct Fit {
    double ln_likelihood = 0;
    AtypicalLogs atypical;
  };
  std::vector<Fit> fits;
  for (const double share : shares)
    for (std::size_t i = 0; i < std::size(commons) * std::size(owns); ++i) {
      Fit fit{0, {share, commons[i / std::size(owns)], owns[i % std::size(owns)]}};
      for (const auto& log : logs)
        fit.ln_likelihood += log[0] + std::log((1 - share) + share * std::exp(std::min(600.0, log[i] - log[0])));
      fits.push_back(fit);
    }
  std::sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.ln_likelihood > b.ln_likelihood; });
  fmt::print("{}: {} logs; ln likelihood below the best, share that differs, by a common factor, by own ones\n", what,
             logs.size());
  for (std::size_t i = 0; i < 8; ++i)
    fmt::print("  {:8.1f}   {:.2f} {:.2f} {:.2f}\n", fits[i].ln_likelihood - fits[0].ln_likelihood,
               fits[i].atypical.share, fits[i].atypical.common, fits[i].atypical.own);
}

} // namespace

TEST_CASE("by how much healthy logs differ beyond what is predicted", "[.visible]") {
  for (const auto shown : {Shown::all, Shown::cluster_file}) {
    std::vector<Densities> steps;
    std::vector<Densities> collectives;
    look_at_shipped(shown, comparing(steps, collectives));
    print(shown == Shown::all ? "iterations, all known" : "iterations, cluster file only", steps);
    print(shown == Shown::all ? "collectives, all known" : "collectives, cluster file only", collectives);
  }
}

TEST_CASE("shipped logs of collectives are healthy", "[.visible]") {
  for (const auto shown : {Shown::all, Shown::cluster_file}) {
    Tally tally;
    look_at_shipped(shown, judging(tally, Kind::collectives));
    print(shown == Shown::all ? "collectives, all known" : "collectives, cluster file only", tally);
    CHECK(tally.not_normal <= most_not_normal(tally));
  }
}

TEST_CASE("shipped logs of iterations are healthy where all is known", "[.visible]") {
  Tally tally;
  look_at_shipped(Shown::all, judging(tally, Kind::iterations));
  print("iterations, all known", tally);
  CHECK(tally.not_normal <= most_not_normal(tally));
}

TEST_CASE("shipped logs of iterations are healthy to who knows the cluster file alone", "[.visible]") {
  Tally tally;
  look_at_shipped(Shown::cluster_file, judging(tally, Kind::iterations));
  print("iterations, cluster file only", tally);
  CHECK(tally.not_normal <= most_not_normal(tally));
}

TEST_CASE("logs that nothing learns from are healthy", "[.visible]") {
  Tally tally;
  look_at_held_out(judging(tally, Kind::iterations));
  print("iterations, held out", tally);
  CHECK(tally.not_normal <= most_not_normal(tally));
}

} // namespace ddlsim
