#include "sim/compute/one_gpu_estimate.hpp"

#include "sim/compute/cross_gpu_transfer.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/formats/batch_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ddlsim {
namespace {

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

auto rank_of(const Candidate& candidate) {
  return std::tuple(candidate.rung, candidate.pool, candidate.batch_distance, candidate.other_preset,
                    candidate.curve->synchronised);
}

/// 16 bits depend far more on the stack than fp32 does.
std::string for_precision(const std::string& prior, Precision precision) {
  return is_half(precision) ? prior + "_reduced" : prior;
}

bool inside(const BatchCurve& curve, double batch) {
  return curve.points.size() > 1 && batch >= curve.points.front().batch && batch <= curve.points.back().batch;
}

bool in_reach(const BatchCurve& curve, double batch) {
  return curve.points.size() > 1 && batch >= reach_below_smallest * curve.points.front().batch &&
         batch <= reach_beyond_largest * curve.points.back().batch;
}

Candidate candidate_of(const BatchCurve& curve, Pool pool, const ComputeQuestion& question) {
  const auto away = [&](const CurvePoint& point) { return std::abs(std::log(point.batch / question.batch)); };
  const auto nearest = std::min_element(curve.points.begin(), curve.points.end(),
                                        [&](const CurvePoint& a, const CurvePoint& b) { return away(a) < away(b); });
  const bool other = curve.preset != question.preset;
  const bool here = pool == Pool::own && !other;
  Candidate candidate{Rung::estimated, pool, other, away(*nearest), nearest->time_s, &curve, &*nearest, false};
  if (nearest->batch == question.batch) {
    candidate.rung = here ? Rung::measured : Rung::measured_elsewhere;
  } else if (curve.line) {
    candidate.on_line = true;
    candidate.time_s = curve.line->time_s(question.batch);
    if (in_reach(curve, question.batch))
      candidate.rung = here && inside(curve, question.batch) ? Rung::on_line : Rung::on_line_elsewhere;
  } else {
    const double expected_s = expected_fixed_s(size_of(question.model), question.gpu.memory_bandwidth_Bps);
    candidate.time_s = fit_line({{nearest->batch, nearest->time_s}}, expected_s).time_s(question.batch);
  }
  return candidate;
}

/// All curves that a question may look at, by where they are from.
struct Curves {
  std::vector<BatchCurve> own;
  std::vector<BatchCurve> borrowed;
  std::vector<BatchCurve> reference;
};

std::vector<Candidate> candidates_in(const Curves& curves, const ComputeQuestion& question) {
  std::vector<Candidate> found;
  const auto add = [&](const std::vector<BatchCurve>& pool, Pool name) {
    for (const auto& curve : pool) {
      if (curve.gpu == question.gpu.name && curve.model == question.model.name && curve.precision == question.precision)
        found.push_back(candidate_of(curve, name, question));
    }
  };
  add(curves.own, Pool::own);
  add(curves.borrowed, Pool::borrowed);
  add(curves.reference, Pool::reference);
  return found;
}

std::vector<std::string> doubts_of(const Candidate& best, const ComputeQuestion& question) {
  std::vector<std::string> doubts;
  if (best.rung == Rung::estimated) doubts.emplace_back("compute_one_batch");
  if (best.on_line && best.rung != Rung::estimated) {
    doubts.emplace_back(inside(*best.curve, question.batch) ? "compute_interpolated" : "compute_extrapolated");
  }
  if (best.other_preset) {
    doubts.push_back(for_precision("compute_other_stack", question.precision));
  } else if (best.pool != Pool::own) {
    doubts.emplace_back("compute_transferred");
  }
  if (doubts.empty()) doubts.emplace_back("compute_measured");
  return doubts;
}

std::string how_text(const Candidate& best, const ComputeQuestion& question) {
  const auto& head = best.nearest->record->head;
  std::string text =
      fmt::format("{} (series {}, {})", best.pool == Pool::own ? "measured here" : "measured on another cluster",
                  head.series, head.statistic);
  if (best.other_preset) text += fmt::format(" under {}", best.curve->preset);
  if (best.on_line) {
    const auto& points = best.curve->points;
    text += fmt::format(", on the line through batches {:g} to {:g}", points.front().batch, points.back().batch);
    if (!in_reach(*best.curve, question.batch)) text += " far beyond them";
  } else if (best.batch_distance > 0) {
    text += fmt::format(", scaled from batch {:g}", best.nearest->batch);
  }
  return text;
}

OneGpuEstimate from_candidate(const ComputeQuestion& question, const Candidate& best) {
  const auto& head = best.nearest->record->head;
  const bool own = best.rung == Rung::measured || best.rung == Rung::on_line;
  const auto doubts = doubts_of(best, question);
  return {best.time_s,
          doubts.front(),
          own ? EvidenceLabel::calibrated : EvidenceLabel::transferred,
          fmt::format("one {}: {:.4g} samples/s, {}", head.gpu.empty() ? question.gpu.name : head.gpu,
                      question.batch / best.time_s, how_text(best, question)),
          fmt::format("{}:{}", std::filesystem::path(head.file).filename().string(), head.line),
          doubts};
}

OneGpuEstimate from_best(const ComputeQuestion& question, std::vector<Candidate> candidates) {
  const auto best = *std::min_element(candidates.begin(), candidates.end(),
                                      [](const Candidate& a, const Candidate& b) { return rank_of(a) < rank_of(b); });
  std::erase_if(candidates, [&](const Candidate& candidate) { return rank_of(candidate) != rank_of(best); });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.time_s < b.time_s; });
  return from_candidate(question, candidates[candidates.size() / 2]);
}

