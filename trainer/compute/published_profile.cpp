#include "trainer/compute/published_profile.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/formats/record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

namespace ddltrain {
namespace {

namespace fs = std::filesystem;

/// Returns the folders of platforms/, by name.
std::vector<std::string> clusters_in(const fs::path& platforms) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(platforms, error), end; !error && it != end; it.increment(error)) {
    if (it->is_directory()) names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  if (names.empty()) {
    throw ddlsim::UserError(platforms.string(), "", "no measurements in it; choose the folder with --platforms");
  }
  return names;
}

bool fits(const ddlsim::StepRecord& step, const PublishedStep& wanted) {
  return step.model == wanted.model && step.head.gpu == wanted.gpu &&
         ddlsim::to_text(step.precision) == wanted.precision && step.gpus == 1 && !step.synchronised &&
         step.mode == ddlsim::RunMode::train && !step.head.suspect;
}

struct Found {
  std::map<double, std::vector<double>> iterations_s; ///< times by batch
  std::map<double, std::set<std::string>> files;
};

void look_into(const ddlsim::MeasurementFile& file, const PublishedStep& wanted, Found& found) {
  if (file.context.emulated) return;
  for (const auto& record : file.records) {
    const auto* step = std::get_if<ddlsim::StepRecord>(&record);
    if (step == nullptr || !fits(*step, wanted)) continue;
    found.iterations_s[step->batch_per_gpu].push_back(step->iteration_s);
    found.files[step->batch_per_gpu].insert(file.file.filename().string());
  }
}

double chosen_batch(const Found& found, const PublishedStep& wanted) {
  std::vector<double> batches;
  for (const auto& [batch, times] : found.iterations_s) batches.push_back(batch);
  if (batches.empty()) {
    throw ddlsim::UserError(
        "", "",
        fmt::format("no record of {} on one {} in {}; ./run ddlsim list models and gpus name what there is",
                    wanted.model, wanted.gpu, wanted.precision));
  }
  const double batch = wanted.batch > 0 || batches.size() > 1 ? wanted.batch : batches.front();
  if (found.iterations_s.count(batch) == 0) {
    throw ddlsim::UserError("", "",
                            fmt::format("{} on one {} was measured at batch {}; choose one with --batch", wanted.model,
                                        wanted.gpu, fmt::join(batches, ", ")));
  }
  return batch;
}

} // namespace

FoundStep find_published_step(const fs::path& platforms, const PublishedStep& wanted) {
  Found found;
  for (const std::string& cluster : clusters_in(platforms)) {
    for (const auto& file : ddlsim::read_cluster_measurements(platforms, cluster)) look_into(file, wanted, found);
  }
  FoundStep step;
  step.batch = chosen_batch(found, wanted);
  const std::vector<double>& times_s = found.iterations_s.at(step.batch);
  step.iteration_s = ddlsim::median(times_s);
  step.source = fmt::format("median of {} record{} of {} on one {}, batch {}, {}, in {}", times_s.size(),
                            times_s.size() == 1 ? "" : "s", wanted.model, wanted.gpu, step.batch, wanted.precision,
                            fmt::join(found.files.at(step.batch), ", "));
  return step;
}

ddlsim::Precision precision_named(const std::string& text) {
  if (const auto precision = ddlsim::value_named<ddlsim::Precision>(text)) return *precision;
  const auto& names = ddlsim::names_of<ddlsim::Precision>();
  throw ddlsim::UserError("--precision", "", ddlsim::unknown_name_text("precision", text, names, names));
}

ddlsim::Model model_of(const LayerTable& table) {
  ddlsim::Model model;
  for (const LayerRow& row : table) {
    ddlsim::Layer layer = {row.name,
                           row.kind,
                           static_cast<double>(row.forward_flop_per_sample),
                           static_cast<double>(row.activation_bytes_per_sample),
                           {}};
    for (const TensorRow& tensor : row.tensors) {
      constexpr double element_bytes = 4; // bytes of fp32
      layer.tensors.push_back({tensor.name,
                               {tensor.shape.begin(), tensor.shape.end()},
                               element_bytes * static_cast<double>(element_count(tensor))});
    }
    model.layers.push_back(std::move(layer));
  }
  return model;
}

Profile split_by_roofline(const LayerTable& table, const ddlsim::Gpu& gpu, const FoundStep& step,
                          const PublishedStep& wanted) {
  const auto times = ddlsim::roofline_layer_times(model_of(table), gpu, precision_named(wanted.precision), step.batch);
  double sum_s = 0;
  for (const auto& time : times) sum_s += time.forward_s + time.backward_s;
  Profile profile;
  profile.model = wanted.model;
  profile.gpu = gpu.name;
  profile.precision = wanted.precision;
  profile.batch = step.batch;
  profile.source =
      fmt::format("iteration of {:.6g} s: {}; split over the layers by the simulator's roofline at {:.4g} "
                  "FLOP/s and {:.4g} B/s with the efficiencies of each kind of layer",
                  step.iteration_s, step.source, ddlsim::peak_flop_per_s(gpu, precision_named(wanted.precision)),
                  gpu.memory_bandwidth_Bps);
  const double scale = step.iteration_s / sum_s;
  for (std::size_t i = 0; i < table.size(); ++i) {
    profile.layers.push_back({table[i].name, scale * times[i].forward_s, scale * times[i].backward_s});
  }
  return profile;
}

} // namespace ddltrain
