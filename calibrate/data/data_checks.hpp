#pragma once
// Evidence that a person should look at again: what cannot be meant as it stands, what stands alone, what is too
// little.

#include "calibrate/data/fit_data.hpp"
#include "calibrate/data/series.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Times a hundred times and more off what the simulator says before it learns anything: a slip of the unit. Takes the
/// points out; where most points of a series are that far off, or compute is as far from what the device can do, the
/// whole series goes: of training it is then the one-GPU time that slipped.
std::vector<Excluded> remove_unit_mistakes(std::vector<SeriesData>& fit_data);

/// Scales measured more than once with times that differ: their standard deviation is a tenth and more. The middle is
/// used, as noisy as they differ.
std::vector<Excluded> conflicting_repeats(const std::string& cluster, const std::vector<Series>& series);

/// What the cluster's own step times cannot tell, because there is one of them, because all are at one scale, or
/// because none crosses nodes.
std::vector<Excluded> thin_evidence(const Cluster& cluster, const std::vector<SeriesData>& fit_data);

/// Files in the cluster's folder whose records say that they are another cluster's.
std::vector<Excluded> misplaced_files(const std::string& cluster, const std::vector<MeasurementFile>& files);

/// Points of own series, of three scales and more, that are four standard deviations off what the fit and their
/// siblings say of them while those agree. The fit gives them little weight; from now on their noise is how far off
/// they are, so that nothing of them is carried to other scales.
std::vector<Excluded> mark_outliers(Calibration& calibration);

} // namespace ddlsim
