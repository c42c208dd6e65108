#pragma once
// Predicts all-reduces that were measured size by size. The library's rule chooses the algorithm.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/record.hpp"
#include "sim/predict/prediction.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// One size of a measured table with its predictions, in seconds. A prediction is 0 where a method gives none.
struct PredictedCollective {
  std::string cluster;
  std::string table; ///< name such as "p4d/a100-p4d-2: all_reduce of 16 ranks on 2 nodes"
  std::string transport;
  int ranks = 0;
  int nodes = 0;
  double size_bytes = 0;
  double measured_s = 0;
  double from_cluster_file_s = 0; ///< prediction by ddlsim before any measurement, from priors
  /// prediction by ddlsim when it is calibrated on two sizes of this table and corrected by them
  double from_two_sizes_s = 0;
  bool held = false;              ///< whether the time is inside the 90 % interval of the cluster file alone
  bool held_by_two_sizes = false; ///< whether the time is inside the 90 % interval of the prediction from two sizes
  double line_s = 0;              ///< time on the straight line through the same two sizes: latency + size / rate
  double s_low = 0;               ///< low end of the 90 % interval of the cluster file alone
  double s_high = 0;              ///< its high end
};

/// Predicts every all-reduce of the clusters' records over a transport of the cluster's file, ordered by cluster, table
/// and size. The fit sees two sizes of each table, which are not predicted: the one nearest 256 MiB, and the one
/// nearest a 256th of that. Evidence of the table's own site is removed from the priors. The library's rule chooses the
/// algorithm for each size, in the version that the records state, else in the usual one of the priors' preset. A table
/// that states its algorithm was forced to use it. Tables of fewer than three sizes are left out.
std::vector<PredictedCollective> predict_collectives(const ReferenceData& reference,
                                                     const std::vector<MeasurementFile>& files);

/// One size of a measured table that is predicted from the cluster file and the priors alone.
struct UnseenCollective {
  std::string table;
  int ranks = 0;
  int nodes = 0;
  double size_bytes = 0;
  double measured_s = 0;
  IterationTime predicted;
};

/// Predicts every size of every table of all-reduces as `predict --collective` does before any measurement. No prior is
/// left out, so the priors must not have been fitted to these files.
std::vector<UnseenCollective> predict_unseen_collectives(const ReferenceData& reference,
                                                         const std::vector<MeasurementFile>& files);

/// Returns a report as lines of text, each with a line end. It has mean errors in per cent, averaged over a table and
/// then over tables: by class of size for NCCL and for libraries over host memory (MPI, Gloo), then by cluster. The
/// ranges hold 90 % of the means over resampled tables.
std::string collectives_report_text(const std::vector<PredictedCollective>& points);

/// A JSON document of format ddlsim-collectives.
std::string collectives_json(const std::vector<PredictedCollective>& points);
FileFormat collectives_format();

} // namespace ddlsim
