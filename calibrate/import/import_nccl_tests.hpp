#pragma once
// `ddlsim import nccl-tests FILE`: what all_reduce_perf and its siblings print, as text or as JSON.

#include "calibrate/import/imported.hpp"

#include <filesystem>

namespace ddlsim {

/// One collective record a row and half (out of place, in place); size_bytes is the program's `size`, time_s its
/// `time`. `said.given` may have operation, ranks, nodes, transport and algorithm: they come before what the log says.
/// Throws UserError with every mistake of the file: a row that is not whole, a bandwidth that contradicts its time,
/// size and number of ranks (NVIDIA/nccl-tests doc/PERFORMANCE.md), a run whose ranks or operation cannot be told.
Imported import_nccl_tests(const std::filesystem::path& file, const ImportContext& stated);

} // namespace ddlsim
