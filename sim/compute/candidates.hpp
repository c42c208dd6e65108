#pragma once
// Records of one GPU that could give the time at a batch, and the choice of the best.

#include "sim/compute/one_gpu_estimate.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ddlsim {

// The time at a batch that was not measured but is near measured ones. It does not jump where another record becomes
// the best.

/// A measured batch, and its time scaled to the question's batch by the shape of its own curve.
struct NeighbourBatch {
  double batch = 0;
  double time_s = 0;
};

struct JoinedTime {
  double time_s = 0;
  double near_s = 0;    ///< time by the neighbouring batches alone
  double deviation = 0; ///< weighted standard deviation of ln between time_s before joining and near_s
};

/// Returns whether records at one batch are used at the other: the two are within a factor 1.5, which is how far a line
/// is trusted beyond its batches.
bool is_near(double measured_batch, double batch);

/// Returns the weighted mean in ln time of `time_s` and of the near batches. `time_s` has weight 1 and each batch s /
/// (1 - s), where s falls linearly in ln batch from 1 at the measured batch to 0 where it is no longer near. So a
/// measured batch decides at its own place and close to it, and `time_s` decides far from all measured batches.
JoinedTime join_neighbour_batches(double time_s, double batch, const std::vector<NeighbourBatch>& near);

// The choice of the records that give the answer.

/// Where the records of a curve come from, best first.
enum class Pool { own, borrowed, reference };

/// The kinds of evidence from records of the question's GPU, best first.
enum class EvidenceKind { measured, on_line, measured_elsewhere, on_line_elsewhere, estimated };

/// One curve that could give the answer, with the fields that rank it; smaller values are better.
struct Candidate {
  EvidenceKind evidence;
  Pool pool;
  bool other_preset;
  double batch_distance; ///< |ln(batch ratio)| between the question's batch and the nearest measured one
  double time_s;
  const BatchCurve* curve;
  const CurvePoint* nearest;
  bool on_line;
};

/// The curves that may give the answer, by pool.
using Curves = std::vector<std::pair<const std::vector<BatchCurve>*, Pool>>;

/// Returns a candidate for each curve of the question's GPU, model and precision; if some have the question's software,
/// only those.
std::vector<Candidate> candidates_on(const Curves& curves, const ComputeQuestion& question);

/// Returns the candidates of the best rank, the fastest first.
std::vector<Candidate> best_of(std::vector<Candidate> candidates);
const Candidate& middle_of(const std::vector<Candidate>& equals);

/// Returns the times at the candidates' measured batches near the question's, scaled to the question's batch.
std::vector<NeighbourBatch> neighbour_batches(const Curves& curves, const std::vector<Candidate>& candidates,
                                              const ComputeQuestion& question);

/// whether the batch is between the smallest and the largest batch of the curve
bool inside(const BatchCurve& curve, double batch);
bool in_reach(const BatchCurve& curve, double batch); ///< whether the curve's line holds at the batch

} // namespace ddlsim
