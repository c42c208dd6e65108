#include "sim/formats/gpu.hpp"

#include "sim/base/names.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ddlsim {

namespace {

const std::vector<std::string>& peak_precisions() {
  static const std::vector<std::string> names{"fp32", "tf32", "fp16", "bf16", "fp16-tensor", "bf16-tensor"};
  return names;
}

std::map<std::string, double> peaks_from(const Place& place) {
  std::map<std::string, double> peaks;
  if (!place.is_object()) return peaks;
  place.allow_only(peak_precisions());
  for (const auto& precision : peak_precisions())
    if (place.has(precision)) peaks[precision] = place.quantity(precision, Dimension::compute_rate);
  if (peaks.find("fp32") == peaks.end()) place.mistake_at("fp32", "missing; give the fp32 peak, like \"15.7 TFLOP/s\"");
  return peaks;
}

/// Every figure of the GPU needs a source, and a source needs its figure.
std::map<std::string, std::string> sources_from(const Place& gpu) {
  static const std::vector<std::string> figures{"peak", "memory_bandwidth", "memory", "power", "price", "year"};
  std::map<std::string, std::string> sources;
  const Place place = gpu.at("sources");
  if (!place.is_object()) return sources;
  place.allow_only(figures);
  for (const auto& figure : figures) {
    const bool may_be_known_by_all = figure == "year";
    if (place.has(figure)) sources[figure] = place.text(figure);
    if (gpu.has(figure) && !place.has(figure) && !may_be_known_by_all)
      place.mistake_at(figure, fmt::format("missing; say where the figure of \"{}\" stands", figure));
    if (!gpu.has(figure) && place.has(figure))
      place.mistake_at(figure, "a source for a figure that is not there; remove it, or give the figure");
  }
  return sources;
}

Gpu gpu_from(const Place& place) {
  static const std::vector<std::string> known{"name",   "aliases", "year",  "peak",   "memory_bandwidth",
                                              "memory", "power",   "price", "sources"};
  constexpr long first_cuda_year = 2006;
  constexpr long last_year = 2100;
  Gpu gpu;
  if (!place.is_object()) return gpu;
  place.allow_only(known);
  gpu.name = simple_name(place, "name");
  gpu.aliases = place.texts_or_none("aliases");
  gpu.year = static_cast<int>(place.integer("year", first_cuda_year, last_year));
  gpu.peak_flop_per_s = peaks_from(place.at("peak"));
  gpu.memory_bandwidth_Bps = place.quantity("memory_bandwidth", Dimension::bandwidth);
  gpu.memory_bytes = place.quantity("memory", Dimension::size);
  gpu.power_w = place.quantity_or("power", Dimension::power, 0);
  gpu.price_usd = place.quantity_or("price", Dimension::price, 0);
  gpu.sources = sources_from(place);
  return gpu;
}

} // namespace

std::vector<Gpu> gpus_from(const Place& root) {
  static const std::vector<std::string> known{"format", "version", "gpus"};
  std::vector<Gpu> gpus;
  std::set<std::string> names;
  root.allow_only(known);
  for (const auto& place : root.list("gpus")) {
    gpus.push_back(gpu_from(place));
    auto own = gpus.back().aliases;
    own.push_back(gpus.back().name);
    for (const auto& name : own) {
      if (!name.empty() && !names.insert(name).second)
        place.mistake(fmt::format("the name {} is taken; every name and alias stands once", in_quotes(name)));
    }
  }
  return gpus;
}

std::vector<Gpu> read_gpus(const std::filesystem::path& file) {
  std::vector<Gpu> gpus;
  read_document(file, "ddlsim-gpus", 1, [&](const Place& root) { gpus = gpus_from(root); });
  return gpus;
}

const Gpu& find_gpu(const std::vector<Gpu>& gpus, const std::string& name) {
  std::vector<std::string> names;
  std::vector<std::string> all_names;
  for (const auto& gpu : gpus) {
    const bool alias = std::find(gpu.aliases.begin(), gpu.aliases.end(), name) != gpu.aliases.end();
    if (gpu.name == name || alias) return gpu;
    names.push_back(gpu.name);
    all_names.push_back(gpu.name);
    all_names.insert(all_names.end(), gpu.aliases.begin(), gpu.aliases.end());
  }
  throw UserError("", "", unknown_name_text("GPU", name, all_names, names));
}

} // namespace ddlsim
