#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <xbt/log.h>

#include <cmath>
#include <malloc.h>

namespace ddlsim {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// The sanitizers take SimGrid's own stack switching for stack overflows. They understand threads, which are 60 x
// slower.
constexpr const char* contexts_setting = "contexts/factory:thread";
#else
// The quickest way to switch actors: hand-written assembly, no system call.
constexpr const char* contexts_setting = "contexts/factory:raw";
#endif

/// Settings of SimGrid 3.32 that change times, and why their defaults do not fit.
constexpr const char* timing_settings[] = {
    // A flow gets latency + size/rate. The default, LV08, is fitted to TCP over Ethernet of 2008: latency x 13.01,
    // bandwidth x 0.97.
    "network/model:CM02",
    "network/latency-factor:1",
    "network/bandwidth-factor:1",
    // Flows get equal shares of a link, without weights by latency or by bandwidth (round-trip-time unfairness).
    "network/weight-S:0",
    // Full duplex: acknowledgements do not slow the other direction (they cost 4 % by default).
    "network/crosstraffic:0",
    // No TCP window: the default caps a flow at 4 MiB per two latencies.
    "network/TCP-gamma:1e20",
    // Events closer than this count as simultaneous. The default, 10 us, is longer than a ring step.
    "surf/precision:1e-12",
    // The solver's threshold for zero, relative to a link. The default, 1e-5, would be visible in comparisons to 1e-6.
    "maxmin/precision:1e-12",
    "cpu/model:Cas01",
};

/// Settings that change only the cost of a run.
constexpr const char* cost_settings[] = {
    contexts_setting,
    // Size of a stack in KiB. Our actors need little, and the default of 8 MiB would take 16 GiB of address space for
    // 2,048 ranks. The size is above largest_from_heap_bytes, so that no page is cleared before an actor uses it.
    "contexts/stack-size:256",
    // No guard pages. They would catch an overflow of a stack, but protecting them takes a quarter of a run of
    // thousands of actors, and two memory areas for each actor, of which Linux gives a process 65,530.
    "contexts/guard-size:0",
};

/// Sets the largest area that malloc takes from its heap, which calloc then clears by hand. glibc raises its 128 KiB
/// whenever a larger area is freed; with the stacks on the heap, clearing them would take a tenth of `calibrate` of a
/// large cluster.
void keep_stacks_off_the_heap() {
#ifdef __GLIBC__
  constexpr int largest_from_heap_bytes = 128 * 1024;
  mallopt(M_MMAP_THRESHOLD, largest_from_heap_bytes);
#endif
}

} // namespace

std::span<const char* const> simulated_time_settings() {
  return timing_settings;
}

std::uint64_t to_units(double size_bytes) {
  return static_cast<std::uint64_t>(std::llround(size_bytes * units_per_byte));
}

void start_simgrid() {
  keep_stacks_off_the_heap();
  static const simgrid::s4u::Engine engine("ddlsim");
  xbt_log_control_set("root.thresh:warning"); // SimGrid would log each setting
  for (const char* setting : timing_settings) {
    simgrid::s4u::Engine::set_config(setting);
  }
  for (const char* setting : cost_settings) {
    simgrid::s4u::Engine::set_config(setting);
  }
}

namespace s4u = simgrid::s4u;

#if SIMGRID_VERSION >= 40000 // in SimGrid 4 the root exists already, and every other zone is inside another one
s4u::NetZone& make_full_zone(const std::string& name) {
  return make_full_zone(*s4u::Engine::get_instance()->get_netzone_root(), name);
}

s4u::NetZone& make_full_zone(s4u::NetZone& parent, const std::string& name) {
  return *parent.add_netzone_full(name);
}

s4u::NetZone& make_star_zone(const std::string& name) {
  return *s4u::Engine::get_instance()->get_netzone_root()->add_netzone_star(name);
}
#else // before SimGrid 4 the first zone is the root
s4u::NetZone& make_full_zone(const std::string& name) {
  return *s4u::create_full_zone(name);
}

s4u::NetZone& make_full_zone(s4u::NetZone& parent, const std::string& name) {
  return *s4u::create_full_zone(name)->set_parent(&parent);
}

s4u::NetZone& make_star_zone(const std::string& name) {
  return *s4u::create_star_zone(name);
}
#endif

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

void send(s4u::Mailbox& mailbox, std::uint64_t units, double most_Bps) {
  const s4u::CommPtr message = mailbox.put_init(no_content(), units);
  if (most_Bps > 0) message->set_rate(most_Bps * units_per_byte);
  // this starts the message as put() does; whoever listens for its end asks the message for both ends
  message->start()->wait();
}

} // namespace ddlsim
