#pragma once
// Stand-alone all-reduces that were measured on this cluster. They correct the model at neighbouring sizes and scales.

#include "sim/formats/calibration.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/residual_process.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace ddlsim {

/// One size of a measured table.
struct MeasuredAllReduce {
  Scale at;
  double time_s = 0;
  double noise = 0;                      ///< standard deviation of ln(time_s)
  std::optional<StrategyName> algorithm; ///< algorithm of the all-reduce; nothing: the library chose it
  std::size_t table = 0;                 ///< index of its table
};

/// Returns the all-reduces in a calibration's curves that this library ran over this transport, at the measured sizes.
/// Tables of NCCL on one node need not name the transport.
std::vector<MeasuredAllReduce> measured_all_reduces(const std::vector<CollectiveCurve>& curves,
                                                    const Transport& transport, CollectiveLibrary library);

/// The correction of one all-reduce by its neighbours: ln(time) = ln(model) + sum over neighbours of weight x
/// ln(measured / model).
struct AllReduceCorrection {
  std::vector<MeasuredAllReduce> neighbours;
  ResidualWeights of; ///< weights of the neighbours, and the remaining standard deviation
};

/// Uses from each table the sizes just below and above the requested one. The weights follow all_reduce_process().
AllReduceCorrection correction_at(const ResidualProcess& process, const std::vector<MeasuredAllReduce>& known,
                                  const Scale& requested);

/// Returns correction_at() from the tables that ran as `setup` runs at that size. `setup` is at the requested scale.
/// Where the library chooses the algorithm, these are the tables in which it chose. If there are none, or if the
/// strategy names its algorithm, they are those with the same algorithm, because programs differ by tens of per cent.
AllReduceCorrection correction_at(const ResidualProcess& process, const std::vector<MeasuredAllReduce>& known,
                                  const StepSetup& setup, const Parameters& likeliest, double size_bytes);

/// Returns the simulated time of a measured all-reduce, seconds.
using AllReduceModel = std::function<double(const MeasuredAllReduce&)>;

/// Returns ln(expected measurement / model). `model_s` gives the model's times.
double ln_correction(const AllReduceCorrection& correction, const AllReduceModel& model_s);

/// Returns the model lone_all_reduce_s() with one sample.
AllReduceModel all_reduce_model_of(const StepSetup& setup, const Parameters& sample);

} // namespace ddlsim
