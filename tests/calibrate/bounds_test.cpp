// A bound is not a value: what a server or a link that nothing saturated may be.

#include "calibrate/fit/step_fit.hpp"
#include "sim/base/statistics.hpp"
#include "sim/predict/posterior.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

/// A link or a server that an iteration loads, and two experiments on it: its load fits beside backward, or it does
/// not.
struct Bounded {
  ReferenceData reference = planted_reference();
  std::string parameter;
  std::vector<SeriesData> light; ///< nothing saturates
  std::vector<SeriesData> heavy; ///< the same, and a scale that saturates it
  double load_Bps = 0;           ///< that it bears in `light` at the most, over a whole iteration
  double nominal_Bps = 1;        ///< the rate that the parameter is a share of; 1 where it is a rate itself
};

std::size_t bounded_field(const std::string& name) {
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (fields[k].name == name) return k;
  throw std::out_of_range(name);
}

/// Eight equal layers. The last, whose gradient is ready first, holds nearly all parameters: their exchange has most of
/// backward, and hardly anything is left to send after it.
Model early_model(const std::string& name, long parameters) {
  Model model = planted_model(name, 8, 1.2e10, 8'000);
  auto& tensor = model.layers.back().tensors.front();
  tensor.shape = {parameters};
  tensor.size_bytes = 4.0 * static_cast<double>(parameters);
  model.parameters = static_cast<double>(parameters) + 7'000;
  return model;
}

/// One series of `model` at these numbers of nodes, four GPUs each; times are to be planted.
std::vector<SeriesData> bounded_series(const ReferenceData& reference, const std::string& model,
                                       const Strategy& strategy, const std::string& preset,
                                       const std::vector<int>& nodes) {
  auto alone = planted_record(model, 1, 1, 0.2);
  alone.synchronised = false;
  alone.preset = preset;
  std::vector<Record> records{alone};
  for (const int count : nodes) {
    auto record = planted_record(model, 4 * count, count, 1);
    record.preset = preset;
    record.strategy = strategy;
    records.emplace_back(record);
  }
  const std::vector<MeasurementFile> files{planted_file(records)};
  const auto one_gpu_times = one_gpu_times_of(reference, reference.clusters.at("planted"), files);
  std::vector<SeriesData> all;
  for (const auto& series : group_series(files))
    all.push_back(*series_data(reference, priors_for(reference.priors), series, *one_gpu_times));
  for (auto& series : all) { // wide enough that the times say something of the share
    series.priors[bounded_field("nic_efficiency")].median = 0.77;
    series.priors[bounded_field("nic_efficiency")].width = 0.34;
  }
  return all;
}

/// Compute that communication slows depends on a link that nothing saturates, too.
void take_interference_away(std::vector<SeriesData>& all) {
  for (auto& series : all) series.priors[bounded_field("interference")].median = 1e-6;
}

/// The medians of the priors, but for the parameter.
std::vector<double> truth_at(const Bounded& of, const std::vector<SeriesData>& all, double z_score) {
  const auto free_parameters = find_free_parameters(all);
  std::vector<double> truth(free_parameters.all.size(), 0);
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (free_parameters.all[i].field == bounded_field(of.parameter)) truth[i] = z_score;
  return truth;
}

double bounded_time_s(const std::vector<SeriesData>& all, std::size_t s, std::size_t p,
                      const std::vector<double>& truth) {
  return model_time_s(all[s], all[s].points[p], sample_at(find_free_parameters(all), all[s], s, truth));
}

/// Of the largest scale, with a fast link or server.
double time_of_light(const Bounded& of) {
  return bounded_time_s(of.light, 0, of.light[0].points.size() - 1, truth_at(of, of.light, 3));
}

/// Rings of two nodes; the heavier model sends ten times as much.
std::unique_ptr<const Bounded> bounded_link() {
  auto made = std::make_unique<Bounded>();
  auto& of = *made;
  of.parameter = "nic_efficiency";
  of.reference.models.emplace("light", early_model("light", 10'000'000));
  of.reference.models.emplace("heavy", early_model("heavy", 100'000'000));
  Strategy ring;
  ring.name = StrategyName::ring;
  of.light = bounded_series(of.reference, "light", ring, "pytorch-ddp", {1, 2, 4});
  for (const auto& series : bounded_series(of.reference, "light", ring, "pytorch-ddp", {1, 2, 4})) {
    of.light.push_back(series);
    of.heavy.push_back(series);
  }
  for (const auto& series : bounded_series(of.reference, "heavy", ring, "pytorch-ddp", {2, 4}))
    of.heavy.push_back(series);
  take_interference_away(of.light);
  take_interference_away(of.heavy);
  of.nominal_Bps = of.reference.clusters.at("planted").nics.front().bandwidth_Bps;
  of.load_Bps = 2 * 3.0 / 4 * of.reference.models.at("light").size_bytes() / time_of_light(of); // a ring of four nodes
  return made;
}

/// One server with a host of its own, and nodes that push a model of so many parameters to it; NICs are no limit.
std::unique_ptr<Bounded> one_server(long parameters) {
  auto made = std::make_unique<Bounded>();
  auto& of = *made;
  auto& cluster = of.reference.clusters.at("planted");
  cluster.available_nodes = 64;
  cluster.nics.front().bandwidth_Bps = 1e11; // a NIC that is no limit
  Preset preset = of.reference.presets.front();
  preset.name = "servers";
  of.reference.presets.push_back(preset);
  of.reference.models.emplace("light", early_model("light", parameters));
  Strategy servers;
  servers.name = StrategyName::ps;
  servers.servers = {ServerCount::Rule::count, 1};
  servers.placement = Placement::dedicated;
  servers.sharding = Sharding::bytes;
  of.light = bounded_series(of.reference, "light", servers, "servers", {1, 2, 4});
  of.heavy = bounded_series(of.reference, "light", servers, "servers", {1, 2, 4, 32, 64});
  return made;
}

/// Sixteen nodes push eight times as much as two.
std::unique_ptr<const Bounded> bounded_server() {
  auto made = one_server(2'500'000);
  auto& of = *made;
  of.parameter = "server_process_rate";
  of.load_Bps = 4 * of.reference.models.at("light").size_bytes() / time_of_light(of); // four nodes, each way
  return made;
}

/// Times of the model in that truth, each off by the noise of a measurement.
std::vector<SeriesData> bounded_times(const Bounded& of, const std::vector<SeriesData>& planned, double z_score,
                                      std::uint64_t seed) {
  constexpr double noise = 0.01;
  const auto truth = truth_at(of, planned, z_score);
  Normals normal(seed);
  std::vector<SeriesData> all = planned;
  for (std::size_t s = 0; s < all.size(); ++s)
    for (std::size_t p = 0; p < all[s].points.size(); ++p) {
      all[s].points[p].measured_s = bounded_time_s(planned, s, p, truth) * std::exp(noise * normal());
      all[s].points[p].noise = noise;
    }
  return all;
}

/// Equally likely z-scores of the parameter, by what the fit says.
std::vector<double> draws_of(const Bounded& of, const Calibration& fit) {
  std::size_t at = 0;
  while (fit.parameters.at(at).name != of.parameter) ++at;
  std::vector<double> z_scores;
  for (const auto& draw : posterior_draws(fit)) z_scores.push_back(draw[at]);
  return z_scores;
}

/// Where the prior is cut: the lowest z-score at which the largest scale still takes as long as with a fast one, but
/// for one deviation of what the fit allows a measurement to be off.
double edge_of(const Bounded& of) {
  constexpr double seen = 0.02; // of the time
  const auto at = [&](double z_score) {
    return bounded_time_s(of.light, 0, of.light[0].points.size() - 1, truth_at(of, of.light, z_score));
  };
  const double with_a_fast_one = time_of_light(of);
  double low = -4;
  double high = 3;
  for (int step = 0; step < 30; ++step) {
    const double middle = (low + high) / 2;
    (at(middle) > with_a_fast_one * (1 + seen) ? low : high) = middle;
  }
  return high;
}

/// The z-score at which the parameter is so high a share of the load that the iteration puts on it.
double z_of_load(const Bounded& of, double share) {
  const auto& prior = of.light[0].priors[bounded_field(of.parameter)];
  return std::log(share * of.load_Bps / of.nominal_Bps / prior.median) / prior.width;
}

/// Kolmogorov and Smirnov's distance to the prior, a standard normal, cut off below `edge`.
double distance_to_truncated_prior(std::vector<double> z_scores, double edge) {
  std::sort(z_scores.begin(), z_scores.end());
  const double below = normal_cdf(edge);
  const auto count = static_cast<double>(z_scores.size());
  double largest = 0;
  for (std::size_t i = 0; i < z_scores.size(); ++i) {
    const double share = std::max(0.0, normal_cdf(z_scores[i]) - below) / (1 - below);
    const auto before = static_cast<double>(i);
    largest = std::max({largest, share - before / count, (before + 1) / count - share});
  }
  return largest;
}
} // namespace

