#pragma once
// A cache of calibrations. A cluster is fitted where no calibration is kept for the present files; the result is kept.

#include "sim/formats/data_folder.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace ddlsim {

struct CalibrationCache {
  std::filesystem::path shipped;                     ///< comes with a package and is never written; empty: none
  std::filesystem::path kept;                        ///< where new fits are written, created if missing; empty: nowhere
  std::function<void(const std::string&)> narrate{}; ///< called with a line about each new fit; may be empty
  int threads = 1;                                   ///< of a fit; its result does not depend on them
};

/// The folder where fits are kept: $DDLSIM_CACHE if set; else build/calibrations of `checkout`, the checkout that the
/// program belongs to; for an empty `checkout` $XDG_CACHE_HOME/ddlsim, else ~/.cache/ddlsim. Empty if there is none.
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

/// The name of the calibration of these inputs in both folders: NAME-INPUTS.json.
std::string cached_name(const std::string& cluster, const std::string& inputs);

/// How many calibrations are kept for each cluster: that of the present files and a few for variations of them.
inline constexpr std::size_t most_cached = 4;

} // namespace ddlsim
