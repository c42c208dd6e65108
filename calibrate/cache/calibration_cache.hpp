#pragma once
// A cache of calibrations. A cluster is fitted where no calibration is kept for the present files, and the result is
// kept.

#include "sim/formats/data_folder.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace ddlsim {

struct CalibrationCache {
  std::filesystem::path shipped; ///< folder that comes with a package and is never written; empty: there is none
  std::filesystem::path kept;    ///< folder for new fits, which is created if missing; empty: fits are not kept
  std::function<void(const std::string&)> narrate{}; ///< called with a line about each new fit; may be empty
  int threads = 1;                                   ///< number of threads of a fit; its result does not depend on it
};

/// The folder where fits are kept; empty if there is none. It is $DDLSIM_CACHE if that is set; else build/calibrations
/// of `checkout`, the checkout that the program belongs to. For an empty `checkout` it is $XDG_CACHE_HOME/ddlsim, else
/// ~/.cache/ddlsim.
std::filesystem::path cache_folder(const std::filesystem::path& checkout);

/// Returns a source for DataFolder::calibrations. The calibration of a cluster is the first of these:
/// 1. calibration.json in the cluster's folder, which `ddlsim calibrate` writes
/// 2. that of the package
/// 3. that of an earlier question
/// 4. a new fit, which is then kept; of each cluster the last few that were used stay
/// The first three count only if they were fitted to exactly today's files by exactly today's model. A cluster without
/// records to fit, of its own or borrowed, has none.
/// The calibration does not depend on where it was found. Of several processes that need the same fit, one fits and the
/// others wait for it. The function and its copies also remember a fit. Throws UserError for mistakes in the files that
/// a fit reads.
CalibrationSource fitted_calibrations(CalibrationCache cache);

/// The name of the calibration of these inputs in both folders: NAME-INPUTS.json.
std::string cached_name(const std::string& cluster, const std::string& inputs);

/// Number of calibrations that are kept for each cluster: that of the present files, and a few for variations of them.
inline constexpr std::size_t most_cached = 4;

} // namespace ddlsim
