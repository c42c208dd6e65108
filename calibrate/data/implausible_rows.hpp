#pragma once
// Rows of a table of times over sizes that cannot be what they say.

#include <string>
#include <vector>

namespace ddlsim {

/// One row of such a table.
struct TransferSample {
  double size_bytes = 0;
  double time_s = 0;
};

/// For each sample (ascending by size) why it is implausible, "" where it is not. A transfer's time grows with its
/// size, and no faster. A row, or a run of rows, about a thousand times beyond that is a slip of the unit; the smaller
/// part of the table is taken to have it. A single row three times off both neighbours that agree with each other is an
/// outlier.
std::vector<std::string> implausible_rows(const std::vector<TransferSample>& samples);

} // namespace ddlsim
