#pragma once
// One-GPU records of a cluster -> lines of iteration time over batch, and what was set aside.

#include "sim/formats/batch_line.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/record.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// What records say of single GPUs.
struct ComputeFit {
  std::vector<BatchLine> lines;   ///< by GPU, model, precision, stack
  std::vector<Excluded> excluded; ///< `what`: "file:line" of a record that plays no part
  std::vector<std::string>
      warnings; ///< what a person should know of a line: all at one batch, duplicates that disagree
};

/// Lines of all records that are of one GPU and train. Of a GPU, model, precision and stack the unsynchronised records
/// are taken where there are some. Set aside, and said: suspect records; times 100 and more times off the roofline, or
/// about 1000 off the others (milliseconds taken for seconds); a record that differs from another one at the same batch
/// by more than a fifth when the other batches' line speaks for the other, or when three and more agree without it; a
/// batch between others more than a fifth off the line of at least three, or one at an end more than a factor 1.6 off.
/// `unnamed_gpu` is the cluster's own, for records that name none; "" when it has none: such records then make lines of
/// a GPU without name, without the checks that need the catalogue. Deterministic; the order of records does not matter.
ComputeFit fit_compute(const std::vector<StepRecord>& records, const std::vector<Gpu>& gpus,
                       const std::map<std::string, Model>& models, const std::string& unnamed_gpu);

} // namespace ddlsim
