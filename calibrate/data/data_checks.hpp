#pragma once
// Data checks: measurements that a person should look at again, because they are implausible, alone or too few.

#include "calibrate/data/fit_data.hpp"
#include "calibrate/data/series.hpp"
#include "sim/compute/batch_curve.hpp"
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

/// The begin of the reason why the fit leaves a series out that the simulator cannot time.
inline constexpr std::string_view not_simulated = "the simulator cannot time it: ";

/// The begin of the note on a series that is fitted although its stack has no preset.
inline constexpr std::string_view no_preset_of_it = "no preset: ";

/// The reason where a record's own source marks it as suspect.
inline constexpr std::string_view marked_by_source = "its source doubts it";

/// Takes out points whose times are a hundred times and more off the simulator at the priors' medians: a slip of the
/// unit. Where most points of a series are that far off, or its one-GPU time is as far from what the device can do, the
/// whole series goes: of a training series the one-GPU time has then the wrong unit.
std::vector<Excluded> remove_unit_mistakes(std::vector<SeriesData>& fit_data);

/// Removes step times that their source, or whoever imported them, marks as suspect: a suspect record is never fitted.
std::vector<Excluded> remove_suspect_times(const Cluster& cluster, std::vector<SeriesData>& fit_data);

/// Takes out step times of a series that are one and the same at three scales and more: no run scales like that to the
/// last digit, and a column that was copied does.
std::vector<Excluded> remove_equal_times(std::vector<SeriesData>& fit_data);

/// Scales measured more than once with times that differ: their standard deviation is a tenth and more. The middle is
/// used, as noisy as they differ.
std::vector<Excluded> conflicting_repeats(const std::string& cluster, const std::vector<Series>& series);

/// What the cluster's own step times leave open: there is only one, all are at one scale, or none
/// crosses nodes.
std::vector<Excluded> thin_evidence(const Cluster& cluster, const std::vector<SeriesData>& fit_data);

/// Files in the cluster's folder whose records say that they are another cluster's.
std::vector<Excluded> misplaced_files(const std::string& cluster, const std::vector<MeasurementFile>& files);

/// Points of own series of three scales and more that are four standard deviations off the fit and the other points of
/// their series, while those agree. The fit gave them little weight; their noise becomes how far off they are, so that
/// their residuals do not shift other scales.
std::vector<Excluded> mark_outliers(Calibration& calibration);

// A time in milliseconds where seconds were meant, or the like.

/// True of a logarithm of a ratio that no machine explains: 100 times and more. Units are 1000 apart; rooflines are
/// within a factor 3 of every published CNN rate, and no sample of the priors is off by 100.
bool is_unit_mistake(double ln_ratio);

/// "about 1000 times longer than the device allows: a slip of the unit (s, ms or us)?"; `than`: "the device allows".
std::string unit_mistake_text(double ln_ratio, const std::string& than);

// Which of one curve's records a line may be drawn through.

/// What a record's time is compared with. Without model or GPU there is no roofline.
struct PlausibilityContext {
  const Model* model = nullptr;
  const Gpu* gpu = nullptr;
  FixedTime expected_fixed{};
};

/// `records` are of one GPU, model, precision and stack, sorted by batch and time; what is left of them, in the same
/// order, by the rules of fit_compute. Adds to `excluded` and `warnings`.
std::vector<const StepRecord*> plausible_records(const std::vector<const StepRecord*>& records,
                                                 const PlausibilityContext& screen, std::vector<Excluded>& excluded,
                                                 std::vector<std::string>& warnings);

std::string place_of(const StepRecord& record); ///< "file:line", file without its folder
std::vector<BatchTime> batch_times(const std::vector<const StepRecord*>& records);

} // namespace ddlsim
