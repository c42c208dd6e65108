#pragma once
// The time of one GPU where it was measured for the very question, or where the user states it.

#include "sim/compute/one_gpu_estimate.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Returns the time as it was measured on the question's own cluster, under its stack and at its batch, or as the user
/// states it; nothing otherwise. Of several equally good records the middle one counts. Records contradict each other
/// when they differ by more than `repeat_difference`, in ln.
std::optional<OneGpuEstimate> find_measured(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                                            const std::string& unnamed_gpu, double repeat_difference);

/// Returns the note that an answer has for a device that the cluster does not name; "" for one that it names.
std::string unnamed_text(const ComputeQuestion& question);

/// Returns "file:line" of a record.
std::string record_place(const StepRecord& record);

} // namespace ddlsim
