#pragma once
// What one GPU takes, read back from runs of models that no GPU holds alone: the simulator says how much of a run is
// one GPU's compute.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The record that one GPU would have made: the time at which the simulator, by the formulas, takes as long as was
/// measured, with every parameter at the median of `reference`'s priors, by the fastest of the layouts that the record
/// leaves open. Its statistic says of how many GPUs that is, its uncertainty (StepRecord::read_back_uncertainty) how much was
/// taken off beside what the run computes again. Nothing where the simulator cannot time the run, or is slower with one
/// GPU that takes no time.
std::optional<StepRecord> read_back_one_gpu(const StepRecord& record, const Cluster& cluster,
                                            const ReferenceData& reference);

/// The same of each training record of model parallelism in `own`, the cluster's.
std::vector<StepRecord> read_back_pipelines(const std::vector<StepRecord>& own, const Cluster& cluster,
                                            const ReferenceData& reference);

/// The same of clusters of other sites, by cluster: of runs that differ in the number of GPUs alone the one on fewest.
std::vector<StepRecord> read_back_elsewhere(const std::map<std::string, std::vector<StepRecord>>& spread_on,
                                            const std::string& but_of_site, const ReferenceData& reference);

} // namespace ddlsim
