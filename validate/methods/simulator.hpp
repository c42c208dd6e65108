#pragma once
// ddlsim as a method of the protocol: calibrated anew, in memory, from what a split shows; and without that.

#include "calibrate/data/fit_data.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/scenario.hpp"
#include "validate/method.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

/// A simulator with changed reference data, for example without a parameter, to compare with the one that users have.
struct SimulatorVariant {
  std::string name = "ddlsim";
  std::function<void(ReferenceData&)> change{}; ///< of what a split left of priors; none: as they are
  bool fitted = true;                           ///< calibrated on what a split shows
  int threads = 1;                              ///< share a fit's rows and a forecast's samples
};

/// "ddlsim": each cluster calibrated on the visible records by fit_cluster(), as its file would say it, and each point
/// asked by make_curve() and predict_point(): the functions that `ddlsim predict` answers with. What the split takes
/// away (priors) is missing in both. Refuses what `predict` refuses. `threads` share a fit's rows and a
/// forecast's samples.
std::unique_ptr<Method> make_simulator(const DataFolder& data, int threads = 1);

/// The same with reference data of the caller's.
std::unique_ptr<Method> make_simulator(const ReferenceData& reference, SimulatorVariant variant = {});

/// "uncalibrated": the same without the fit: the series' own one-GPU time, all else at the priors.
std::unique_ptr<Method> make_uncalibrated(const DataFolder& data, int threads = 1);

/// The reference data without the priors that that cluster's site shaped.
ReferenceData without_site(ReferenceData reference, const std::string& cluster);

/// The scenario whose only row is the question's point: it names the series, so that the one-GPU time is the series'
/// own, and the transport where the cluster has it; "all-reduce" without an algorithm is what the preset chooses.
/// Throws UserError for what no scenario can say: ranks that do not fill their nodes, a processor of a cluster of GPUs.
Scenario scenario_of(const Question& question, const Cluster& cluster);

/// One target of a series and the sample that its median prediction was made in.
struct ExplainedPoint {
  DataPoint point; ///< with the measured time
  Parameters sample;
};

/// The parts of each point, and of all parameter_fields() but model_discrepancy (which names no cause) the one whose
/// value, the same at all points, leaves the least mean error; searched between three standard deviations of its prior
/// on either side of the prior's median. Of several that do about as well, the one that moves by the fewest standard
/// deviations.
Explanation explain_points(const SeriesData& evidence, const std::vector<ExplainedPoint>& points, int threads = 1);

} // namespace ddlsim
