#include "calibrate/fit/algorithm_choice.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

bool depends_on_algorithm(const SeriesData& series) {
  if (series.measured != Measured::step && !is_collective(series.measured)) return false;
  return std::any_of(series.points.begin(), series.points.end(), [](const DataPoint& point) { return point.gpus > 1; });
}

bool same(const std::vector<LikelyChoice>& a, const std::vector<LikelyChoice>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const LikelyChoice& x, const LikelyChoice& y) {
    return x.name == y.name && x.weight == y.weight;
  });
}

} // namespace

AlgorithmChoices::AlgorithmChoices(const std::vector<SeriesData>& series, double likelihood_share)
    : likelihood_share_(likelihood_share), open_of_(series.size(), -1) {
  for (std::size_t s = 0; s < series.size(); ++s) {
    const bool servers = is_parameter_server(series[s].setup.strategy.name);
    const auto& setup = series[s].setup;
    const auto choices = servers ? setup.preset.shardings : libraries_over(setup.preset, setup.transport.name);
    const bool is_stated = !servers && setup.strategy.library.has_value();
    if (choices.size() < 2 || is_stated || !depends_on_algorithm(series[s])) continue;
    const CalibrationScope scope{series[s].scope.transport, "", {}, "", 0};
    const auto known = std::find_if(open_.begin(), open_.end(), [&](const OpenChoice& open) {
      return open.servers == servers && open.scope == scope && same(open.choices, choices);
    });
    open_of_[s] = static_cast<int>(known - open_.begin());
    if (known == open_.end()) open_.push_back({scope, servers, choices, std::vector<double>(choices.size(), -1), 0});
  }
}

void AlgorithmChoices::put(std::size_t series, Parameters& sample) const {
  if (open_of_[series] < 0) return;
  const auto& open = open_[static_cast<std::size_t>(open_of_[series])];
  const auto& name = open.choices[open.chosen].name;
  if (open.servers) sample.sharding = value_named<Sharding>(name);
  if (!open.servers) sample.library = library_version_from(name);
}

double AlgorithmChoices::weight(std::size_t open, std::size_t choice) const {
  const auto& costs = open_[open].costs;
  if (costs[choice] < 0) return 0;
  double least = costs[choice];
  for (const double cost : costs)
    if (cost >= 0) least = std::min(least, cost);
  return open_[open].choices[choice].weight * std::exp(likelihood_share_ * (least - costs[choice]));
}

std::vector<CalibratedChoice> AlgorithmChoices::calibrated() const {
  std::vector<CalibratedChoice> all;
  for (const auto& open : open_) all.push_back({open.scope, open.servers, open.choices[open.chosen].name});
  return all;
}

} // namespace ddlsim
