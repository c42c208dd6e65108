#include "sim/compute/one_gpu_estimate.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/compute/blend_of_gpus.hpp"
#include "sim/compute/candidates.hpp"
#include "sim/compute/cross_gpu_transfer.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/formats/batch_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ddlsim {
namespace {

/// Returns the prior's name for a precision. Times in 16 bits depend far more on the stack than those in fp32 do.
std::string for_precision(const std::string& prior, Precision precision) {
  return has_16_bit_values(precision) ? prior + "_reduced" : prior;
}

std::vector<std::string> error_sources_of(const Candidate& best, const ComputeQuestion& question) {
  std::vector<std::string> error_sources;
  if (best.evidence == EvidenceKind::estimated) error_sources.emplace_back("compute_one_batch");
  if (best.on_line && best.evidence != EvidenceKind::estimated) {
    error_sources.emplace_back(inside(*best.curve, question.batch) ? "compute_interpolated" : "compute_extrapolated");
  }
  if (best.other_preset) {
    error_sources.push_back(for_precision("compute_other_stack", question.precision));
  } else if (best.pool != Pool::own) {
    error_sources.emplace_back("compute_transferred");
  }
  if (error_sources.empty()) error_sources.emplace_back("compute_measured");
  return error_sources;
}

std::string how_text(const Candidate& best, const ComputeQuestion& question) {
  const auto& head = best.nearest->record->head;
  std::string text = fmt::format("measured {} (series {}, {})", best.pool == Pool::own ? "here" : "on another cluster",
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

/// Returns the note of an estimate for a device that the cluster does not name.
std::string unnamed_text(const ComputeQuestion& question) {
  if (!is_unnamed(question)) return "";
  return fmt::format("; no GPU is named: backward has the shape that it has on a {}, and memory is not checked",
                     shape_of_unnamed);
}

OneGpuEstimate from_candidate(const ComputeQuestion& question, const Candidate& best) {
  const auto& head = best.nearest->record->head;
  const bool own = best.evidence == EvidenceKind::measured || best.evidence == EvidenceKind::on_line;
  const auto error_sources = error_sources_of(best, question);
  return {best.time_s,
          error_sources.front(),
          own ? EvidenceLabel::calibrated : EvidenceLabel::transferred,
          fmt::format("one {}: {:.4g} samples/s, {}{}", device_name(head, question), question.batch / best.time_s,
                      how_text(best, question), unnamed_text(question)),
          fmt::format("{}:{}", std::filesystem::path(head.file).filename().string(), head.line),
          error_sources};
}

/// Returns ln of the times of all records behind the equally good candidates.
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

void note_disagreement(OneGpuEstimate& estimate, const std::vector<Candidate>& equals, double repeat_difference) {
  const auto log_times = log_times_of(equals);
  const auto [least, most] = std::minmax_element(log_times.begin(), log_times.end());
  if (*most - *least <= repeat_difference) return;
  estimate.disagreement = standard_deviation(log_times);
  estimate.text += fmt::format("; {} equally good records disagree: {}. Name one with /series or /software, or state "
                               "/one_gpu_samples_per_s",
                               log_times.size(), names_of(equals));
}

/// Returns the best candidate's time. Near a measured batch another curve may be the best; there the time changes
/// smoothly from one curve to the other, and the difference between the two is an error source.
std::optional<OneGpuEstimate> find_on_curves(const Curves& curves, const ComputeQuestion& question,
                                             double repeat_difference) {
  auto candidates = candidates_on(curves, question);
  if (candidates.empty()) return {};
  const auto equals = best_of(candidates);
  Candidate best = middle_of(equals);
  JoinedTime joined{best.time_s, best.time_s, 0};
  if (best.batch_distance > 0)
    joined = join_neighbour_batches(best.time_s, question.batch, neighbour_batches(curves, candidates, question));
  best.time_s = joined.time_s;
  auto estimate = from_candidate(question, best);
  note_disagreement(estimate, equals, repeat_difference);
  if (joined.deviation <= repeat_difference) return estimate;
  estimate.disagreement = std::hypot(estimate.disagreement, joined.deviation);
  estimate.text += fmt::format("; records at batches near it say {:.4g} ms", 1e3 * joined.near_s);
  return estimate;
}

/// Returns whether the estimate uses no record of this GPU, model and precision together.
bool is_of_elsewhere(const OneGpuEstimate& estimate) {
  return estimate.prior.rfind("compute_roofline", 0) == 0 || estimate.blend_width > 0;
}

/// Returns amp's estimate for bf16, which uses the same tensor cores at the same rate. The rest of the stack may
/// differ.
OneGpuEstimate as_of_amp(OneGpuEstimate estimate) {
  const auto source = for_precision("compute_other_stack", Precision::bf16);
  auto& error_sources = estimate.error_sources;
  if (std::find(error_sources.begin(), error_sources.end(), source) == error_sources.end())
    error_sources.push_back(source);
  if (estimate.label == EvidenceLabel::calibrated) estimate.label = EvidenceLabel::transferred;
  estimate.own_series = false;
  estimate.text += "; bf16 was never measured, and this is amp";
  return estimate;
}

OneGpuEstimate from_other_gpu(const ComputeQuestion& question, const OtherGpuTime& other) {
  const bool anchored = !other.anchor.empty();
  const std::string prior = !anchored           ? "compute_scaled"
                            : other.same_family ? "compute_anchored_family"
                                                : "compute_anchored";
  OneGpuEstimate evidence{
      other.time_s, for_precision(prior, question.precision), EvidenceLabel::transferred, "", "", {}};
  evidence.error_sources = {evidence.prior};
  if (anchored && other.preset != question.preset)
    evidence.error_sources.push_back(for_precision("compute_other_stack", question.precision));
  if (other.use == CurveUse::far) evidence.error_sources.emplace_back("compute_one_batch");
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

std::string text_of(TimeOrigin time) {
  switch (time) {
  case TimeOrigin::training:
    return "";
  case TimeOrigin::without_optimizer:
    return ", alone and without an optimizer";
  case TimeOrigin::read_back:
    return ", read back from a run on several GPUs";
  }
  return "";
}

/// Returns the estimate by the blend of all comparable records.
OneGpuEstimate from_blend(const ComputeQuestion& question, const BlendedTime& blend) {
  const auto prior = for_precision("compute_other_gpus", question.precision);
  OneGpuEstimate estimate{blend.time_s, prior, EvidenceLabel::transferred, "", "", {prior}};
  estimate.text = fmt::format("one {} was never measured training {} in {}: {:.4g} samples/s by all records of GPUs "
                              "and models together, the most alike {} on {}{}",
                              question.gpu.name, question.model.name, to_text(question.precision),
                              question.batch / blend.time_s, blend.near_model, blend.nearest, text_of(blend.origin));
  estimate.blend_width = blend.width;
  return estimate;
}

/// Returns the time by records of other GPUs: at batches near theirs if possible, else at any batch.
std::optional<OtherGpuTime> time_of_other_gpus(const CurveIndex& index, OtherGpuQuestion other_question) {
  for (const bool own_family : {true, false})
    if (auto other = anchored_time(index, other_question, own_family)) return other;
  if (auto other = scaled_time(index, other_question)) return other;
  other_question.any_batch = true;
  return scaled_time(index, other_question);
}

/// Returns the times by other GPUs' records at their own batches, scaled to the question's batch.
std::vector<NeighbourBatch>
neighbour_batches_of_other_gpus(const CurveIndex& index, const OtherGpuQuestion& other_question, FixedTime expected) {
  std::set<double> batches;
  for (const auto& curve : index.curves())
    if (curve.model == other_question.model && curve.precision == other_question.precision)
      for (const auto& point : curve.points)
        if (is_near(point.batch, other_question.batch)) batches.insert(point.batch);
  std::vector<NeighbourBatch> near;
  for (const double batch : batches) {
    auto there = other_question;
    there.batch = batch;
    const auto other = time_of_other_gpus(index, there);
    if (other && other->use == CurveUse::measured)
      near.push_back({batch, fit_line({{batch, other->time_s}}, expected).time_s(other_question.batch)});
  }
  return near;
}

OneGpuEstimate from_elsewhere(const ComputeQuestion& question, const std::vector<BatchCurve>& all,
                              const std::vector<Gpu>& gpus, const ModelSizes& models, double repeat_difference) {
  const CurveIndex index(all, gpus, models);
  const OtherGpuQuestion other_question{question.gpu.name, question.model.name, question.precision, question.preset,
                                        question.batch};
  if (const auto size = models.find(question.model.name); size != models.end())
    if (const auto blend = blend_of_gpus(index, size->second, question.gpu, other_question))
      return from_blend(question, *blend);
  auto other = time_of_other_gpus(index, other_question);
  if (!other) return from_roofline(question);
  if (other->use == CurveUse::measured) return from_other_gpu(question, *other);
  const auto expected = expected_fixed(size_of(question.model), question.gpu);
  const auto joined = join_neighbour_batches(other->time_s, question.batch,
                                             neighbour_batches_of_other_gpus(index, other_question, expected));
  other->time_s = joined.time_s;
  auto estimate = from_other_gpu(question, *other);
  if (joined.deviation > repeat_difference) estimate.disagreement = joined.deviation;
  return estimate;
}

OneGpuEstimate as_stated(const ComputeQuestion& question) {
  const auto& stated = *question.stated;
  OneGpuEstimate estimate;
  estimate.one_gpu_s = question.batch / stated.samples_per_s;
  estimate.prior = "compute_measured";
  estimate.error_sources = {estimate.prior};
  estimate.label = EvidenceLabel::calibrated;
  estimate.text = fmt::format("one {}: {:.4g} samples/s, as the scenario states{}", question.gpu.name,
                              stated.samples_per_s, unnamed_text(question));
  estimate.stated_width = stated.width();
  return estimate;
}

/// Returns the one-GPU records by series. Suspect records count only in a series that has no others.
std::map<std::string, std::vector<StepRecord>> by_series(const std::vector<StepRecord>& records) {
  std::map<std::string, std::vector<StepRecord>> trusted;
  std::map<std::string, std::vector<StepRecord>> suspect;
  for (const auto& record : records) {
    const bool alone = record.gpus == 1 && record.mode == RunMode::train && !has_server_elsewhere(record);
    if (alone) (record.head.suspect ? suspect : trusted)[record.head.series].push_back(record);
  }
  for (auto& [series, of_series] : suspect)
    for (auto& record : of_series) record.head.suspect = false;
  trusted.merge(suspect);
  return trusted;
}

} // namespace

OneGpuTimes::OneGpuTimes(const std::string& unnamed_gpu, std::vector<StepRecord> own, std::vector<StepRecord> borrowed,
                         OtherClusterTimes reference, const ModelConstants& constants)
    : own_(std::move(own)), borrowed_(std::move(borrowed)), reference_(std::move(reference)),
      repeat_difference_(constants.repeat_difference) {
  const auto& gpus = reference_.gpus;
  const auto& models = reference_.models;
  // A record that names no GPU was measured on the cluster's GPU if the cluster is the question's own; on another
  // cluster it may be any GPU.
  by_series_ = by_series(own_);
  for (auto* const pool : {&own_, &borrowed_, &reference_.records}) std::erase_if(*pool, has_server_elsewhere);
  own_curves_ = compute_curves(own_, gpus, models, unnamed_gpu);
  borrowed_curves_ = compute_curves(borrowed_, gpus, models, "");
  reference_curves_ = compute_curves(reference_.records, gpus, models, "");
  for (const auto& [series, records] : by_series_)
    series_curves_[series] = compute_curves(records, gpus, models, unnamed_gpu);
}

OneGpuEstimate OneGpuTimes::find_in_precision(const ComputeQuestion& question) const {
  const Curves named{{named_curves(question.series), Pool::own}};
  auto estimate = find_on_curves(named, question, repeat_difference_);
  if (estimate) estimate->own_series = true;
  if (!estimate)
    estimate = find_on_curves(
        {{&own_curves_, Pool::own}, {&borrowed_curves_, Pool::borrowed}, {&reference_curves_, Pool::reference}},
        question, repeat_difference_);
  if (estimate) return *estimate;
  if (is_unnamed(question))
    throw UserError(
        "", "/model",
        fmt::format("the cluster names no GPU, and has no record of one processor with {} in {}; measure it "
                    "with ddltrain, or state /one_gpu_samples_per_s",
                    question.model.name, to_text(question.precision)));
  std::vector<BatchCurve> all = own_curves_;
  all.insert(all.end(), borrowed_curves_.begin(), borrowed_curves_.end());
  all.insert(all.end(), reference_curves_.begin(), reference_curves_.end());
  const auto family = family_of_model(question.model.name, size_of(question.model));
  for (const auto& curve : read_back_curves())
    if (const auto size = reference_.models.find(curve.model);
        size != reference_.models.end() && family_of_model(curve.model, size->second) == family)
      all.push_back(curve);
  return from_elsewhere(question, all, reference_.gpus, reference_.models, repeat_difference_);
}

OneGpuEstimate OneGpuTimes::find(const ComputeQuestion& question) const {
  if (question.stated) return as_stated(question);
  auto estimate = find_in_precision(question);
  if (question.precision != Precision::bf16 || !is_of_elsewhere(estimate)) return estimate;
  auto with_amp = question;
  with_amp.precision = Precision::amp;
  auto of_amp = find_in_precision(with_amp);
  return is_of_elsewhere(of_amp) ? estimate : as_of_amp(std::move(of_amp));
}

const std::vector<BatchCurve>& OneGpuTimes::read_back_curves() const {
  std::call_once(read_back_once_, [&] {
    if (reference_.read_back) read_back_ = reference_.read_back();
    read_back_curves_ = compute_curves(read_back_, reference_.gpus, reference_.models, "");
  });
  return read_back_curves_;
}

const std::vector<BatchCurve>* OneGpuTimes::named_curves(const std::string& series) const {
  static const std::vector<BatchCurve> none;
  const auto named = series_curves_.find(series);
  return named == series_curves_.end() ? &none : &named->second;
}

OneGpuEstimate find_compute(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                            const std::vector<StepRecord>& borrowed, const OtherClusterTimes& reference) {
  auto known = reference;
  if (known.gpus.empty()) known.gpus = {question.gpu};
  known.models.emplace(question.model.name, size_of(question.model));
  return OneGpuTimes(question.gpu.name, own, borrowed, std::move(known)).find(question);
}

bool is_settled(const OneGpuEstimate& evidence) {
  // If the time is from a line, its first error source is the line's. So these two labels mean a record at exactly this
  // batch.
  return evidence.label == EvidenceLabel::calibrated || evidence.prior == "compute_transferred" ||
         evidence.prior.rfind("compute_other_stack", 0) == 0;
}

} // namespace ddlsim
