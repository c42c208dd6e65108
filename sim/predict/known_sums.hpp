#pragma once
// All-reduces that were measured by themselves on this cluster: they correct what the model says of their neighbours in
// size and scale.

#include "sim/formats/calibration.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/residual_process.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace ddlsim {

/// One size of a table.
struct KnownSum {
  Scale at;
  double time_s = 0;
  double noise = 0;                      ///< standard deviation of ln(time_s)
  std::optional<StrategyName> algorithm; ///< none: the library chose
  std::size_t table = 0;                 ///< which it stands in
};

/// The all-reduces of a calibration's curves that this library ran over this transport: those measured at the sizes of
/// the curves. Tables of NCCL on one node need not name the transport.
std::vector<KnownSum> known_sums(const std::vector<CollectiveCurve>& curves, const Transport& transport,
                                 CollectiveLibrary library);

/// What neighbours say of one all-reduce: ln(time) = ln(model there) + sum of weight x ln(measured / model) of each.
struct SumCorrection {
  std::vector<KnownSum> neighbours;
  ResidualWeights of; ///< weights of the neighbours, and what stays open
};

/// Of each table, the sizes next to the asked one on either side, by sum_process().
SumCorrection correction_at(const ResidualProcess& process, const std::vector<KnownSum>& known, const Scale& asked);

/// The same of those that were run as `setup` runs them at that size. Where the library chooses, those that it chose;
/// where there are none, or a strategy names its algorithm, those of the same algorithm: programs differ by tens of per
/// cent. `setup` is at the asked scale.
SumCorrection correction_at(const ResidualProcess& process, const std::vector<KnownSum>& known, const StepSetup& setup,
                            const Parameters& likeliest, double size_bytes);

/// What a model says of a measured all-reduce, seconds.
using SumModel = std::function<double(const KnownSum&)>;

/// ln(what will be measured / model), by a model that `model_s` asks.
double ln_correction(const SumCorrection& correction, const SumModel& model_s);

/// The model of lone_all_reduce_s() with one sample.
SumModel sum_model(const StepSetup& setup, const Parameters& sample);

} // namespace ddlsim
