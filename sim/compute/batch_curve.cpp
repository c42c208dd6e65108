#include "sim/compute/batch_curve.hpp"

#include <algorithm>
#include <compare>

namespace ddlsim {
namespace {

/// The properties that all records of a curve have in common.
struct Key {
  std::string gpu;
  std::string model;
  Precision precision = {};
  std::string preset;
  std::string series; ///< the series' name without the batch
  std::string software;
  std::string data;
  bool synchronised = false;
  bool optimizer = false;
  auto operator<=>(const Key&) const = default;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Returns the end of the number that follows `word` at `start`; npos when there is no such token.
std::size_t end_of_numbered(const std::string& text, std::size_t start, const std::string& word) {
  if (text.compare(start, word.size(), word) != 0) return std::string::npos;
  std::size_t end = start + word.size();
  const std::size_t first_digit = end;
  while (end < text.size() && is_digit(text[end])) ++end;
  const bool whole = end > first_digit && (end == text.size() || !is_word(text[end]));
  return whole ? end : std::string::npos;
}

void sort_points(BatchCurve& curve) {
  std::sort(curve.points.begin(), curve.points.end(),
            [](const CurvePoint& a, const CurvePoint& b) { return a.batch < b.batch; });
  for (auto& point : curve.points) {
    auto& same = point.duplicates;
    std::stable_sort(same.begin(), same.end(),
                     [](const StepRecord* a, const StepRecord* b) { return a->iteration_s < b->iteration_s; });
    point.record = same[same.size() / 2];
    point.time_s = point.record->iteration_s;
  }
}

void add_record(BatchCurve& curve, const StepRecord& record) {
  for (auto& point : curve.points) {
    if (point.batch == record.batch_per_gpu) return point.duplicates.push_back(&record);
  }
  curve.points.push_back({record.batch_per_gpu, 0, nullptr, {&record}});
}

} // namespace

std::string series_stem(const std::string& series) {
  static const std::vector<std::string> words{"batch", "bs", "b", "line"};
  std::string stem;
  for (std::size_t i = 0; i < series.size();) {
    std::size_t end = std::string::npos;
    if (i == 0 || !is_word(series[i - 1])) {
      for (const auto& word : words) {
        end = end_of_numbered(series, i, word);
        if (end == std::string::npos) continue;
        stem += word + "*";
        break;
      }
    }
    if (end == std::string::npos) {
      stem += series[i++];
    } else {
      i = end;
    }
  }
  return stem;
}

std::string catalogue_name(const std::vector<Gpu>& gpus, const std::string& name) {
  for (const auto& gpu : gpus)
    if (std::find(gpu.aliases.begin(), gpu.aliases.end(), name) != gpu.aliases.end()) return gpu.name;
  return name;
}

std::optional<FixedTime> expected_fixed(const ModelSizes& models, const std::vector<Gpu>& gpus,
                                        const std::string& model, const std::string& gpu) {
  const auto size = models.find(model);
  if (size == models.end()) return {};
  const auto card = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& one) { return one.name == gpu; });
  return expected_fixed(size->second, card == gpus.end() ? Gpu{} : *card);
}

bool is_one_gpu_training(const StepRecord& record) {
  return record.gpus == 1 && record.mode == RunMode::train && !record.head.suspect;
}

bool has_server(const StepRecord& record) {
  return is_parameter_server(record.strategy.name);
}

bool has_server_elsewhere(const StepRecord& record) {
  return record.synchronised && has_server(record) && record.strategy.placement == Placement::dedicated;
}

std::vector<BatchCurve> compute_curves(const std::vector<StepRecord>& records, const std::vector<Gpu>& gpus,
                                       const ModelSizes& models, const std::string& unnamed_gpu) {
  std::vector<BatchCurve> curves;
  std::map<Key, std::size_t> places;
  for (const auto& record : records) {
    const auto gpu = record.head.gpu.empty() ? unnamed_gpu : catalogue_name(gpus, record.head.gpu);
    if (!is_one_gpu_training(record) || gpu.empty() || is_of_processor_beside(record.head, gpu)) continue;
    const Key key{gpu,
                  record.model,
                  record.precision,
                  record.preset,
                  series_stem(record.head.series),
                  record.head.software,
                  record.data,
                  record.synchronised,
                  record.optimizer};
    const auto [place, fresh] = places.emplace(key, curves.size());
    if (fresh)
      curves.push_back({gpu,
                        record.model,
                        record.precision,
                        record.preset,
                        record.data,
                        record.synchronised,
                        record.optimizer,
                        {},
                        {}});
    add_record(curves[place->second], record);
  }
  for (auto& curve : curves) {
    sort_points(curve);
    if (curve.points.size() < 2) continue;
    curve.line =
        fit_line(batch_times(curve), expected_fixed(models, gpus, curve.model, curve.gpu).value_or(usual_fixed));
  }
  return curves;
}

std::vector<BatchTime> batch_times(const BatchCurve& curve) {
  std::vector<BatchTime> points;
  for (const auto& point : curve.points)
    for (const auto* record : point.duplicates)
      points.push_back({record->batch_per_gpu, record->iteration_s, record->host_paced, record->optimizer});
  return points;
}

} // namespace ddlsim
