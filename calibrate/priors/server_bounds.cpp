#include "calibrate/priors/server_bounds.hpp"

#include "sim/base/statistics.hpp"
#include "sim/formats/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

namespace ddlsim {

namespace {

constexpr const char* server_rate = "server_process_rate";

/// Of the bound, in ln x: what was seen is of one release of a library on one processor, and who asks has another of
/// both. They are why sites differ in a rate of software, so the bound is as doubtful as one more site's rate is.
double doubt_of_bound() {
  return learnt_parameter(server_rate)->spread;
}

/// Transport, preset, series, workers.
using RunKey = std::tuple<std::string, std::string, std::string, int>;

std::map<RunKey, std::vector<double>> core_rates_Bps(const std::string& cluster,
                                                     const std::vector<MeasurementFile>& files) {
  std::map<RunKey, std::vector<double>> rates;
  for (const auto& file : files) {
    if (file.context.cluster != cluster) continue;
    for (const auto& record : file.records) {
      const auto* server = std::get_if<ServerRecord>(&record);
      if (server == nullptr || server->what != kServerInTraining || server->head.suspect) continue;
      rates[{server->head.transport, server->preset, server->head.series, server->workers}].push_back(
          server->bytes / server->processor_s);
    }
  }
  return rates;
}

} // namespace

void add_server_bounds(SiteEvidence& evidence, const Cluster& cluster, const std::vector<Prior>& priors,
                       const std::vector<MeasurementFile>& files) {
  std::map<PriorClass, double> highest_Bps;
  const auto here = priors_on(cluster, priors);
  for (const auto& [run, rates] : core_rates_Bps(cluster.name, files)) {
    const auto& [transport, preset, series, workers] = run;
    auto& highest = highest_Bps[class_of(find_prior(here, server_rate, transport, preset))];
    highest = std::max(highest, median(rates));
  }
  for (const auto& [of, rate_Bps] : highest_Bps)
    evidence[of].push_back({cluster.site, std::log(rate_Bps), doubt_of_bound(), true});
}

} // namespace ddlsim
