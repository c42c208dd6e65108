#pragma once
// What a calibration was fitted on, and whether it still stands on the files as they are now.

#include "sim/formats/calibration.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/data_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// What a fit reads of the cluster's file.
FittedMachine fitted_machine(const Cluster& cluster);

/// Whose measurements a fit of the cluster reads: its own, and those of the clusters that it borrows steps or transfers
/// from; by name.
std::vector<std::string> fitted_clusters(const Cluster& cluster);

/// "CLUSTER/FILE fnv1a" of one file of records.
std::string records_checksum(const std::string& cluster, const std::filesystem::path& file);

/// Takes out of the calibration what was measured on a machine that is another one today, so that priors hold for it:
///   the GPU       compute factors, and the share of forward
///   inside a node the paths there, all that was learnt of shm, and every series' residuals
///   a NIC, or the fabric: all that was learnt over the transports concerned, with their residuals
/// A borrowed point is measured on its own cluster's machine, whatever became of this one. Records that changed, came or
/// went take nothing out: the fit is only older than they are.
/// Returns a sentence for each of the two that happened, with the command to run; none where the calibration stands.
/// Throws UserError when the file of a cluster that was borrowed from cannot be read.
std::vector<std::string> forget_what_changed(Calibration& calibration, const Cluster& cluster, const DataFolder& data);

} // namespace ddlsim
