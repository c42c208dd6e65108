#include "sim/compute/cross_gpu_transfer.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/formats/batch_line.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace ddlsim {
namespace {

bool line_holds(const BatchCurve& curve, double batch) {
  return batch >= reach_below_smallest * curve.points.front().batch &&
         batch <= reach_beyond_largest * curve.points.back().batch;
}

std::optional<CellTime> estimated(const CurveIndex& index, const BatchCurve& curve, double batch, bool any_batch) {
  constexpr double farthest = 4; // largest ratio of batches for which the error of scaling one batch was measured
  const auto away = [&](const CurvePoint& point) { return std::abs(std::log(point.batch / batch)); };
  const auto nearest = std::min_element(curve.points.begin(), curve.points.end(),
                                        [&](const CurvePoint& a, const CurvePoint& b) { return away(a) < away(b); });
  const auto expected = expected_fixed(index.models(), index.gpus(), curve.model, curve.gpu);
  const bool is_far = away(*nearest) > std::log(farthest);
  if (!expected || (is_far && !any_batch)) return {};
  return CellTime{fit_line({nearest->measured()}, *expected).time_s(batch),
                  is_far ? CurveUse::far : CurveUse::estimated};
}

std::optional<CellTime> time_on_curve(const CurveIndex& index, const BatchCurve& curve, double batch, bool any_batch) {
  for (const auto& point : curve.points)
    if (point.batch == batch) return CellTime{point.time_s, CurveUse::measured};
  if (curve.line && line_holds(curve, batch)) return CellTime{curve.line->time_s(batch), CurveUse::line};
  return estimated(index, curve, batch, any_batch);
}

const Gpu* gpu_named(const std::vector<Gpu>& gpus, const std::string& name) {
  const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.name == name; });
  return found == gpus.end() ? nullptr : &*found;
}

/// Returns the GPUs and stacks that ran the model in that precision, without the question's GPU.
std::set<std::pair<std::string, std::string>> runners(const CurveIndex& index, const OtherGpuQuestion& question) {
  std::set<std::pair<std::string, std::string>> found;
  for (const auto& curve : index.curves()) {
    if (curve.model == question.model && curve.precision == question.precision && curve.gpu != question.gpu)
      found.emplace(curve.gpu, curve.preset);
  }
  return found;
}

/// Returns the models that the question's GPU ran under `preset`, without the question's model.
std::set<std::string> anchors(const CurveIndex& index, const OtherGpuQuestion& question, const std::string& preset) {
  std::set<std::string> found;
  for (const auto& curve : index.curves()) {
    const bool here = curve.gpu == question.gpu && curve.precision == question.precision && curve.preset == preset;
    if (here && curve.model != question.model && !anchor_family(curve.model).empty()) found.insert(curve.model);
  }
  return found;
}

} // namespace

CurveIndex::CurveIndex(const std::vector<BatchCurve>& curves, const std::vector<Gpu>& gpus, const ModelSizes& models)
    : curves_(curves), gpus_(gpus), models_(models) {
  for (const auto& curve : curves) cells_[{curve.gpu, curve.model, curve.precision, curve.preset}].push_back(&curve);
}

const CurveIndex::Cell& CurveIndex::cell(const std::string& gpu, const std::string& model, Precision precision,
                                         const std::string& preset) const {
  static const Cell none;
  const auto found = cells_.find({gpu, model, precision, preset});
  return found == cells_.end() ? none : found->second;
}

std::optional<CellTime> time_in_cell(const CurveIndex& index, const CurveIndex::Cell& cell, double batch,
                                     bool any_batch) {
  std::optional<CellTime> best;
  for (const auto* curve : cell) {
    const auto time = time_on_curve(index, *curve, batch, any_batch);
    if (time && (!best || time->use < best->use || (time->use == best->use && time->time_s < best->time_s)))
      best = time;
  }
  return best;
}

std::string anchor_family(const std::string& model) {
  for (const char* family : {"resnet", "vgg", "alexnet", "inception"})
    if (model.rfind(family, 0) == 0) return family;
  return "";
}

std::optional<double> gpu_distance(const std::vector<Gpu>& gpus, const std::string& from, const std::string& to,
                                   Precision precision) {
  const auto* first = gpu_named(gpus, from);
  const auto* second = gpu_named(gpus, to);
  if (first == nullptr || second == nullptr) return {};
  try {
    const double before = peak_flop_per_s(*first, precision) * first->memory_bandwidth_Bps;
    const double after = peak_flop_per_s(*second, precision) * second->memory_bandwidth_Bps;
    return std::log(after / before) / 2;
  } catch (const UserError&) {
    return {}; // the catalogue lacks the precision for one of the two GPUs
  }
}

std::optional<OtherGpuTime> anchored_time(const CurveIndex& index, const OtherGpuQuestion& question, bool own_family) {
  struct Rank { // order of answers: smaller is better, field by field
    bool other_preset;
    int uses;
    double gpu_distance;
    std::string gpu;
    std::string anchor;
    auto operator<=>(const Rank&) const = default;
  };
  const auto family = anchor_family(question.model);
  if (family.empty()) return {};
  std::optional<std::pair<Rank, OtherGpuTime>> best;
  for (const auto& [gpu, preset] : runners(index, question)) {
    const auto model_there =
        time_in_cell(index, index.cell(gpu, question.model, question.precision, preset), question.batch);
    if (!model_there) continue;
    for (const auto& anchor : anchors(index, question, preset)) {
      if ((anchor_family(anchor) == family) != own_family) continue;
      const auto here =
          time_in_cell(index, index.cell(question.gpu, anchor, question.precision, preset), question.batch);
      const auto there = time_in_cell(index, index.cell(gpu, anchor, question.precision, preset), question.batch);
      if (!here || !there) continue;
      const double away = std::abs(gpu_distance(index.gpus(), gpu, question.gpu, question.precision).value_or(1));
      const int uses = static_cast<int>(model_there->use) + static_cast<int>(here->use) + static_cast<int>(there->use);
      const Rank rank{preset != question.preset, uses, away, gpu, anchor};
      if (best && best->first <= rank) continue;
      best = {rank,
              {model_there->time_s * here->time_s / there->time_s, gpu, preset, anchor, own_family,
               std::max({model_there->use, here->use, there->use})}};
    }
  }
  if (!best) return {};
  return best->second;
}

std::optional<OtherGpuTime> scaled_time(const CurveIndex& index, const OtherGpuQuestion& question) {
  struct Rank { // order of answers: smaller is better, field by field
    bool other_preset;
    double gpu_distance;
    CurveUse use;
    std::string gpu;
    std::string preset;
    auto operator<=>(const Rank&) const = default;
  };
  std::optional<std::pair<Rank, OtherGpuTime>> best;
  for (const auto& [gpu, preset] : runners(index, question)) {
    const auto distance = gpu_distance(index.gpus(), gpu, question.gpu, question.precision);
    const auto there = time_in_cell(index, index.cell(gpu, question.model, question.precision, preset), question.batch,
                                    question.any_batch);
    if (!distance || !there) continue;
    const Rank rank{preset != question.preset, std::abs(*distance), there->use, gpu, preset};
    if (best && best->first <= rank) continue;
    best = {rank, {there->time_s * std::exp(-*distance), gpu, preset, "", false, there->use}};
  }
  if (!best) return {};
  return best->second;
}

} // namespace ddlsim
