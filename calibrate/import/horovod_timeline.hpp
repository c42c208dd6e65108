#pragma once
// Horovod's timeline (HOROVOD_TIMELINE=FILE): Chrome trace JSON, a process for each tensor; often not closed, because
// the job was killed or is running yet.

#include "calibrate/import/kineto_trace.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

struct HorovodTimeline {
  int ranks = 0;                            ///< that answered in negotiations; 0: the file has none
  int tensors = 0;                          ///< that were summed
  std::string library;                      ///< nccl, mpi, gloo; "": not stated
  bool is_cut = false;                      ///< the file ends within the list
  std::vector<double> steps_s;              ///< from one sum to the next of the tensor that was summed most often
  std::vector<TraceInterval> negotiations;  ///< of gradients, all tensors
  std::vector<TraceInterval> sums;          ///< from the end of a negotiation to the sum's, all tensors
  std::vector<TraceInterval> library_calls; ///< the part of it inside NCCL, MPI or Gloo
};

/// Reads event by event. A file that ends early gives what it has; throws UserError where it is no such JSON before
/// that.
HorovodTimeline read_horovod_timeline(const std::filesystem::path& file);

} // namespace ddlsim
