#pragma once
// Fits lines of iteration time over batch to the one-GPU records of a cluster, and lists the records that are excluded.

#include "sim/formats/batch_line.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/record.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Lines fitted to records of single GPUs.
struct ComputeFit {
  std::vector<BatchLine> lines;      ///< lines, ascending by GPU, model, precision and stack
  std::vector<Excluded> excluded;    ///< excluded records; `what` is "file:line" of a record
  std::vector<std::string> warnings; ///< warnings about a line: all records are at one batch, or duplicates disagree
};

/// Lines of all records that are of one GPU and train, without those of a server on another host. Of a GPU, model,
/// precision and stack the unsynchronised records are taken where there are some. Excluded, each with its reason:
///   - suspect records
///   - times 100 and more times off the roofline, or about 1000 off the others (milliseconds taken for seconds)
///   - of two records at one batch more than a fifth apart, the one further from the line of the other batches,
///     or from the middle of three and more records at this batch
///   - a batch between others more than a fifth off the line of at least three, or one at an end a factor 1.6 off
/// `unnamed_gpu` is the cluster's GPU, for records that name none. Where it is "" too, such records make lines of a GPU
/// without a name, without the checks that need the catalogue. Deterministic; the order of records does not matter.
ComputeFit fit_compute(const std::vector<StepRecord>& records, const std::vector<Gpu>& gpus,
                       const std::map<std::string, Model>& models, const std::string& unnamed_gpu);

/// Returns a table of the lines (fixed part, time and rate of a sample, batches, records, leave-one-out error), then
/// the excluded records with reasons, warnings, and the next measurement: a second batch for a line with one, a third
/// batch for a line without a leave-one-out error. "" if there is nothing to say.
std::string to_text(const ComputeFit& fit);

/// Returns one sentence for each of the lines that one more measurement would improve most, the most uncertain line
/// first; at most `most` sentences.
std::vector<std::string> compute_measure_next(const std::vector<BatchLine>& lines, std::size_t most);

} // namespace ddlsim
