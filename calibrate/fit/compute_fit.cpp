#include "calibrate/fit/compute_fit.hpp"

#include "calibrate/data/collective_data.hpp"
#include "calibrate/data/data_checks.hpp"
#include "sim/compute/batch_line_fit.hpp"
#include "sim/compute/other_clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace ddlsim {
namespace {

/// What distinguishes lines: records with equal keys are fitted together.
struct CurveKey {
  std::string gpu;
  std::string model;
  Precision precision = {};
  std::string preset;
  auto operator<=>(const CurveKey&) const = default;
};

/// Sorts by batch, time and place, so that the order of files does not matter.
void sort_records(std::vector<const StepRecord*>& records) {
  std::sort(records.begin(), records.end(), [](const StepRecord* a, const StepRecord* b) {
    if (a->batch_per_gpu != b->batch_per_gpu) return a->batch_per_gpu < b->batch_per_gpu;
    if (a->iteration_s != b->iteration_s) return a->iteration_s < b->iteration_s;
    if (a->head.file != b->head.file) return a->head.file < b->head.file;
    return a->head.line < b->head.line;
  });
}

std::map<CurveKey, std::vector<const StepRecord*>> by_curve(const std::vector<StepRecord>& records,
                                                            const std::vector<Gpu>& gpus,
                                                            const std::string& unnamed_gpu,
                                                            std::vector<Excluded>& excluded) {
  std::map<CurveKey, std::vector<const StepRecord*>> curves;
  for (const auto& record : records) {
    if (record.gpus != 1 || !trains_whole_model(record) || has_server_elsewhere(record)) continue;
    if (record.head.suspect) {
      excluded.push_back({place_of(record), std::string(marked_by_source)});
      continue;
    }
    if (is_of_processor_beside(record.head, unnamed_gpu)) {
      excluded.push_back({place_of(record), "measured on a processor, and the cluster computes on " + unnamed_gpu});
      continue;
    }
    const auto gpu = record.head.gpu.empty() ? unnamed_gpu : catalogue_name(gpus, record.head.gpu);
    curves[{gpu, record.model, record.precision, record.preset}].push_back(&record);
  }
  for (auto& [key, curve] : curves) {
    const bool any_alone =
        std::any_of(curve.begin(), curve.end(), [](const StepRecord* record) { return !record->synchronised; });
    if (any_alone) std::erase_if(curve, [](const StepRecord* record) { return record->synchronised; });
    sort_records(curve);
  }
  return curves;
}

/// The line numbers of the records in each file.
std::vector<RecordLines> sources_of(const std::vector<const StepRecord*>& records) {
  std::map<std::string, std::vector<int>> lines;
  for (const auto* record : records)
    lines[std::filesystem::path(record->head.file).filename().string()].push_back(record->head.line);
  std::vector<RecordLines> sources;
  for (const auto& [file, at] : lines) sources.push_back({file, lines_text(at)});
  return sources;
}

BatchLine line_of(const CurveKey& key, const std::vector<const StepRecord*>& records, FixedTime expected) {
  const auto points = batch_times(records);
  const auto fit = fit_line(points, expected);
  BatchLine line;
  line.gpu = key.gpu;
  line.model = key.model;
  line.precision = key.precision;
  line.preset = key.preset;
  line.fixed_s = fit.fixed_s;
  line.per_sample_s = fit.per_sample_s;
  line.least_s = fit.least_s;
  line.smallest_batch = records.front()->batch_per_gpu;
  line.largest_batch = records.back()->batch_per_gpu;
  line.relative_error = fit.relative_error;
  line.leave_one_out = leave_one_batch_out(points, expected);
  line.fixed_error = fit.fixed_error;
  line.per_sample_error = fit.per_sample_error;
  line.correlation = fit.correlation;
  line.records = static_cast<int>(records.size());
  line.sources = sources_of(records);
  return line;
}

std::string warned_name(const BatchLine& line) {
  return fmt::format("{} {} {} {}", line.gpu.empty() ? "GPU without name" : line.gpu, line.model,
                     to_text(line.precision), line.preset);
}

void warn_of(const BatchLine& line, std::vector<std::string>& warnings) {
  if (line.smallest_batch == line.largest_batch) {
    warnings.push_back(
        fmt::format("{}: measured at batch {:g} only; the part that does not grow with the batch is taken "
                    "from the layer table",
                    warned_name(line), line.largest_batch));
  }
  constexpr double wide = 0.1; // error of a line that counts as wide: three times the usual error
  if (line.relative_error > wide)
    warnings.push_back(fmt::format("{}: its records scatter by {:.0f} %; they may be of different software",
                                   warned_name(line), 100 * line.relative_error));
}

} // namespace

ComputeFit fit_compute(const std::vector<StepRecord>& records, const std::vector<Gpu>& gpus,
                       const std::map<std::string, Model>& models, const std::string& unnamed_gpu) {
  ComputeFit fit;
  for (auto& [key, curve] : by_curve(records, gpus, unnamed_gpu, fit.excluded)) {
    const auto& [gpu_name, model_name, precision, preset] = key;
    const auto model = models.find(model_name);
    const auto gpu =
        std::find_if(gpus.begin(), gpus.end(), [&, name = gpu_name](const Gpu& one) { return one.name == name; });
    const auto expected =
        model == models.end() ? usual_fixed : expected_fixed(size_of(model->second), gpu == gpus.end() ? Gpu{} : *gpu);
    PlausibilityContext screen{model == models.end() ? nullptr : &model->second, gpu == gpus.end() ? nullptr : &*gpu,
                               expected};
    const auto kept = plausible_records(curve, screen, fit.excluded, fit.warnings);
    if (kept.empty()) continue;
    fit.lines.push_back(line_of(key, kept, expected));
    warn_of(fit.lines.back(), fit.warnings);
  }
  return fit;
}

} // namespace ddlsim
