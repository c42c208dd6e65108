#pragma once
// Derives one-GPU times from runs of models that do not fit on one GPU. The simulator says how much of such a run is
// one GPU's compute.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Returns the record that one GPU would have made: its time is the one-GPU time at which the simulator, by the
/// formulas, gives the measured time. All parameters are at the medians of `reference`'s priors, and of the layouts
/// that the record leaves open the fastest is used. The record's statistic says from how many GPUs it comes. Its
/// uncertainty (StepRecord::read_back_uncertainty) says how much time was subtracted beside recomputation. Returns
/// nothing when the simulator cannot time the run, or when the run is too slow even with a GPU that takes no time.
std::optional<StepRecord> read_back_one_gpu(const StepRecord& record, const Cluster& cluster,
                                            const ReferenceData& reference);

/// Applies read_back_one_gpu() to each training record of model parallelism in `own`, which holds the records of the
/// cluster.
std::vector<StepRecord> read_back_pipelines(const std::vector<StepRecord>& own, const Cluster& cluster,
                                            const ReferenceData& reference);

/// Does the same for other clusters: those of other sites than that of `asked`, and for runs with experts on several
/// ranks all but `asked` itself, because what mixtures cost on another GPU of the site is known best there. Of runs that
/// differ only in the number of GPUs, it uses the one with the fewest.
std::vector<StepRecord> read_back_elsewhere(const std::map<std::string, std::vector<StepRecord>>& spread_on,
                                            const Cluster& asked, const ReferenceData& reference);

} // namespace ddlsim
