#pragma once
// The files that the fit of a cluster reads, and their checksum.

#include "calibrate/fit/calibrate.hpp"
#include "sim/formats/data_folder.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Checksum of the sources of model and fit, 16 hexadecimal digits. It is the same in every build type.
std::string model_version();

/// The files that a fit of the cluster reads: the shipped ones and, for a user's own cluster, that cluster's. They
/// leave out a scenario's own model, so that `predict` and `calibrate` fit the same.
DataFolder data_of_fit(const DataFolder& data, const std::string& cluster);

/// Checksum of the model version and of the names and bytes of all files that a fit of the cluster reads, as 16
/// hexadecimal digits. These are the catalogue, presets, priors, layer tables, and every cluster with its records,
/// because one-GPU times and contradictions are looked for in all of them. Throws UserError for a file that cannot be
/// read.
std::string fit_inputs(const DataFolder& data, const std::string& cluster);

/// Number of records that a fit of the cluster can use: its own, and those of the clusters that it borrows from.
std::size_t count_fitted_records(const DataFolder& data, const std::string& cluster);

/// The records of all clusters.
std::vector<MeasurementFile> all_records(const DataFolder& data);

/// Runs calibrate() on the files of data_of_fit() and stores their checksum in the calibration.
Calibrated fit_from_files(const DataFolder& data, const std::string& cluster, int threads);

} // namespace ddlsim
