#pragma once
// Sorts records of collectives and messages into the points to which curves are fitted. Records that are not used are
// listed with the reason.

#include "sim/formats/calibration.hpp"
#include "sim/formats/library_version.hpp"
#include "sim/formats/record.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// One row of a table of times over sizes.
struct TransferSample {
  double size_bytes = 0;
  double time_s = 0;
};

/// One size of a curve, with the median of all times measured at that size.
struct CollectiveSample {
  TransferSample sample;
  double spread = 0; ///< standard deviation of ln time, between its records or as a record states it; 0: not known
  std::vector<int> lines;
};

/// All usable samples of one curve.
struct CollectiveData {
  CollectiveKey key;
  std::string file;                      ///< path of the file that the records were read from
  std::optional<LibraryVersion> version; ///< version of the library, if the curve's records or their context state it
  std::vector<CollectiveSample> samples; ///< samples, ascending by size
  std::vector<Excluded> notes;
};

struct AllCollectiveData {
  std::vector<CollectiveData> curves; ///< curves, ascending by key
  std::vector<Excluded> notes;        ///< notes on records that belong to no curve
};

/// Groups the records into curves. These are excluded, each with a note: runs that shared their links with others;
/// suspect records; rows about a thousand times off their neighbours (a wrong unit); rows three times off both
/// neighbours. These are used, with a note: records of one size that differ by half or more; a table that equals
/// another.
AllCollectiveData collective_data(const std::vector<MeasurementFile>& files);

/// Returns the name of a curve for messages, such as "v100-2x1, all_reduce of 2 ranks on 2 nodes".
std::string curve_name(const CollectiveKey& key);

/// Returns line numbers for people, as in "4-12, 15"; where there are many gaps as in "4-190, 95 of them".
std::string lines_text(std::vector<int> lines);

/// Returns for each sample (ascending by size) why it is implausible; "" where it is plausible. A transfer's time grows
/// with its size, and no faster. A row, or a run of rows, about a thousand times beyond that has a wrong unit; the
/// smaller part of the table is taken to have it. A single row that is three times off two neighbours is an outlier if
/// these agree with each other.
std::vector<std::string> implausible_rows(const std::vector<TransferSample>& samples);

} // namespace ddlsim
