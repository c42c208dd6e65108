#pragma once
// Data checks: finds measurements that a person should check, because they are implausible, the only ones, or too few.

#include "calibrate/data/fit_data.hpp"
#include "calibrate/data/series.hpp"
#include "sim/compute/other_clusters.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/record.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// How the reason begins if a series is not fitted because the simulator cannot time it.
inline constexpr std::string_view not_simulated = "the simulator cannot time it: ";

/// How the note begins if a series is fitted although no preset describes its stack.
inline constexpr std::string_view no_preset_of_it = "no preset: ";

/// The reason for leaving out a record that its own source marks as suspect.
inline constexpr std::string_view marked_by_source = "its source doubts it";

/// Removes points whose times are off the simulator's, at the priors' medians, by a factor of 100 or more: their unit
/// is wrong. It removes the whole series if most of its points are that far off. It does so too if its one-GPU time is
/// as far from what the device can do, because the unit of that time is then wrong.
std::vector<Excluded> remove_unit_mistakes(std::vector<SeriesData>& fit_data);

/// Removes step times that their source, or the importer, marks as suspect. A suspect record is never fitted.
std::vector<Excluded> remove_suspect_times(const Cluster& cluster, std::vector<SeriesData>& fit_data);

/// Removes step times of a series that are identical at three or more scales. A real run never repeats a time to the
/// last digit; a copied column does.
std::vector<Excluded> remove_equal_times(std::vector<SeriesData>& fit_data);

/// Reports scales that were measured several times with a standard deviation of a tenth or more. The fit uses the
/// median, and takes its noise from that deviation.
std::vector<Excluded> conflicting_repeats(const std::string& cluster, const std::vector<Series>& series);

/// Reports what the cluster's own step times cannot determine, because there is only one, all are at one scale, or none
/// crosses nodes.
std::vector<Excluded> thin_evidence(const Cluster& cluster, const std::vector<SeriesData>& fit_data);

/// Reports files in the cluster's folder whose records name another cluster.
std::vector<Excluded> misplaced_files(const std::string& cluster, const std::vector<MeasurementFile>& files);

/// Finds points that are four standard deviations off both the fit and the other points of their series, while these
/// agree. Only the cluster's own series of three scales and more count. The fit gave such points little weight. Their
/// noise becomes their distance, so that their residuals do not shift other scales.
std::vector<Excluded> mark_outliers(Calibration& calibration);

// Recognises a time in milliseconds where seconds were meant, and similar mistakes of units.

/// Whether a ratio is too large for any machine to explain: a factor of 100 or more in either direction. Takes the
/// logarithm of the ratio. Units are 1000 apart. Rooflines are within a factor 3 of every published CNN rate, and no
/// sample of the priors is off by 100.
bool is_unit_mistake(double ln_ratio);

/// Returns a text for the user, as in "about 1000 times longer than the device allows: a slip of the unit (s, ms or
/// us)?", where `than` is "the device allows".
std::string unit_mistake_text(double ln_ratio, const std::string& than);

// Selects the records of one GPU to which a line over batch may be fitted.

/// The facts with which a record's time is compared. Without a model or a GPU there is no roofline.
struct PlausibilityContext {
  const Model* model = nullptr;
  const Gpu* gpu = nullptr;
  FixedTime expected_fixed{};
};

/// Returns the records that the rules of fit_compute() keep, in the same order. `records` are of one GPU, model,
/// precision and stack, sorted by batch and time. Reasons are added to `excluded` and `warnings`.
std::vector<const StepRecord*> plausible_records(const std::vector<const StepRecord*>& records,
                                                 const PlausibilityContext& screen, std::vector<Excluded>& excluded,
                                                 std::vector<std::string>& warnings);

std::string place_of(const StepRecord& record); ///< returns "file:line", with the file's name without its folder
std::vector<BatchTime> batch_times(const std::vector<const StepRecord*>& records);

} // namespace ddlsim
