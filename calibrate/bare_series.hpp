#pragma once
// What evidence of transfers alone has in common, whichever transfer it is.

#include "calibrate/step_evidence.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// How far the simulator's law of a latency and a rate is off real transfers over sizes, which bend between the two:
/// Hockney's law over published nccl-tests tables (tests/calibrate/collective_shipped_test.cpp).
constexpr double bare_noise = 0.12;
/// Below, libraries have protocols of their own (NCCL's LL, MPI's eager messages) that training's groups do not use.
constexpr double least_bare_bytes = 16 * 1024;

/// The cluster's transport of that name; nullptr where it has none.
const Transport* transport_named(const Cluster& cluster, const std::string& name);

/// A series without points. Its scope is the transport; priors are those of `preset`, "" for no stack in particular.
SeriesEvidence empty_bare_series(const Shelf& shelf, const std::vector<Prior>& priors, const Cluster& cluster,
                                 const Transport& transport, const std::string& preset, Measured measured);

} // namespace ddlsim
