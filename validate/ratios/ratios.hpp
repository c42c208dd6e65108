#pragma once
// Speed-ups and efficiencies that were published without a base rate, predicted by the function behind `predict`.

#include "sim/formats/calibration.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Samples a second on one scale over those on another, with the ends of its 90 % interval.
struct Ratio {
  double times = 0; ///< 0: no answer
  double low = 0;
  double high = 0;
};

/// The rates are predict_point()'s. Over the rate of one GPU, which synchronises nothing, the ratio is the number of
/// GPUs times what `predict` calls efficiency. The interval is of what would be measured: each sample's two times
/// together, what no parameter explains at the larger scale, and the noise of both measurements. Throws UserError where
/// a scale cannot be.
Ratio predict_ratio(const Curve& curve, int base_gpus, int gpus);

/// One record with its predictions.
struct PredictedRatio {
  std::string cluster;
  SpeedUpRecord record;
  Ratio from_cluster_file; ///< before any measurement across GPUs: priors without what the cluster's site shaped
  Ratio as_shipped;        ///< with the cluster's calibration file, as `predict` would
  std::string refusal;     ///< not empty: why there is no answer
};

/// What is known beside the records: the calibration of a cluster, where it has one.
using CalibrationOf = std::function<std::optional<Calibration>(const std::string& cluster)>;

/// Every speed-up in `ratios`, by cluster and in their order. One-GPU times are those of `measured`. A cluster without
/// a file, a model without a layer table and what `predict` refuses have a refusal.
std::vector<PredictedRatio> predict_ratios(const ReferenceData& reference, const CalibrationOf& calibration_of,
                                           const std::vector<MeasurementFile>& measured,
                                           const std::vector<MeasurementFile>& ratios);

/// platforms/CLUSTER/ratios/*.jsonl, by cluster and name: apart from the measurements, since nothing learns from them.
std::vector<MeasurementFile> read_ratios(const DataFolder& data);

/// |ln(predicted / measured)|.
double ratio_error(const Ratio& predicted, const SpeedUpRecord& record);
bool holds(const Ratio& predicted, const SpeedUpRecord& record);

/// Mean errors in per cent by cluster and their mean, then every ratio with its intervals. Lines, each ended.
std::string ratios_report_text(const std::vector<PredictedRatio>& ratios);

/// {"format":"ddlsim-ratios","version":1,"mean":{...},"by_cluster":[...],"ratios":[...]}: errors as shares.
std::string ratios_json(const std::vector<PredictedRatio>& ratios);

} // namespace ddlsim
