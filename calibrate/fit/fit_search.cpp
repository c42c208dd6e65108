#include "calibrate/fit/fit_search.hpp"

#include "sim/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace ddlsim {
namespace {

bool crosses_nodes(const SeriesData& series) {
  return std::any_of(series.points.begin(), series.points.end(),
                     [](const DataPoint& point) { return point.nodes > 1; });
}

using Rates = std::vector<double Parameters::*>;

/// Everything at its prior's median, but those rates much below it where runs across nodes can tell.
std::vector<double> slow_start(const FreeParameters& free_parameters, const std::vector<SeriesData>& series,
                               const Rates& rates) {
  constexpr double slow = -2; // prior standard deviations
  const auto fields = parameter_fields();
  std::vector<double> start(free_parameters.all.size(), 0);
  for (std::size_t s = 0; s < series.size(); ++s) {
    if (!crosses_nodes(series[s])) continue;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const int free_parameter = free_parameters.of_series[s][k];
      const bool slows = std::find(rates.begin(), rates.end(), fields[k].value) != rates.end();
      if (slows && free_parameter >= 0) start[static_cast<std::size_t>(free_parameter)] = slow;
    }
  }
  return start;
}

std::vector<std::vector<double>> starts(const FreeParameters& free_parameters, const std::vector<SeriesData>& series) {
  const Rates slow_network{&Parameters::nic_efficiency, &Parameters::server_process_Bps};
  const Rates slow_connections{&Parameters::server_connection_Bps};
  std::vector<std::vector<double>> all{std::vector<double>(free_parameters.all.size(), 0)};
  for (const auto& rates : {slow_network, slow_connections}) {
    auto start = slow_start(free_parameters, series, rates);
    if (start != all.front()) all.push_back(std::move(start));
  }
  return all;
}

/// The number of a field among all.
std::size_t field_of(double Parameters::*value) {
  const auto fields = parameter_fields();
  return static_cast<std::size_t>(
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.value == value; }) -
      fields.begin());
}

/// A stack's rate of connections to servers, which a fit may leave at its prior, and what its servers' NICs keep of
/// their rate: the two explain each other.
struct ServerRates {
  std::size_t connection = 0; ///< of FreeParameters::all
  std::vector<std::size_t> duplexes{};
};

std::vector<ServerRates> server_rates(const FreeParameters& free_parameters, const std::vector<SeriesData>& series) {
  const auto connection_field = field_of(&Parameters::server_connection_Bps);
  const auto duplex_field = field_of(&Parameters::server_duplex);
  std::vector<ServerRates> found;
  for (std::size_t p = 0; p < free_parameters.all.size(); ++p) {
    if (free_parameters.all[p].field != connection_field) continue;
    ServerRates rates{p};
    bool crosses = false;
    for (std::size_t s = 0; s < series.size(); ++s) {
      if (free_parameters.of_series[s][connection_field] != static_cast<int>(p)) continue;
      crosses = crosses || crosses_nodes(series[s]);
      const int duplex = free_parameters.of_series[s][duplex_field];
      if (duplex >= 0) rates.duplexes.push_back(static_cast<std::size_t>(duplex));
    }
    if (crosses) found.push_back(std::move(rates));
  }
  return found;
}

/// The fit from there, with those connections somewhat slower.
RobustFit with_slower_connections(const RobustProblem& robust, std::vector<double> unknowns, const ServerRates& rates) {
  constexpr double somewhat_slower = -1; // prior standard deviations
  unknowns[rates.connection] = somewhat_slower;
  for (const std::size_t duplex : rates.duplexes) unknowns[duplex] = 0;
  return fit_robust(robust, unknowns);
}

/// A place beside this one: every z-score moved by a normal draw.
std::vector<double> beside(std::vector<double> place, std::mt19937_64& random) {
  constexpr double spread = 0.5; // prior standard deviations: off a stair, in the region; a judgement
  constexpr std::uint64_t parts = 1'000'000;
  for (double& z_score : place)
    z_score += spread * normal_quantile((static_cast<double>(random() % parts) + 0.5) / parts);
  return place;
}

void sort_by_cost(std::vector<RobustFit>& fits) {
  std::stable_sort(fits.begin(), fits.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
}

} // namespace

std::vector<RobustFit> search_fits(const RobustProblem& robust, const FreeParameters& free_parameters,
                                   const std::vector<SeriesData>& series) {
  constexpr double at_the_median = 0.02; // z-score of a parameter that no residual depends on: its prior holds it there
  std::vector<RobustFit> found;
  for (const auto& start : starts(free_parameters, series)) found.push_back(fit_robust(robust, start));
  sort_by_cost(found);
  constexpr int more_starts = 3;
  constexpr std::uint64_t seed = 1;
  std::mt19937_64 random(seed);
  const auto best = found.front().unknowns;
  for (int more = 0; more < more_starts; ++more) found.push_back(fit_robust(robust, beside(best, random)));
  sort_by_cost(found);
  for (const auto& rates : server_rates(free_parameters, series)) {
    if (std::abs(found.front().unknowns[rates.connection]) > at_the_median) continue;
    found.push_back(with_slower_connections(robust, found.front().unknowns, rates));
    sort_by_cost(found);
  }
  return found;
}

} // namespace ddlsim