TEST_CASE("nothing saturated: no mass below the load, and the prior's shape above it", "[bounds]") {
  constexpr int seeds = 12;
  for (auto* make : {&bounded_link, &bounded_server}) {
    const auto made = (*make)();
    const auto& of = *made;
    const double edge = edge_of(of);
    std::vector<double> all;
    for (int seed = 1; seed <= seeds; ++seed) {
      const auto z_scores = draws_of(of, fit_steps(bounded_times(of, of.light, 1, seed), {}));
      all.insert(all.end(), z_scores.begin(), z_scores.end());
    }
    INFO(of.parameter << ": edge " << edge << ", least " << *std::min_element(all.begin(), all.end()));
    CHECK(*std::min_element(all.begin(), all.end()) > z_of_load(of, 0.9));
    CHECK(distance_to_truncated_prior(all, edge) < 0.1); // by 128 draws, the same in each fit
  }
}

TEST_CASE("what a calibration keeps of a bound lies above it, too", "[bounds]") {
  for (auto* make : {&bounded_link, &bounded_server}) {
    const auto made = (*make)();
    for (int seed = 1; seed <= 20; ++seed) {
      const auto z_scores = draws_of(*made, fit_steps(bounded_times(*made, made->light, 1, seed), {}));
      CHECK(*std::min_element(z_scores.begin(), z_scores.end()) > z_of_load(*made, 0.9));
    }
  }
}

