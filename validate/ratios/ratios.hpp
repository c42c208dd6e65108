#pragma once
// Predicts published speed-ups and efficiencies whose base rate is unknown, by the function behind `predict`.

#include "sim/formats/calibration.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/record.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Samples per second at one scale divided by those at another, with its 90 % interval.
struct Ratio {
  double times = 0; ///< how many times as fast; 0: no answer
  double low = 0;
  double high = 0;
};

/// Predicts the ratio from the rates of predict_point(). If the base is one GPU, which synchronises nothing, the ratio
/// is the number of GPUs times the efficiency that `predict` shows. The interval is that of a measurement. It keeps
/// both times of each sample together, and includes the residual that no parameter explains at the larger scale and the
/// noise of both measurements. Throws UserError if a scale is impossible.
Ratio predict_ratio(const Curve& curve, int base_gpus, int gpus);

/// A record with its predictions.
struct PredictedRatio {
  std::string cluster;
  SpeedUpRecord record;
  /// prediction before any measurement across GPUs, from priors without the site's own estimates
  Ratio from_cluster_file;
  Ratio as_shipped;    ///< prediction with the cluster's calibration file, as `predict` uses it
  std::string refusal; ///< why there is no answer; "" if there is one
};

/// Returns the calibration of a cluster; nothing if it has none.
using CalibrationOf = std::function<std::optional<Calibration>(const std::string& cluster)>;

/// Predicts every speed-up in `ratios`, by cluster and in their order. One-GPU times are those of `measured`. An entry
/// has a refusal if its cluster has no file, its model has no layer table, or `predict` refuses it.
std::vector<PredictedRatio> predict_ratios(const ReferenceData& reference, const CalibrationOf& calibration_of,
                                           const std::vector<MeasurementFile>& measured,
                                           const std::vector<MeasurementFile>& ratios);

/// Reads platforms/CLUSTER/ratios/*.jsonl, ordered by cluster and name. They are kept apart from the measurements,
/// because no fit uses them.
std::vector<MeasurementFile> read_ratios(const DataFolder& data);

/// Returns |ln(predicted / measured)|.
double ratio_error(const Ratio& predicted, const SpeedUpRecord& record);
bool holds(const Ratio& predicted, const SpeedUpRecord& record);

/// Returns a report as lines of text, each with a line end: mean errors in per cent by cluster and their mean, then
/// every ratio with its intervals.
std::string ratios_report_text(const std::vector<PredictedRatio>& ratios);

/// A JSON document of format ddlsim-ratios.
std::string ratios_json(const std::vector<PredictedRatio>& ratios);
FileFormat ratios_format();

} // namespace ddlsim
