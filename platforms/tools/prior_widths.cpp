#include "platforms/tools/prior_widths.hpp"

#include "sim/base/error.hpp"
#include "sim/base/table.hpp"
#include "sim/compute/cross_gpu_transfer.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/compute/other_clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

namespace ddlsim {
namespace {

/// Errors by kind, kinds in the order given to `open`.
class Tally {
public:
  void add(const std::string& kind, double error) { errors_[kind].push_back(error); }

  EvidenceError of(const std::string& kind) const {
    EvidenceError result;
    result.prior = kind;
    const auto found = errors_.find(kind);
    if (found == errors_.end()) return result;
    const double count = static_cast<double>(found->second.size());
    double squares = 0;
    for (const double error : found->second) {
      result.mean += std::abs(error) / count;
      result.bias += error / count;
      result.worst = std::max(result.worst, std::abs(error));
      squares += error * error / count;
    }
    result.questions = static_cast<int>(found->second.size());
    result.width = std::sqrt(squares);
    return result;
  }

private:
  std::map<std::string, std::vector<double>> errors_;
};

std::string for_precision(const std::string& kind, Precision precision) {
  return has_16_bit_values(precision) ? kind + "_reduced" : kind;
}

/// The curve's other batches, and what their line says of the one left out.
void leave_batches_out(const OneGpuCurves& one_gpu, const BatchCurve& curve, Tally& tally) {
  constexpr std::size_t fewest = 3;
  constexpr double farthest_end = 2.001;
  const auto expected = expected_fixed(one_gpu.sizes, one_gpu.gpus, curve.model, curve.gpu);
  if (curve.points.size() < fewest || !expected) return;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    std::vector<BatchTime> others;
    for (std::size_t k = 0; k < curve.points.size(); ++k)
      if (k != i) others.push_back(curve.points[k].measured());
    const auto& left = curve.points[i];
    const double error = std::log(fit_line(others, *expected).time_s(left.batch) / left.time_s);
    const bool inner = left.batch > others.front().batch && left.batch < others.back().batch;
    const double away = std::max(others.front().batch / left.batch, left.batch / others.back().batch);
    if (inner || away < farthest_end) tally.add(inner ? "compute_interpolated" : "compute_extrapolated", error);
  }
}

void from_one_batch(const OneGpuCurves& one_gpu, const BatchCurve& curve, Tally& tally) {
  constexpr double farthest = 4.001;
  const auto expected = expected_fixed(one_gpu.sizes, one_gpu.gpus, curve.model, curve.gpu);
  if (!expected) return;
  for (const auto& from : curve.points) {
    const auto line = fit_line({from.measured()}, *expected);
    for (const auto& to : curve.points) {
      const double ratio = std::max(from.batch / to.batch, to.batch / from.batch);
      const bool is_used = to.batch < from.batch || !from.measured().host_paced; // else predict does not ask it
      if (ratio > 1 && ratio < farthest && is_used)
        tally.add("compute_one_batch", std::log(line.time_s(to.batch) / to.time_s));
    }
  }
}

std::string cluster_of(const BatchCurve& curve) {
  return std::filesystem::path(curve.points.front().record->head.file).parent_path().parent_path().filename().string();
}

/// The same question measured twice: by another cluster's people with the same stack.
void between_clusters(const OneGpuCurves& one_gpu, Tally& tally) {
  for (std::size_t i = 0; i < one_gpu.curves.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const auto& a = one_gpu.curves[i];
      const auto& b = one_gpu.curves[k];
      if (a.gpu != b.gpu || a.model != b.model || a.precision != b.precision || a.preset != b.preset) continue;
      if (a.synchronised != b.synchronised || cluster_of(a) == cluster_of(b)) continue;
      for (const auto& one : a.points)
        for (const auto& other : b.points)
          if (one.batch == other.batch) tally.add("compute_transferred", std::log(one.time_s / other.time_s));
    }
  }
}

/// One (GPU, model, precision, stack) with the batches measured.
struct Cell {
  OtherGpuQuestion question;
  std::set<double> batches;
};

