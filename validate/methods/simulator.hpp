#pragma once
// ddlsim as a method of the protocol. It is calibrated in memory on what a split shows, or not calibrated at all.

#include "calibrate/data/fit_data.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/scenario.hpp"
#include "validate/method.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

/// A simulator with changed reference data, for example without a parameter, to compare with the usual one.
struct SimulatorVariant {
  std::string name = "ddlsim";
  std::function<void(ReferenceData&)> change{}; ///< applied to the priors that the split shows; empty: no change
  bool fitted = true;                           ///< whether the method is calibrated on the records that a split shows
  int threads = 1; ///< number of threads that share the rows of a fit and the samples of a forecast
};

/// "ddlsim": fits each cluster to the visible records by fit_cluster(), and predicts each point by make_curve() and
/// predict_point(), which `ddlsim predict` uses too. Both lack the priors that the split leaves out. It refuses what
/// `predict` refuses. `threads` threads share the rows of a fit and the samples of a forecast.
std::unique_ptr<Method> make_simulator(const DataFolder& data, int threads = 1);

/// Does the same with the caller's reference data.
std::unique_ptr<Method> make_simulator(const ReferenceData& reference, SimulatorVariant variant = {});

/// "uncalibrated": the same without the fit. It uses the series' own one-GPU time, and the priors for everything else.
std::unique_ptr<Method> make_uncalibrated(const DataFolder& data, int threads = 1);

/// Returns the reference data without the estimates that the cluster's own site added to the priors.
ReferenceData without_site(ReferenceData reference, const std::string& cluster);

/// Returns the scenario whose only row is the question's point. It names the series, so that the series' own one-GPU
/// time is used, and the transport if the cluster has it. For "all-reduce" without an algorithm the preset chooses one.
/// Throws UserError for what no scenario can express: ranks that do not fill their nodes, or a processor in a cluster
/// of GPUs.
Scenario scenario_of(const Question& question, const Cluster& cluster);

/// One target of a series and the parameter sample behind its median prediction.
struct ExplainedPoint {
  DataPoint point; ///< the point with its measured time
  Parameters sample;
};

/// Returns the parts of each point, and the parameter whose change leaves the least mean error. All of
/// parameter_fields() are tried except model_discrepancy, which names no cause. A parameter has one value at all
/// points, at most three standard deviations of the prior from its median. Of several that do about as well, the one
/// that moves by the fewest standard deviations is taken.
Explanation explain_points(const SeriesData& evidence, const std::vector<ExplainedPoint>& points, int threads = 1);

} // namespace ddlsim
