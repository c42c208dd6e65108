#include "calibrate/bare_series.hpp"

namespace ddlsim {

const Transport* transport_named(const Cluster& cluster, const std::string& name) {
  for (const auto& transport : cluster.transports)
    if (transport.name == name) return &transport;
  return nullptr;
}

SeriesEvidence empty_bare_series(const Shelf& shelf, const std::vector<Prior>& priors, const Cluster& cluster,
                                 const Transport& transport, const std::string& preset, Measured measured) {
  Strategy none;
  none.name = "none";
  // A transfer alone has no layers, no device and no grouping: the first of each stand in and are never looked at.
  const auto& model = shelf.models.begin()->second;
  const auto& gpu = shelf.gpus.front();
  SeriesEvidence series{"",
                        none.name,
                        {transport.name, "", "", "", 0},
                        {model, gpu, cluster, shelf.presets.front(), transport, none},
                        "compute_measured",
                        priors_of_fields(priors_on(cluster, priors), "compute_measured", transport.name, preset),
                        {}};
  series.measured = measured;
  return series;
}

} // namespace ddlsim
