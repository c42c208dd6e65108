#pragma once
// What one GPU takes, read back from runs of models that no GPU holds alone.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <vector>

namespace ddlsim {

/// A record of one GPU alone for each training record of model parallelism in `own`, the cluster's: the time at which
/// the simulator takes as long as was measured, with every parameter at the median of `reference`'s priors. Its
/// statistic says of how many GPUs that is. None where the simulator cannot time the run, or is slower with one GPU
/// that takes no time.
std::vector<StepRecord> read_back_one_gpu(const std::vector<StepRecord>& own, const Cluster& cluster,
                                          const ReferenceData& reference);

} // namespace ddlsim
