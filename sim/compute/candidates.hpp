#pragma once
// Records of one GPU that could answer for a batch, and which of them is best.

#include "sim/compute/one_gpu_estimate.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ddlsim {

// One GPU's time at a batch that was not measured but has measured neighbours: the time has no jump where other
// evidence takes over.

/// The time at a measured batch, scaled to the question's batch by the shape of its own curve.
struct NeighbourBatch {
  double batch = 0;
  double time_s = 0;
};

struct JoinedTime {
  double time_s = 0;
  double near_s = 0;    ///< by the neighbouring batches alone
  double deviation = 0; ///< standard deviation of ln time between the two, each with its share
};

/// Whether records at one batch count at the other: within a factor 1.5, as far as a line holds beyond its batches.
bool is_near(double measured_batch, double batch);

/// The mean in ln time of `time_s`, which has the weight 1, and of the near batches, each with s / (1 - s), s falling
/// from 1 at its own batch to 0 where it is no longer near (straight in ln batch): at a measured batch its record alone
/// counts, beside it hardly anything else, and far from all of them `time_s`.
JoinedTime join_neighbour_batches(double time_s, double batch, const std::vector<NeighbourBatch>& near);

// Which records answer.

/// Where the records of a curve come from, best first.
enum class Pool { own, borrowed, reference };

/// The kinds of evidence that records of the question's GPU give, best first.
enum class EvidenceKind { measured, on_line, measured_elsewhere, on_line_elsewhere, estimated };

/// One curve that could answer, and how well: smaller ranks first.
struct Candidate {
  EvidenceKind evidence;
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

/// A candidate for each curve of the question's GPU, model and precision; only those with its software, where there are
/// some.
std::vector<Candidate> candidates_on(const Curves& curves, const ComputeQuestion& question);

/// The candidates of the best rank, fastest first.
std::vector<Candidate> best_of(std::vector<Candidate> candidates);
const Candidate& middle_of(const std::vector<Candidate>& equals);

/// The times at the neighbouring measured batches of the candidates, scaled to the question's batch.
std::vector<NeighbourBatch> neighbour_batches(const Curves& curves, const std::vector<Candidate>& candidates,
                                              const ComputeQuestion& question);

bool inside(const BatchCurve& curve, double batch);   ///< between its smallest and largest batch
bool in_reach(const BatchCurve& curve, double batch); ///< where its line holds

} // namespace ddlsim