std::vector<Cell> cells_of(const std::vector<BatchCurve>& curves) {
  std::vector<Cell> cells;
  for (const auto& curve : curves) {
    auto cell = std::find_if(cells.begin(), cells.end(), [&](const Cell& one) {
      const auto& question = one.question;
      return question.gpu == curve.gpu && question.model == curve.model && question.precision == curve.precision &&
             question.preset == curve.preset;
    });
    if (cell == cells.end()) {
      cells.push_back(Cell{{curve.gpu, curve.model, curve.precision, curve.preset, 0}, {}});
      cell = std::prev(cells.end());
    }
    for (const auto& point : curve.points) cell->batches.insert(point.batch);
  }
  return cells;
}

double measured_s(const CurveIndex& index, const OtherGpuQuestion& question) {
  return time_in_cell(index, index.cell(question.gpu, question.model, question.precision, question.preset),
                      question.batch)
      ->time_s;
}

void between_stacks(const CurveIndex& index, const std::vector<Cell>& cells, Tally& tally) {
  for (const auto& cell : cells) {
    for (const auto& other : cells) {
      const bool same = cell.question.gpu == other.question.gpu && cell.question.model == other.question.model &&
                        cell.question.precision == other.question.precision;
      if (!same || cell.question.preset == other.question.preset) continue;
      for (const double batch : cell.batches) {
        if (other.batches.count(batch) == 0) continue;
        auto question = cell.question;
        auto known = other.question;
        question.batch = known.batch = batch;
        tally.add(for_precision("compute_other_stack", question.precision),
                  std::log(measured_s(index, known) / measured_s(index, question)));
      }
    }
  }
}

/// The cell's own records play no part: scaled_time asks other GPUs only, anchored_time these and other models.
void from_other_gpus(const CurveIndex& index, const std::vector<Cell>& cells, Tally& tally) {
  for (const auto& cell : cells) {
    auto question = cell.question;
    for (const double batch : cell.batches) {
      question.batch = batch;
      const double truth_s = measured_s(index, question);
      const auto note = [&](const char* kind, const std::optional<OtherGpuTime>& answer) {
        if (answer && (answer->anchor.empty() || answer->preset == question.preset))
          tally.add(for_precision(kind, question.precision), std::log(answer->time_s / truth_s));
      };
      note("compute_anchored_family", anchored_time(index, question, true));
      note("compute_anchored", anchored_time(index, question, false));
      note("compute_scaled", scaled_time(index, question));
    }
  }
}

void by_roofline(const OneGpuCurves& one_gpu, const CurveIndex& index, const std::vector<Cell>& cells, Tally& tally) {
  for (const auto& cell : cells) {
    const auto model = one_gpu.models.find(cell.question.model);
    const auto gpu = std::find_if(one_gpu.gpus.begin(), one_gpu.gpus.end(),
                                  [&](const Gpu& one) { return one.name == cell.question.gpu; });
    if (model == one_gpu.models.end() || gpu == one_gpu.gpus.end()) continue;
    auto question = cell.question;
    for (const double batch : cell.batches) {
      question.batch = batch;
      try {
        const double time_s = roofline_iteration_s(model->second, *gpu, question.precision, batch);
        tally.add(for_precision("compute_roofline", question.precision),
                  std::log(time_s / measured_s(index, question)));
      } catch (const UserError&) {
        continue; // the catalogue has no peak of that precision
      }
    }
  }
}

/// Both GPUs' curves in fp32.
std::vector<BatchCurve> curves_of_pair(const OneGpuCurves& one_gpu, const std::string& a, const std::string& b) {
  std::vector<BatchCurve> curves;
  std::copy_if(one_gpu.curves.begin(), one_gpu.curves.end(), std::back_inserter(curves), [&](const BatchCurve& one) {
    return one.precision == Precision::fp32 && (one.gpu == a || one.gpu == b);
  });
  return curves;
}

GpuPairError between_pair(const OneGpuCurves& one_gpu, const std::string& from, const std::string& to) {
  const auto curves = curves_of_pair(one_gpu, from, to);
  const CurveIndex index(curves, one_gpu.gpus, one_gpu.sizes);
  Tally tally;
  for (const auto& cell : cells_of(curves)) {
    if (cell.question.gpu != to) continue;
    auto question = cell.question;
    for (const double batch : cell.batches) {
      question.batch = batch;
      const double truth_s = measured_s(index, question);
      const auto scaled = scaled_time(index, question);
      if (scaled && scaled->preset == question.preset) tally.add("scaled", std::log(scaled->time_s / truth_s));
      auto anchored = anchored_time(index, question, true);
      if (!anchored) anchored = anchored_time(index, question, false);
      if (anchored && anchored->preset == question.preset) tally.add("anchored", std::log(anchored->time_s / truth_s));
    }
  }
  return {from, to, tally.of("scaled"), tally.of("anchored")};
}

