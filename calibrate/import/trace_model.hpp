#pragma once
// A layer table and records of layers, made of a profiler's trace: `ddlsim import kineto --layers FILE`.

#include "calibrate/import/traces.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/record.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

struct TracedModel {
  Model model;
  std::vector<LayerRecord> records; ///< in forward order: forward, then backward of each
  std::vector<std::string> notes;
};

/// The table is of the last step, times are medians of all these steps that ran the same layers. Model, batch, precision
/// and head are the step record's. Throws UserError where the trace says too little, with what to profile it with.
TracedModel traced_model(const KinetoTrace& trace, const std::vector<TraceInterval>& steps, const StepRecord& step,
                         const std::filesystem::path& file);

} // namespace ddlsim
