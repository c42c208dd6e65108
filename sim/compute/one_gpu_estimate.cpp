#include "sim/compute/one_gpu_estimate.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
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
  return std::tuple(candidate.rung, candidate.pool, candidate.batch_distance, candidate.curve->data == "real",
                    candidate.other_preset, has_server(*candidate.nearest->record), candidate.curve->synchronised);
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

bool is_asked(const BatchCurve& curve, const ComputeQuestion& question) {
  return curve.gpu == question.gpu.name && curve.model == question.model.name && curve.precision == question.precision;
}

void add_candidates(std::vector<Candidate>& found, const std::vector<BatchCurve>& curves, Pool pool,
                    const ComputeQuestion& question) {
  for (const auto& curve : curves)
    if (is_asked(curve, question)) found.push_back(candidate_of(curve, pool, question));
}

bool names_software(const Candidate& candidate, const std::string& software) {
  return candidate.nearest->record->head.software.find(software) != std::string::npos;
}

/// Candidates with the software asked for, where there are some.
std::vector<Candidate> of_software(std::vector<Candidate> candidates, const std::string& software) {
  const auto named = [&](const Candidate& one) { return names_software(one, software); };
  if (!software.empty() && std::any_of(candidates.begin(), candidates.end(), named))
    std::erase_if(candidates, [&](const Candidate& one) { return !named(one); });
  return candidates;
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

std::string device_name(const RecordHead& head, const ComputeQuestion& question) {
  if (!head.gpu.empty()) return head.gpu;
  return head.device == "cpu" ? "processor" : question.gpu.name;
}

bool is_unnamed(const ComputeQuestion& question) {
  return question.gpu.name == unnamed_device().name;
}

/// What an estimate says of a device that nobody named.
std::string unnamed_text(const ComputeQuestion& question) {
  if (!is_unnamed(question)) return "";
  return fmt::format("; no GPU is named: backward has the shape that it has on a {}, and memory is not checked",
                     shape_of_unnamed);
}

OneGpuEstimate from_candidate(const ComputeQuestion& question, const Candidate& best) {
  const auto& head = best.nearest->record->head;
  const bool own = best.rung == Rung::measured || best.rung == Rung::on_line;
  const auto doubts = doubts_of(best, question);
  return {best.time_s,
          doubts.front(),
          own ? EvidenceLabel::calibrated : EvidenceLabel::transferred,
          fmt::format("one {}: {:.4g} samples/s, {}{}", device_name(head, question), question.batch / best.time_s,
                      how_text(best, question), unnamed_text(question)),
          fmt::format("{}:{}", std::filesystem::path(head.file).filename().string(), head.line),
          doubts};
}

/// ln of every record that stands for an equally good candidate.
std::vector<double> log_times_of(const std::vector<Candidate>& equals) {
  std::vector<double> log_times;
  for (const auto& one : equals) {
    if (one.batch_distance > 0) log_times.push_back(std::log(one.time_s));
    if (one.batch_distance > 0) continue;
    for (const auto* record : one.nearest->duplicates) log_times.push_back(std::log(record->iteration_s));
  }
  return log_times;
}

std::string names_of(const std::vector<Candidate>& equals) {
  std::string text;
  for (const auto& one : equals) {
    const auto& head = one.nearest->record->head;
    text += fmt::format("{}{:.4g} ms ({})", text.empty() ? "" : ", ", 1e3 * one.time_s,
                        head.software.empty() ? "series " + head.series : head.software);
  }
  return text;
}

/// Repeats of published one-GPU runs differ by 0.1 to 3 %; more than this are other experiments.
constexpr double most_between_repeats = 0.06;

void note_disagreement(OneGpuEstimate& estimate, const std::vector<Candidate>& equals) {
  const auto log_times = log_times_of(equals);
  const auto [least, most] = std::minmax_element(log_times.begin(), log_times.end());
  if (*most - *least <= most_between_repeats) return;
  estimate.disagreement = standard_deviation(log_times);
  estimate.text += fmt::format("; {} equally good records disagree: {}. Name one with /series or /software, or state "
                               "/one_gpu_samples_per_s",
                               log_times.size(), names_of(equals));
}

OneGpuEstimate from_best(const ComputeQuestion& question, std::vector<Candidate> candidates) {
  const auto best = *std::min_element(candidates.begin(), candidates.end(),
                                      [](const Candidate& a, const Candidate& b) { return rank_of(a) < rank_of(b); });
  std::erase_if(candidates, [&](const Candidate& candidate) { return rank_of(candidate) != rank_of(best); });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.time_s < b.time_s; });
  auto estimate = from_candidate(question, candidates[(candidates.size() - 1) / 2]);
  note_disagreement(estimate, candidates);
  return estimate;
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

