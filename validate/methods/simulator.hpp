#pragma once
// The simulator as a method of the protocol: ddlsim itself, not calibrated, under the catalogue's priors.

#include "sim/files/data_folder.hpp"
#include "validate/method.hpp"

#include <map>
#include <memory>
#include <string>

namespace ddlsim {

/// Predicts with compute scaled to the series' own one-GPU time (the one behind its smallest visible scale where
/// one GPU was not measured, the roofline where there is none) and everything else
/// at the priors of platforms/priors.json, those learnt from the cluster under test left out. Interval: 5 % and 95 % of
/// drawn worlds. Cannot answer for a model without a layer table, a cluster without a cluster.json, or a strategy that
/// cannot be simulated.
std::unique_ptr<Method> make_simulator(const DataFolder& data);

/// The preset that stands for a stack that has none of its own: byteps for a parameter server over TCP, pytorch-ddp
/// otherwise.
std::string stand_in_preset(const Strategy& strategy);

} // namespace ddlsim