OneGpuEstimate from_other_gpu(const ComputeQuestion& question, const OtherGpuTime& other) {
  const bool anchored = !other.anchor.empty();
  const std::string prior = !anchored           ? "compute_scaled"
                            : other.same_family ? "compute_anchored_family"
                                                : "compute_anchored";
  OneGpuEstimate evidence{
      other.time_s, for_precision(prior, question.precision), EvidenceLabel::transferred, "", "", {}};
  evidence.doubts = {evidence.prior};
  if (anchored && other.preset != question.preset)
    evidence.doubts.push_back(for_precision("compute_other_stack", question.precision));
  const auto how = anchored ? fmt::format("times what {} gains from it to this one", other.anchor)
                            : std::string("scaled by the root of peak rate times memory bandwidth");
  evidence.text =
      fmt::format("one {} was never measured with {}: {:.4g} samples/s from {} under {}, {}", question.gpu.name,
                  question.model.name, question.batch / other.time_s, other.gpu, other.preset, how);
  return evidence;
}

OneGpuEstimate from_roofline(const ComputeQuestion& question) {
  const double time_s = roofline_iteration_s(question.model, question.gpu, question.precision, question.batch);
  const auto prior = for_precision("compute_roofline", question.precision);
  return {time_s,
          prior,
          EvidenceLabel::assumed,
          fmt::format("one {} was never measured with {}: {:.4g} samples/s by the roofline of the catalogue",
                      question.gpu.name, question.model.name, question.batch / time_s),
          "",
          {prior}};
}

OneGpuEstimate from_elsewhere(const ComputeQuestion& question, const Curves& curves, const std::vector<Gpu>& gpus,
                              const ModelSizes& models) {
  std::vector<BatchCurve> all = curves.own;
  all.insert(all.end(), curves.borrowed.begin(), curves.borrowed.end());
  all.insert(all.end(), curves.reference.begin(), curves.reference.end());
  const CurveIndex index(all, gpus, models);
  const OtherGpuQuestion asked{question.gpu.name, question.model.name, question.precision, question.preset,
                               question.batch};
  for (const bool own_family : {true, false})
    if (const auto other = anchored_time(index, asked, own_family)) return from_other_gpu(question, *other);
  if (const auto other = scaled_time(index, asked)) return from_other_gpu(question, *other);
  return from_roofline(question);
}

} // namespace

OneGpuEstimate find_compute(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                            const std::vector<StepRecord>& borrowed, const OtherClusterTimes& reference) {
  const auto gpus = reference.gpus.empty() ? std::vector<Gpu>{question.gpu} : reference.gpus;
  auto models = reference.models;
  models.emplace(question.model.name, size_of(question.model));
  // A cluster's own record that names no GPU was measured on the cluster's; elsewhere it might be any.
  const Curves curves{compute_curves(own, gpus, models, question.gpu.name), compute_curves(borrowed, gpus, models, ""),
                      compute_curves(reference.records, gpus, models, "")};
  const auto candidates = candidates_in(curves, question);
  return candidates.empty() ? from_elsewhere(question, curves, gpus, models) : from_best(question, candidates);
}

bool is_settled(const OneGpuEstimate& evidence) {
  // The first doubt of a line is the line's own, so these two are of records at the very batch.
  return evidence.label == EvidenceLabel::calibrated || evidence.prior == "compute_transferred" ||
         evidence.prior.rfind("compute_other_stack", 0) == 0;
}

std::vector<Prior> with_doubts_of(std::vector<Prior> priors, const OneGpuEstimate& evidence) {
  double variance = 0;
  for (const auto& doubt : evidence.doubts) {
    const double width = find_prior(priors, doubt, "", "").width;
    variance += width * width;
  }
  if (evidence.doubts.size() < 2) return priors;
  Prior together = find_prior(priors, evidence.prior, "", "");
  together.width = std::sqrt(variance);
  for (std::size_t i = 1; i < evidence.doubts.size(); ++i) together.source += "; and " + evidence.doubts[i];
  std::erase_if(priors, [&](const Prior& prior) { return prior.parameter == evidence.prior; });
  priors.push_back(together);
  return priors;
}

} // namespace ddlsim
