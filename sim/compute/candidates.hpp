#pragma once
// Records of one GPU that could answer for a batch, and which of them is best.

#include "sim/compute/near_batches.hpp"
#include "sim/compute/one_gpu_estimate.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ddlsim {

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