std::string percent(double ln) {
  return fmt::format("{:.1f}", 100 * ln);
}

std::vector<std::string> figures(const EvidenceError& error) {
  if (error.questions == 0) return {"0", "-", "-", "-"};
  return {fmt::format("{}", error.questions), percent(error.mean), percent(error.worst), percent(error.bias)};
}

} // namespace

ComputeRecords read_compute_records(const DataFolder& data, bool single_gpu_only) {
  const auto reference = other_cluster_times(read_measured_times(data), {});
  ComputeRecords read;
  for (const auto& record : reference.records)
    if (!single_gpu_only || record.head.file.find("/single-gpu/") != std::string::npos) read.records.push_back(record);
  read.one_gpu.gpus = reference.gpus;
  read.one_gpu.sizes = reference.models;
  for (const auto& name : list_models(data)) read.one_gpu.models.emplace(name, load_model(data, name));
  read.one_gpu.curves = compute_curves(read.records, reference.gpus, reference.models, "");
  // Without an optimizer a time of another cluster answers through the blend alone.
  std::erase_if(read.one_gpu.curves, [](const BatchCurve& curve) { return !curve.optimizer; });
  return read;
}

std::vector<EvidenceError> measure_evidence(const OneGpuCurves& one_gpu) {
  const CurveIndex index(one_gpu.curves, one_gpu.gpus, one_gpu.sizes);
  const auto cells = cells_of(one_gpu.curves);
  Tally tally;
  for (const auto& curve : one_gpu.curves) {
    leave_batches_out(one_gpu, curve, tally);
    from_one_batch(one_gpu, curve, tally);
  }
  between_clusters(one_gpu, tally);
  between_stacks(index, cells, tally);
  from_other_gpus(index, cells, tally);
  by_roofline(one_gpu, index, cells, tally);
  std::vector<EvidenceError> errors;
  for (const char* kind : {"compute_interpolated", "compute_extrapolated", "compute_one_batch", "compute_transferred",
                           "compute_other_stack", "compute_other_stack_reduced", "compute_anchored_family",
                           "compute_anchored_family_reduced", "compute_anchored", "compute_anchored_reduced",
                           "compute_scaled", "compute_scaled_reduced", "compute_roofline", "compute_roofline_reduced"})
    if (const auto error = tally.of(kind); error.questions > 0) errors.push_back(error);
  return errors;
}

std::vector<GpuPairError> transfer_between_gpus(const OneGpuCurves& one_gpu) {
  std::set<std::string> gpus;
  for (const auto& curve : one_gpu.curves)
    if (curve.precision == Precision::fp32) gpus.insert(curve.gpu);
  std::vector<GpuPairError> pairs;
  for (const auto& from : gpus) {
    for (const auto& to : gpus) {
      if (from == to) continue;
      const auto pair = between_pair(one_gpu, from, to);
      if (pair.scaled.questions > 0 || pair.anchored.questions > 0) pairs.push_back(pair);
    }
  }
  return pairs;
}

std::string to_text(const std::vector<EvidenceError>& errors) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& error : errors) {
    auto row = figures(error);
    row.insert(row.begin(), error.prior);
    row.push_back(fmt::format("{:.3f}", error.width));
    rows.push_back(row);
  }
  return to_table({{"evidence", Align::left}, {"asked"}, {"mean %"}, {"worst %"}, {"bias %"}, {"sd of ln"}}, rows);
}

std::string to_text(const std::vector<GpuPairError>& pairs) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& pair : pairs) {
    std::vector<std::string> row{pair.from, pair.to};
    for (const auto& error : {pair.scaled, pair.anchored})
      for (const auto& cell : figures(error)) row.push_back(cell);
    rows.push_back(row);
  }
  return to_table({{"from", Align::left},
                   {"to", Align::left},
                   {"scaled"},
                   {"mean %"},
                   {"worst %"},
                   {"bias %"},
                   {"anchored"},
                   {"mean %"},
                   {"worst %"},
                   {"bias %"}},
                  rows);
}

} // namespace ddlsim
