#pragma once
// How fast one GPU is without synchronisation, and where that is known from.

#include "sim/files/cluster.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/gpu.hpp"
#include "sim/files/measurement.hpp"
#include "sim/files/model.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// What a person asks of one GPU.
struct ComputeQuestion {
  const Model& model;
  const Gpu& gpu;
  std::string precision;
  double batch = 0;
  std::string preset; ///< records of the same framework are preferred
};

/// The time of one iteration of one GPU, and how good that figure is.
struct ComputeEvidence {
  double one_gpu_s = 0;
  std::string prior;  ///< prior of its doubt: compute_measured, compute_transferred, compute_roofline
  std::string label;  ///< calibrated, transferred, assumed
  std::string text;   ///< one sentence for the person
  std::string record; ///< "file:line" it came from, or ""
};

/// Best evidence first: a record of this cluster at this batch; of a borrowed cluster; of either at another batch,
/// carried over by t = a + c batch with a = 60 us a layer and pass; else the roofline of the catalogue. Records count
/// when they are of one GPU, training, the same model, precision and GPU, and not suspect; the preset's own come first,
/// then unsynchronised ones; among equals the median.
ComputeEvidence find_compute(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                             const std::vector<StepRecord>& borrowed);

/// Step records of the clusters that `cluster` borrows `step` from.
std::vector<StepRecord> borrowed_steps(const DataFolder& data, const Cluster& cluster);

/// Iteration time at another batch when one is known: t(b) = a + c b.
double carry_to_batch(const Model& model, double time_s, double batch_from, double batch_to);

} // namespace ddlsim