OneGpuEstimate from_elsewhere(const ComputeQuestion& question, const std::vector<BatchCurve>& all,
                              const std::vector<Gpu>& gpus, const ModelSizes& models) {
  const CurveIndex index(all, gpus, models);
  const OtherGpuQuestion asked{question.gpu.name, question.model.name, question.precision, question.preset,
                               question.batch};
  for (const bool own_family : {true, false})
    if (const auto other = anchored_time(index, asked, own_family)) return from_other_gpu(question, *other);
  if (const auto other = scaled_time(index, asked)) return from_other_gpu(question, *other);
  return from_roofline(question);
}

OneGpuEstimate as_stated(const ComputeQuestion& question) {
  const auto& stated = *question.stated;
  OneGpuEstimate estimate;
  estimate.one_gpu_s = question.batch / stated.samples_per_s;
  estimate.prior = "compute_measured";
  estimate.doubts = {estimate.prior};
  estimate.label = EvidenceLabel::calibrated;
  estimate.text = fmt::format("one {}: {:.4g} samples/s, as the scenario states{}", question.gpu.name,
                              stated.samples_per_s, unnamed_text(question));
  estimate.stated_width = stated.width();
  return estimate;
}

/// One-GPU records by series. Those that are doubted count where a series has no others: they are its own.
std::map<std::string, std::vector<StepRecord>> by_series(const std::vector<StepRecord>& records) {
  std::map<std::string, std::vector<StepRecord>> trusted;
  std::map<std::string, std::vector<StepRecord>> doubted;
  for (const auto& record : records) {
    const bool alone = record.gpus == 1 && record.mode == RunMode::train && !has_server_elsewhere(record);
    if (alone) (record.head.suspect ? doubted : trusted)[record.head.series].push_back(record);
  }
  for (auto& [series, of_series] : doubted)
    for (auto& record : of_series) record.head.suspect = false;
  trusted.merge(doubted);
  return trusted;
}

} // namespace

OneGpuTimes::OneGpuTimes(const std::string& unnamed_gpu, std::vector<StepRecord> own, std::vector<StepRecord> borrowed,
                         OtherClusterTimes reference)
    : own_(std::move(own)), borrowed_(std::move(borrowed)), reference_(std::move(reference)) {
  const auto& gpus = reference_.gpus;
  const auto& models = reference_.models;
  // A cluster's own record that names no GPU was measured on the cluster's; elsewhere it might be any.
  by_series_ = by_series(own_);
  for (auto* const pool : {&own_, &borrowed_, &reference_.records}) std::erase_if(*pool, has_server_elsewhere);
  own_curves_ = compute_curves(own_, gpus, models, unnamed_gpu);
  borrowed_curves_ = compute_curves(borrowed_, gpus, models, "");
  reference_curves_ = compute_curves(reference_.records, gpus, models, "");
  for (const auto& [series, records] : by_series_)
    series_curves_[series] = compute_curves(records, gpus, models, unnamed_gpu);
}

OneGpuEstimate OneGpuTimes::find(const ComputeQuestion& question) const {
  if (question.stated) return as_stated(question);
  std::vector<Candidate> candidates;
  if (const auto named = series_curves_.find(question.series); named != series_curves_.end())
    add_candidates(candidates, named->second, Pool::own, question);
  const bool own_series = !candidates.empty();
  if (!own_series) {
    add_candidates(candidates, own_curves_, Pool::own, question);
    add_candidates(candidates, borrowed_curves_, Pool::borrowed, question);
    add_candidates(candidates, reference_curves_, Pool::reference, question);
  }
  if (!candidates.empty()) {
    auto estimate = from_best(question, of_software(std::move(candidates), question.software));
    estimate.own_series = own_series;
    return estimate;
  }
  if (is_unnamed(question))
    throw UserError(
        "", "/model",
        fmt::format("the cluster names no GPU, and has no record of one processor with {} in {}; measure it "
                    "with ddltrain, or state /one_gpu_samples_per_s",
                    question.model.name, to_text(question.precision)));
  std::vector<BatchCurve> all = own_curves_;
  all.insert(all.end(), borrowed_curves_.begin(), borrowed_curves_.end());
  all.insert(all.end(), reference_curves_.begin(), reference_curves_.end());
  return from_elsewhere(question, all, reference_.gpus, reference_.models);
}

OneGpuEstimate find_compute(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                            const std::vector<StepRecord>& borrowed, const OtherClusterTimes& reference) {
  auto known = reference;
  if (known.gpus.empty()) known.gpus = {question.gpu};
  known.models.emplace(question.model.name, size_of(question.model));
  return OneGpuTimes(question.gpu.name, own, borrowed, std::move(known)).find(question);
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
  if (evidence.doubts.size() < 2 && evidence.disagreement == 0 && evidence.stated_width == 0) return priors;
  Prior together = find_prior(priors, evidence.prior, "", "");
  together.width = std::sqrt(variance + evidence.disagreement * evidence.disagreement);
  if (evidence.stated_width > 0) together.width = evidence.stated_width;
  for (std::size_t i = 1; i < evidence.doubts.size(); ++i) together.source += "; and " + evidence.doubts[i];
  std::erase_if(priors, [&](const Prior& prior) { return prior.parameter == evidence.prior; });
  priors.push_back(together);
  return priors;
}

} // namespace ddlsim
