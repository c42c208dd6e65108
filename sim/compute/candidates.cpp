#include "sim/compute/candidates.hpp"

#include "sim/formats/batch_line.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <set>

namespace ddlsim {
namespace {

/// Returns 1 at the measured batch, less with distance, and 0 or less where the batch is no longer near.
double nearness(double measured_batch, double batch) {
  return 1 - std::abs(std::log(batch / measured_batch)) / std::log(reach_beyond_largest);
}

} // namespace

bool inside(const BatchCurve& curve, double batch) {
  return curve.points.size() > 1 && batch >= curve.points.front().batch && batch <= curve.points.back().batch;
}

bool in_reach(const BatchCurve& curve, double batch) {
  return curve.points.size() > 1 && batch >= reach_below_smallest * curve.points.front().batch &&
         batch <= reach_beyond_largest * curve.points.back().batch;
}

namespace {

/// The order of candidates: smaller is better, field by field.
struct Rank {
  EvidenceKind evidence = {};
  Pool pool = {};
  double batch_distance = 0;
  bool is_real_data = false;
  bool other_preset = false;
  bool has_server = false;
  bool synchronised = false;
  auto operator<=>(const Rank&) const = default;
};

Rank rank_of(const Candidate& candidate) {
  return {candidate.evidence,           candidate.pool,
          candidate.batch_distance,     candidate.curve->data == "real",
          candidate.other_preset,       has_server(*candidate.nearest->record),
          candidate.curve->synchronised};
}

Candidate candidate_of(const BatchCurve& curve, Pool pool, const ComputeQuestion& question) {
  const auto away = [&](const CurvePoint& point) { return std::abs(std::log(point.batch / question.batch)); };
  const auto nearest = std::min_element(curve.points.begin(), curve.points.end(),
                                        [&](const CurvePoint& a, const CurvePoint& b) { return away(a) < away(b); });
  const bool other = curve.preset != question.preset;
  const bool here = pool == Pool::own && !other;
  Candidate candidate{EvidenceKind::estimated, pool, other, away(*nearest), nearest->time_s, &curve, &*nearest, false};
  if (nearest->batch == question.batch) {
    candidate.evidence = here ? EvidenceKind::measured : EvidenceKind::measured_elsewhere;
  } else if (curve.line) {
    candidate.on_line = true;
    candidate.time_s = curve.line->time_s(question.batch);
    if (in_reach(curve, question.batch))
      candidate.evidence =
          here && inside(curve, question.batch) ? EvidenceKind::on_line : EvidenceKind::on_line_elsewhere;
  } else {
    const auto expected = expected_fixed(size_of(question.model), question.gpu);
    candidate.time_s = fit_line({nearest->measured()}, expected).time_s(question.batch);
  }
  return candidate;
}

bool is_of_question(const BatchCurve& curve, const ComputeQuestion& question) {
  return curve.gpu == question.gpu.name && curve.model == question.model.name && curve.precision == question.precision;
}

/// Returns whether a curve may give the answer. Training never runs on a GPU alone without an optimizer, so reference
/// times without one are used in blends only.
bool may_answer(const BatchCurve& curve, Pool pool, const ComputeQuestion& question) {
  return is_of_question(curve, question) && (curve.optimizer || pool != Pool::reference);
}

/// Returns whether a curve can answer for a batch. Steps at which the host set the pace show nothing of larger batches,
/// at which the GPU may set it.
bool can_answer(const BatchCurve& curve, double batch) {
  return batch <= reach_beyond_largest * curve.points.back().batch ||
         std::any_of(curve.points.begin(), curve.points.end(),
                     [](const CurvePoint& point) { return !point.measured().host_paced; });
}

void add_candidates(std::vector<Candidate>& found, const std::vector<BatchCurve>& curves, Pool pool,
                    const ComputeQuestion& question) {
  for (const auto& curve : curves)
    if (may_answer(curve, pool, question) && can_answer(curve, question.batch))
      found.push_back(candidate_of(curve, pool, question));
}

bool names_software(const Candidate& candidate, const std::string& software) {
  return candidate.nearest->record->head.software.find(software) != std::string::npos;
}

/// Returns the candidates with the question's software; all candidates where none has it.
std::vector<Candidate> of_software(std::vector<Candidate> candidates, const std::string& software) {
  const auto named = [&](const Candidate& one) { return names_software(one, software); };
  if (!software.empty() && std::any_of(candidates.begin(), candidates.end(), named))
    std::erase_if(candidates, [&](const Candidate& one) { return !named(one); });
  return candidates;
}

/// Returns the time of the candidate's record, scaled from its own batch to the question's by the shape of its curve.
double carried_s(const Candidate& at_record, double time_s, const ComputeQuestion& question) {
  const auto& curve = *at_record.curve;
  if (curve.line) return time_s * curve.line->time_s(question.batch) / curve.line->time_s(at_record.nearest->batch);
  const auto expected = expected_fixed(size_of(question.model), question.gpu);
  auto at_batch = at_record.nearest->measured();
  at_batch.time_s = time_s;
  return fit_line({at_batch}, expected).time_s(question.batch);
}

} // namespace

std::vector<Candidate> best_of(std::vector<Candidate> candidates) {
  const auto best = *std::min_element(candidates.begin(), candidates.end(),
                                      [](const Candidate& a, const Candidate& b) { return rank_of(a) < rank_of(b); });
  std::erase_if(candidates, [&](const Candidate& candidate) { return rank_of(candidate) != rank_of(best); });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.time_s < b.time_s; });
  return candidates;
}

const Candidate& middle_of(const std::vector<Candidate>& equals) {
  return equals[(equals.size() - 1) / 2];
}

std::vector<Candidate> candidates_on(const Curves& curves, const ComputeQuestion& question) {
  std::vector<Candidate> found;
  for (const auto& [some, pool] : curves) add_candidates(found, *some, pool, question);
  return of_software(std::move(found), question.software);
}

std::vector<NeighbourBatch> neighbour_batches(const Curves& curves, const std::vector<Candidate>& candidates,
                                              const ComputeQuestion& question) {
  std::set<double> batches;
  for (const auto& candidate : candidates)
    for (const auto& point : candidate.curve->points)
      if (is_near(point.batch, question.batch)) batches.insert(point.batch);
  std::vector<NeighbourBatch> near;
  for (const double batch : batches) {
    auto there = question;
    there.batch = batch;
    const auto equals = best_of(candidates_on(curves, there));
    if (equals.front().batch_distance > 0) continue;
    const auto& middle = middle_of(equals);
    near.push_back({batch, carried_s(middle, middle.time_s, question)});
  }
  return near;
}

bool is_near(double measured_batch, double batch) {
  return nearness(measured_batch, batch) > 0;
}

JoinedTime join_neighbour_batches(double time_s, double batch, const std::vector<NeighbourBatch>& near) {
  double weights = 0;
  double ln_sum = 0;
  for (const auto& one : near) {
    const double share = nearness(one.batch, batch);
    if (share <= 0) continue;
    if (share >= 1) return {one.time_s, one.time_s, 0};
    const double weight = share / (1 - share);
    weights += weight;
    ln_sum += weight * std::log(one.time_s);
  }
  if (weights == 0) return {time_s, time_s, 0};
  const double ln_near = ln_sum / weights;
  const double apart = ln_near - std::log(time_s);
  return {time_s * std::exp(apart * weights / (weights + 1)), std::exp(ln_near),
          std::abs(apart) * std::sqrt(weights) / (weights + 1)};
}

} // namespace ddlsim