TEST_CASE("a scale that saturates makes a value of the bound", "[bounds]") {
  constexpr int clusters = 50;
  for (auto* make : {&bounded_link, &bounded_server}) {
    const auto made = (*make)();
    const auto& of = *made;
    Normals normal(7);
    const double edge = edge_of(of);
    const double highest = highest_z(of.heavy[0].priors[bounded_field(of.parameter)]);
    int held = 0;
    double mean_width = 0;
    for (int cluster = 1; cluster <= clusters; ++cluster) {
      double truth = normal();
      while (truth < edge || truth > 2) truth = normal(); // above: the large scale does not saturate it either
      auto z_scores = draws_of(of, fit_steps(bounded_times(of, of.heavy, truth, cluster), {}));
      for (double& z_score : z_scores) z_score = std::min(z_score, highest);
      truth = std::min(truth, highest);
      std::sort(z_scores.begin(), z_scores.end());
      const double low = quantile(z_scores, 0.05);
      const double high = quantile(z_scores, 0.95);
      held += low <= truth && truth <= high ? 1 : 0;
      mean_width += (high - low) / clusters;
    }
    INFO(of.parameter << ": held " << held << " of " << clusters << ", mean width " << mean_width);
    CHECK(held >= 0.8 * clusters);
    CHECK(mean_width < 0.5); // of 3.3 that the prior has
  }
}
