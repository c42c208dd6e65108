#include "trainer/compute/published_profile.hpp"

#include "trainer/files/error.hpp"
#include "trainer/records/statistics.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace ddltrain {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// "15.7 TFLOP/s", "900 GB/s" in SI.
double quantity(const std::string& text) {
  static const std::map<std::string, double> units{{"TFLOP/s", 1e12}, {"GFLOP/s", 1e9}, {"PFLOP/s", 1e15},
                                                   {"GB/s", 1e9},     {"TB/s", 1e12},   {"MB/s", 1e6}};
  std::istringstream words(text);
  double value = 0;
  std::string unit;
  words >> value >> unit;
  const auto found = units.find(unit);
  if (found == units.end() || value <= 0) throw UsageError("cannot read the quantity \"" + text + "\" of gpus.json");
  return value * found->second;
}

/// Mixed precision computes at the half-precision peak.
std::vector<std::string> peaks_for(const std::string& precision) {
  if (precision == "amp") return {"amp", "fp16"};
  return {precision};
}

std::vector<fs::path> measurement_files(const fs::path& platforms) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(platforms, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".jsonl") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) throw UsageError("no measurements under " + platforms.string() + "; choose it with --platforms");
  return files;
}

double iteration_s(const Json& step) {
  const double value = step.at("value");
  const std::string unit = step.at("unit");
  if (unit == "samples/s") return step.at("batch_per_gpu").get<double>() / value;
  return unit == "ms" ? value * 1e-3 : value;
}

bool fits(const Json& record, const Json& context, const PublishedStep& wanted) {
  return record.value("record", "") == "step" && record.value("model", "") == wanted.model &&
         record.value("gpu", context.value("gpu", "")) == wanted.gpu &&
         record.value("precision", "") == wanted.precision && record.value("gpus", 0) == 1 &&
         !record.value("synchronised", true) && record.value("mode", "train") == "train" &&
         !record.value("suspect", false) && !context.value("emulated", false);
}

struct Found {
  std::map<double, std::vector<double>> iterations_s; ///< by batch
  std::map<double, std::set<std::string>> files;
};

void look_into(const fs::path& file, const PublishedStep& wanted, Found& found) {
  std::ifstream stream(file);
  Json context;
  for (std::string line; std::getline(stream, line);) {
    const bool may_fit = context.is_null() || line.find(wanted.model) != std::string::npos;
    if (!may_fit || line.empty()) continue;
    const Json record = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (context.is_null()) context = record;
    if (!record.is_object() || !fits(record, context, wanted)) continue;
    const double batch = record.at("batch_per_gpu");
    found.iterations_s[batch].push_back(iteration_s(record));
    found.files[batch].insert(file.filename().string());
  }
}

double chosen_batch(const Found& found, const PublishedStep& wanted) {
  std::vector<double> batches;
  for (const auto& [batch, times] : found.iterations_s) batches.push_back(batch);
  if (batches.empty()) {
    throw UsageError(
        fmt::format("no record of {} on one {} in {}; ./run ddlsim list models and gpus name what there is",
                    wanted.model, wanted.gpu, wanted.precision));
  }
  const double batch = wanted.batch > 0 || batches.size() > 1 ? wanted.batch : batches.front();
  if (found.iterations_s.count(batch) == 0) {
    throw UsageError(fmt::format("{} on one {} was measured at batch {}; choose one with --batch", wanted.model,
                                 wanted.gpu, fmt::join(batches, ", ")));
  }
  return batch;
}

double roofline_s(const LayerRow& row, const GpuRates& gpu, double batch) {
  constexpr double element_bytes = 4;
  double bytes = 2 * batch * static_cast<double>(row.activation_bytes_per_sample);
  for (const TensorRow& tensor : row.tensors) bytes += element_bytes * static_cast<double>(element_count(tensor));
  return std::max(batch * static_cast<double>(row.forward_flop_per_sample) / gpu.peak_flop_per_s,
                  bytes / gpu.memory_Bps);
}

} // namespace

GpuRates gpu_rates(const fs::path& platforms, const std::string& gpu, const std::string& precision) {
  std::ifstream stream(platforms / "gpus.json");
  const Json file = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!file.is_object()) throw UsageError("cannot read " + (platforms / "gpus.json").string());
  std::vector<std::string> names;
  for (const Json& entry : file.at("gpus")) {
    names.push_back(entry.at("name"));
    if (names.back() != gpu) continue;
    for (const std::string& key : peaks_for(precision)) {
      const auto peak = entry.at("peak").find(key);
      if (peak != entry.at("peak").end()) return {quantity(*peak), quantity(entry.at("memory_bandwidth"))};
    }
    throw UsageError(fmt::format("gpus.json has no {} peak of {}", precision, gpu));
  }
  throw UsageError(fmt::format("no GPU is called \"{}\"; the nearest is \"{}\"", gpu, nearest_name(gpu, names)));
}

FoundStep find_published_step(const fs::path& platforms, const PublishedStep& wanted) {
  Found found;
  for (const fs::path& file : measurement_files(platforms)) look_into(file, wanted, found);
  FoundStep step;
  step.batch = chosen_batch(found, wanted);
  const std::vector<double>& times_s = found.iterations_s.at(step.batch);
  step.iteration_s = summarise(times_s).median;
  step.source = fmt::format("median of {} record{} of {} on one {}, batch {}, {}, in {}", times_s.size(),
                            times_s.size() == 1 ? "" : "s", wanted.model, wanted.gpu, step.batch, wanted.precision,
                            fmt::join(found.files.at(step.batch), ", "));
  return step;
}

Profile split_by_roofline(const LayerTable& table, const GpuRates& gpu, const FoundStep& step,
                          const PublishedStep& wanted) {
  Profile profile;
  profile.model = wanted.model;
  profile.gpu = wanted.gpu;
  profile.precision = wanted.precision;
  profile.batch = step.batch;
  profile.source =
      fmt::format("iteration of {:.6g} s: {}; split over the layers by their roofline times at {:.4g} FLOP/s "
                  "and {:.4g} B/s, backward twice the forward with parameters, once without",
                  step.iteration_s, step.source, gpu.peak_flop_per_s, gpu.memory_Bps);
  double sum = 0;
  for (const LayerRow& row : table) {
    const double weight = roofline_s(row, gpu, step.batch);
    profile.layers.push_back({row.name, weight, weight * (row.tensors.empty() ? 1 : 2)});
    sum += profile.layers.back().forward_s + profile.layers.back().backward_s;
  }
  for (LayerTime& layer : profile.layers) {
    layer.forward_s *= step.iteration_s / sum;
    layer.backward_s *= step.iteration_s / sum;
  }
  return profile;
}

} // namespace ddltrain
