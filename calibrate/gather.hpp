#pragma once
// Everything a cluster's fit may learn from: its own records, and those of the clusters it borrows from.

#include "calibrate/step_evidence.hpp"
#include "sim/files/calibration.hpp"
#include "sim/files/measurement.hpp"

#include <string>
#include <vector>

namespace ddlsim {

struct Gathered {
  std::vector<SeriesEvidence> evidence; ///< step series first, own before borrowed; then transfers alone
  std::vector<SetAside> set_aside;
};

/// `series` and `files` may be of many clusters; only this one's and those it borrows from are looked at, the others
/// only tell contradictions. Step series: all that the simulator can time. Transfers alone,
/// of 16 KiB and more, over a path that the cluster file has: all-reduces, messages, exchanges with a server. What a
/// lender measured is told about the lender's own machine, and what is shared are efficiencies, latencies and software
/// costs.
Gathered gather(const Shelf& shelf, const std::string& cluster, const std::vector<Series>& series,
                const std::vector<MeasurementFile>& files);

} // namespace ddlsim
