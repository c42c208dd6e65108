#pragma once
// Records of one GPU that could answer for a batch, and which of them is best.

#include "sim/compute/one_gpu_estimate.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ddlsim {

// One GPU's time at a batch that was not measured, near batches that were: no jump where other evidence takes over.

/// What is answered at a batch that was measured, carried to the batch asked for by the shape of its own curve.
struct NearBatch {
  double batch = 0;
  double time_s = 0;
};

struct JoinedTime {
  double time_s = 0;
  double near_s = 0;    ///< what the near batches alone say
  double deviation = 0; ///< standard deviation of ln time between the two, each with its share
};

/// Whether records at one batch have a say at the other: within a factor 1.5, as far as a line holds beyond its
/// batches.
bool is_near(double measured_batch, double batch);

/// The mean in ln time of `time_s`, which has the weight 1, and of the near batches, each with s / (1 - s), s falling
/// from 1 at its own batch to 0 where it is no longer near (straight in ln batch): at a measured batch its record alone
/// counts, beside it hardly anything else, and far from all of them `time_s`.
JoinedTime join_near_batches(double time_s, double batch, const std::vector<NearBatch>& near);

// Which records answer.

/// Whose records a curve is made of, best first.
enum class Pool { own, borrowed, reference };

/// Rungs of the ladder that need records of the question's GPU, best first.
enum class Rung { measured, on_line, measured_elsewhere, on_line_elsewhere, estimated };

/// One curve that could answer, and how well: smaller ranks first.
struct Candidate {
  Rung rung;
  Pool pool;
  bool other_preset;
  double batch_distance; ///< |ln(batch ratio)| to the nearest measured batch
  double time_s;
  const BatchCurve* curve;
  const CurvePoint* nearest;
  bool on_line;
};

/// Curves that may answer.
using Curves = std::vector<std::pair<const std::vector<BatchCurve>*, Pool>>;

/// A candidate for each curve of the GPU, model and precision asked for; those with the software asked for where there
/// are some.
std::vector<Candidate> candidates_on(const Curves& curves, const ComputeQuestion& question);

/// Those of the best rank, fastest first.
std::vector<Candidate> best_of(std::vector<Candidate> candidates);
const Candidate& middle_of(const std::vector<Candidate>& equals);

/// What is answered at each batch of the candidates that was measured and is near, carried to the batch asked for.
std::vector<NearBatch> near_batches(const Curves& curves, const std::vector<Candidate>& candidates,
                                    const ComputeQuestion& question);

bool inside(const BatchCurve& curve, double batch);   ///< between its smallest and largest batch
bool in_reach(const BatchCurve& curve, double batch); ///< where its line holds

} // namespace ddlsim
