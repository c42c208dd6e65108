#pragma once
// All-reduces that were measured by themselves on this cluster. They correct the model at neighbouring sizes and
// scales.

#include "sim/formats/calibration.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/residual_process.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace ddlsim {

/// One size of a table.
struct MeasuredAllReduce {
  Scale at;
  double time_s = 0;
  double noise = 0;                      ///< standard deviation of ln(time_s)
  std::optional<StrategyName> algorithm; ///< none: the library chose
  std::size_t table = 0;                 ///< the table that it is in
};

/// The all-reduces of a calibration's curves that this library ran over this transport: those measured at the sizes of
/// the curves. Tables of NCCL on one node need not name the transport.
std::vector<MeasuredAllReduce> measured_all_reduces(const std::vector<CollectiveCurve>& curves,
                                                    const Transport& transport, CollectiveLibrary library);

/// The correction of one all-reduce by its neighbours: ln(time) = ln(model there) + sum of weight x ln(measured /
/// model) of each.
struct AllReduceCorrection {
  std::vector<MeasuredAllReduce> neighbours;
  ResidualWeights of; ///< weights of the neighbours, and the standard deviation that remains
};

/// Uses, of each table, the sizes next to the requested one on either side, by all_reduce_process().
AllReduceCorrection correction_at(const ResidualProcess& process, const std::vector<MeasuredAllReduce>& known,
                                  const Scale& requested);

/// The same of those that were run as `setup` runs them at that size. Where the library chooses, those that it chose;
/// where there are none, or a strategy names its algorithm, those of the same algorithm: programs differ by tens of per
/// cent. `setup` is at the requested scale.
AllReduceCorrection correction_at(const ResidualProcess& process, const std::vector<MeasuredAllReduce>& known,
                                  const StepSetup& setup, const Parameters& likeliest, double size_bytes);

/// The simulated time of a measured all-reduce, seconds.
using AllReduceModel = std::function<double(const MeasuredAllReduce&)>;

/// ln(what will be measured / model), by a model that `model_s` asks.
double ln_correction(const AllReduceCorrection& correction, const AllReduceModel& model_s);

/// The model of lone_all_reduce_s() with one sample.
AllReduceModel all_reduce_model_of(const StepSetup& setup, const Parameters& sample);

} // namespace ddlsim
