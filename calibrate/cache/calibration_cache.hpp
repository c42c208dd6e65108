#pragma once
// Calibrations as a cache: fitted where none is kept for the files as they are, and kept for the next question.

#include "sim/formats/data_folder.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace ddlsim {

struct CalibrationCache {
  std::filesystem::path shipped;                     ///< made with a package, never written; empty: none
  std::filesystem::path kept;                        ///< where fits are put, made where it is missing; empty: nowhere
  std::function<void(const std::string&)> narrate{}; ///< called with a line about what is fitted; may be empty
  int threads = 1;                                   ///< of a fit, which does not depend on it
};

/// Where fits are kept: $DDLSIM_CACHE; build/calibrations of the checkout that a program is part of; for an empty
/// `checkout` $XDG_CACHE_HOME/ddlsim or ~/.cache/ddlsim. The first that there is; empty where none is.
std::filesystem::path cache_folder(const std::filesystem::path& checkout);

/// For DataFolder::calibrations. The calibration of a cluster is the first of these:
///   1. calibration.json in the cluster's folder, which `ddlsim calibrate` writes
///   2. that of the package
///   3. that of an earlier question
///   4. a new fit, which is then kept; of each cluster the last few that were used stay
/// One to three hold only where they were fitted to the very files and by the very model of today; any other is as if
/// it were not there. Nothing for a cluster without records to fit, of its own or borrowed. What comes back does not
/// depend on where it was found, nor on other processes that fit the same: one fits, the others wait for it. A fit is
/// also remembered by the function itself and its copies. Throws UserError for mistakes in the files that a fit reads.
CalibrationSource fitted_calibrations(CalibrationCache cache);

/// NAME-INPUTS.json, as a calibration of these inputs is called in both folders.
std::string cached_name(const std::string& cluster, const std::string& inputs);

/// How many calibrations of a cluster are kept: those of the files as they are, and of a few variations.
inline constexpr std::size_t most_cached = 4;

} // namespace ddlsim
