#include "sim/simgrid/links.hpp"

#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

namespace ddlsim {
namespace s4u = simgrid::s4u;

s4u::Link* make_link(s4u::NetZone& zone, const std::string& name, double rate_Bps) {
  return zone.create_link(name, rate_Bps * units_per_byte)->set_latency(0.0)->seal();
}

Links make_links(s4u::NetZone& zone, const std::string& kind, int count, double rate_Bps) {
  Links links;
  for (int i = 0; i < count; ++i) {
    links.push_back(make_link(zone, kind + std::to_string(i), rate_Bps));
  }
  return links;
}

Links make_nics(s4u::NetZone& zone, const std::string& kind, int nodes, const Machine& machine) {
  Links links;
  for (int node = 0; node < nodes; ++node) {
    links.push_back(make_link(zone, kind + std::to_string(node), machine.nic_Bps_of(node)));
  }
  return links;
}

int* no_content() {
  static int content = 0;
  return &content;
}

} // namespace ddlsim
