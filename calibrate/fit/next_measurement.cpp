#include "calibrate/fit/next_measurement.hpp"

#include "sim/base/statistics.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/iteration/server_graph.hpp"
#include "sim/predict/posterior.hpp"
#include "sim/predict/residual_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ddlsim {
namespace {

constexpr int sample_count = 64; ///< number of samples; a correlation then has an error of an eighth
constexpr double step_noise = ModelConstants{}.unstated_noise; ///< noise of ln time of a run of some hundred steps
/// noise of ln time of a sweep of sizes, each of which is about 12 % off the simulator's law
constexpr double sweep_noise = 0.05;
constexpr double half_width_of_90 = 1.645; ///< number of standard deviations
constexpr double small_bytes = 16 << 10;
constexpr double large_bytes = 64 << 20;
constexpr int farther = 4; ///< the prediction to narrow is at this multiple of the largest measured scale

/// One prediction to narrow: a strategy over a transport, at one scale.
struct Question {
  const SeriesData* series = nullptr;
  const CalibratedSeries* known = nullptr;
  DataPoint at;
  std::vector<Parameters> samples{};
};

/// A possible measurement.
struct Candidate {
  std::string run;
  SeriesData series;
  DataPoint at;
  double noise = step_noise;
  bool same_series = false; ///< whether the measurement shares the residual that no parameter explains
};

/// The same run on another number of nodes. If every node had a server, every node of that number has one.
DataPoint point_at(const DataPoint& like, int nodes, int gpus_per_node) {
  DataPoint point = like;
  auto& servers = point.strategy.servers;
  if (servers.rule == ServerCount::Rule::count && servers.value == like.nodes) servers.value = nodes;
  point.nodes = nodes;
  point.gpus = nodes * gpus_per_node;
  point.gpus_per_node = gpus_per_node;
  return point;
}

const DataPoint& largest(const SeriesData& series) {
  return *std::max_element(series.points.begin(), series.points.end(), [](const auto& a, const auto& b) {
    return a.nodes != b.nodes ? a.nodes < b.nodes : a.gpus < b.gpus;
  });
}

double parameters_of(const SeriesData& series) {
  return series.setup.model.parameters;
}

/// For each strategy over each transport, the series with the largest scale; if several have it, the one with the
/// largest model.
std::vector<const SeriesData*> predicted_series(const std::vector<SeriesData>& all) {
  std::map<std::pair<std::string, std::string>, const SeriesData*> by_strategy;
  const auto size_of = [](const SeriesData& one) { return std::pair(largest(one).nodes, parameters_of(one)); };
  for (const auto& one : all) {
    if (is_transfer(one) || one.borrowed || one.points.empty() || !one.excluded.empty()) continue;
    const SeriesData*& best = by_strategy[{one.scope.transport, to_text(one.setup.strategy.name)}];
    if (best == nullptr || size_of(one) > size_of(*best)) best = &one;
  }
  std::vector<const SeriesData*> target;
  for (const auto& [key, one] : by_strategy) target.push_back(one);
  return target;
}

const CalibratedSeries* known_of(const Calibration& calibration, const SeriesData& series) {
  for (const auto& one : calibration.series)
    if (one.id == series.id) return &one;
  return nullptr;
}

/// The priors of the cluster, and those of the series' one-GPU time, which come with its estimate.
std::vector<Prior> priors_of(const SeriesData& series, const std::vector<Prior>& priors) {
  auto all = priors_on(series.setup.cluster, priors, series.setup.gpu.compute_capability);
  const auto is_new = [&](const Prior& prior) {
    return std::none_of(all.begin(), all.end(), [&](const Prior& one) { return one.parameter == prior.parameter; });
  };
  std::vector<Prior> of_compute;
  std::copy_if(series.priors.begin(), series.priors.end(), std::back_inserter(of_compute), is_new);
  all.insert(all.end(), of_compute.begin(), of_compute.end());
  return all;
}

std::vector<Parameters> samples_of(const SeriesData& series, const std::vector<Prior>& priors,
                                   const Calibration& calibration) {
  constexpr std::uint64_t seed = 1;
  const PosteriorQuestion question{series.compute_prior, series.setup.preset,
                                   is_parameter_server(series.setup.strategy.name), series.scope, series.priors};
  auto samples = find_posterior(priors_of(series, priors), &calibration, question, sample_count, seed).samples.values;
  for (auto& sample : samples) sample.model_discrepancy = 1; // the error of the model is in the residual process
  return samples;
}

std::vector<double> ln_times(const SeriesData& series, const DataPoint& at, const std::vector<Parameters>& samples) {
  std::vector<double> found;
  for (const auto& sample : samples) found.push_back(std::log(model_time_s(series, at, sample)));
  return found;
}

double variance(const std::vector<double>& values) {
  double mean = 0;
  double sum = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

ResidualEstimate residual_at(const Question& question, const DataPoint& at, const DataPoint* also, double noise) {
  ResidualProcess process;
  process.spread = question.known->spread;
  std::vector<KnownResidual> known;
  for (const auto& point : question.known->points)
    known.push_back({{point.gpus, point.nodes}, point.residual, point.noise});
  if (also != nullptr) known.push_back({{also->gpus, also->nodes}, 0, noise});
  return estimate_residual(process, known, {at.gpus, at.nodes});
}

double square(double x) {
  return x * x;
}

/// The samples for a candidate. The operation cost of a transfer benchmark and the compute factor of another model are
/// held fixed, because measuring them does not narrow the prediction.
std::vector<Parameters> samples_of_candidate(const Question& question, const Candidate& candidate) {
  auto samples = question.samples;
  for (auto& sample : samples) {
    if (is_transfer(candidate.series)) sample.operation_cost_s = samples.front().operation_cost_s;
    if (candidate.series.scope.model != question.series->scope.model) sample.compute_model = sample.compute_factor = 1;
  }
  return samples;
}

/// Half-width of the interval now, and after the candidate is measured.
std::pair<double, double> widths(const Question& question, const Candidate& candidate) {
  const auto target = ln_times(*question.series, question.at, question.samples);
  const auto seen = ln_times(candidate.series, candidate.at, samples_of_candidate(question, candidate));
  const double target_model_error = square(residual_at(question, question.at, nullptr, 0).spread);
  double measured_model_error = square(candidate.noise) + square(question.known->spread);
  double shared_model_error = 0;
  if (candidate.same_series) {
    measured_model_error = square(candidate.noise) + square(residual_at(question, candidate.at, nullptr, 0).spread);
    const double left = square(residual_at(question, question.at, &candidate.at, candidate.noise).spread);
    shared_model_error = std::sqrt(std::max(0.0, target_model_error - left) *
                                   measured_model_error); // var(x | y) = var x - cov^2 / var y
  }
  const double target_variance = variance(target) + target_model_error;
  const double measured_variance = variance(seen) + measured_model_error;
  const double shared = correlation(target, seen) * std::sqrt(variance(target) * variance(seen)) + shared_model_error;
  const double now = half_width_of_90 * std::sqrt(target_variance);
  return {now, now * width_left(shared / std::sqrt(target_variance * measured_variance))};
}

bool measured_on(const SeriesData& series, int nodes) {
  return std::any_of(series.points.begin(), series.points.end(),
                     [&](const DataPoint& point) { return point.nodes == nodes; });
}

std::string series_text(const SeriesData& series) {
  return fmt::format("{} by {} over {} ({})", series.scope.model, to_text(series.setup.strategy.name),
                     series.scope.transport, series.scope.preset);
}

std::string nodes_text(int nodes) {
  return fmt::format("{} node{}", nodes, nodes == 1 ? "" : "s");
}

void add_same_run(std::vector<Candidate>& all, const Question& question) {
  const auto& series = *question.series;
  const auto& last = largest(series);
  const int twice = std::min(2 * last.nodes, series.setup.cluster.available_nodes);
  for (const int nodes : {2, twice}) {
    if (nodes > series.setup.cluster.available_nodes || measured_on(series, nodes) || nodes >= question.at.nodes)
      continue;
    all.push_back({fmt::format("{} on {}", series_text(series), nodes_text(nodes)), series,
                   point_at(last, nodes, last.gpus_per_node), step_noise, true});
  }
}

void add_all_reduces(std::vector<Candidate>& all, const Question& question) {
  const auto& series = *question.series;
  if (series.setup.cluster.available_nodes < 2 || is_parameter_server(series.setup.strategy.name)) return;
  for (const bool small : {true, false}) {
    Candidate candidate{fmt::format("all-reduces of {} alone between two nodes over {}",
                                    small ? "4 KiB to 64 KiB" : "1 MiB to 256 MiB", series.scope.transport),
                        series, point_at(largest(series), 2, largest(series).gpus_per_node), sweep_noise, false};
    candidate.series.measured = Measured::all_reduce;
    candidate.at.size_bytes = small ? small_bytes : large_bytes;
    all.push_back(candidate);
  }
}

/// Adds a run with one server, which is busy most of the time and so reveals the server's rate.
void add_saturated_server(std::vector<Candidate>& all, const Question& question,
                          const std::vector<SeriesData>& series) {
  if (!is_parameter_server(question.series->setup.strategy.name) || question.series->setup.cluster.available_nodes < 3)
    return;
  const SeriesData* heaviest = nullptr;
  for (const auto& one : series) {
    const bool alike = !is_transfer(one) && !one.borrowed && !one.points.empty() &&
                       one.scope.preset == question.series->scope.preset &&
                       one.scope.transport == question.series->scope.transport;
    if (alike && (heaviest == nullptr || parameters_of(one) > parameters_of(*heaviest))) heaviest = &one;
  }
  if (heaviest == nullptr) return;
  Candidate candidate{
      fmt::format("{} with one server of its own for two nodes ({})", heaviest->scope.model, heaviest->scope.preset),
      *heaviest, point_at(question.at, 2, largest(*heaviest).gpus_per_node), step_noise, false};
  candidate.at.strategy.servers = {ServerCount::Rule::count, 1};
  candidate.at.strategy.placement = Placement::dedicated;
  all.push_back(candidate);
}

void add_one_gpu(std::vector<Candidate>& all, const Question& question) {
  const auto& series = *question.series;
  if (series.compute_prior == "compute_measured") return;
  Candidate candidate{
      fmt::format("{} on one GPU without synchronisation, batch {:g}", series.scope.model, series.scope.batch_per_gpu),
      series, point_at(largest(series), 1, 1), step_noise, false};
  candidate.series.setup.synchronised = false;
  all.push_back(candidate);
}

std::vector<Candidate> candidates_of(const Question& question, const std::vector<SeriesData>& series) {
  std::vector<Candidate> all;
  add_same_run(all, question);
  add_all_reduces(all, question);
  add_saturated_server(all, question, series);
  add_one_gpu(all, question);
  return all;
}

void keep_best(std::vector<NextMeasurement>& found, std::size_t most) {
  const auto gain = [](const NextMeasurement& one) { return one.now - one.then; };
  constexpr double least_gain = 0.01;
  std::erase_if(found, [&](const NextMeasurement& one) { return gain(one) < least_gain; });
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return gain(a) > gain(b); });
  std::vector<NextMeasurement> best;
  for (const auto& one : found) {
    const bool again = std::any_of(best.begin(), best.end(), [&](const auto& other) { return other.run == one.run; });
    if (!again && best.size() < most) best.push_back(one);
  }
  found = best;
}

} // namespace

std::vector<NextMeasurement> next_measurements(const std::vector<SeriesData>& series, const std::vector<Prior>& priors,
                                               const Calibration& calibration, std::size_t most) {
  std::vector<NextMeasurement> found;
  for (const auto* one : predicted_series(series)) {
    const auto& last = largest(*one);
    const auto& cluster = one->setup.cluster;
    Question question{one, known_of(calibration, *one), {}};
    const int nodes = std::min(farther * last.nodes, std::max(cluster.available_nodes, cluster.growth_max_nodes));
    if (question.known == nullptr || nodes <= last.nodes) continue;
    question.at = point_at(last, nodes, last.gpus_per_node);
    question.samples = samples_of(*one, priors, calibration);
    for (const auto& candidate : candidates_of(question, series)) {
      const auto [now, then] = widths(question, candidate);
      found.push_back({candidate.run, fmt::format("{} on {}", series_text(*one), nodes_text(nodes)), now, then});
    }
  }
  keep_best(found, most);
  return found;
}

} // namespace ddlsim
