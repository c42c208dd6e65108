#include "tests/golden/narrowed_links.hpp"

#include "sim/base/child_process.hpp"

#include <simgrid/s4u.hpp>

#include <utility>

namespace ddlsim {
namespace {

const NarrowedLinks* in_force = nullptr;

/// SimGrid lets nobody take a callback back, so there is one for all.
void ask_to_be_told() {
  static const bool asked = [] {
    simgrid::s4u::Link::on_creation_cb([](simgrid::s4u::Link& link) {
      if (in_force == nullptr || link.get_name().rfind(in_force->beginning(), 0) != 0) return;
      if (link.get_property("narrowed") != nullptr) return; // SimGrid may tell of a link twice
      link.set_property("narrowed", "once");
      link.set_bandwidth(in_force->share() * link.get_bandwidth());
    });
    return true;
  }();
  static_cast<void>(asked);
}

} // namespace

NarrowedLinks::NarrowedLinks(std::string beginning, double share) : beginning_(std::move(beginning)), share_(share) {
  ask_to_be_told();
  in_force = this;
  stop_fork_server(); // the next one knows
}

NarrowedLinks::~NarrowedLinks() {
  stop_fork_server();
  in_force = nullptr;
}

} // namespace ddlsim
