#include "sim/formats/gpu.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/gpu_names.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace ddlsim {

namespace {

std::map<ArithmeticUnit, double> peaks_from(const JsonNode& node) {
  std::map<ArithmeticUnit, double> peaks;
  if (!node.is_object()) return peaks;
  node.allow_only(names_of<ArithmeticUnit>());
  for (const auto unit : values_of<ArithmeticUnit>())
    if (node.has(to_text(unit))) peaks[unit] = node.quantity(to_text(unit), Dimension::compute_rate);
  if (peaks.count(ArithmeticUnit::fp32) == 0)
    node.mistake_at("fp32", "missing; give the fp32 peak, like \"15.7 TFLOP/s\"");
  return peaks;
}

/// Every figure of the GPU needs a source, and a source needs its figure.
std::map<std::string, std::string> sources_from(const JsonNode& gpu) {
  static const std::vector<std::string> figures{"peak", "memory_bandwidth",   "memory", "power", "price",
                                                "year", "compute_capability", "links",  "pcie"};
  std::map<std::string, std::string> sources;
  const JsonNode node = gpu.at("sources");
  if (!node.is_object()) return sources;
  node.allow_only(figures);
  for (const auto& figure : figures) {
    const bool may_be_known_by_all = figure == "year" || figure == "compute_capability";
    if (node.has(figure)) sources[figure] = node.text(figure);
    if (gpu.has(figure) && !node.has(figure) && !may_be_known_by_all)
      node.mistake_at(figure, fmt::format("missing; say where the figure of \"{}\" stands", figure));
    if (!gpu.has(figure) && node.has(figure))
      node.mistake_at(figure, "a source for a figure that is not there; remove it, or give the figure");
  }
  return sources;
}

/// "7.0" as 70; 0 where it is left out.
int capability_from(const JsonNode& node) {
  constexpr double parts = 10;
  constexpr double most = 99;
  if (!node.has("compute_capability")) return 0;
  return static_cast<int>(std::lround(parts * node.number("compute_capability", 1, most)));
}

GpuLinks gpu_links_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"kind", "bandwidth", "gpus"};
  static const std::vector<std::string> kinds{to_text(IntraKind::nvlink_mesh), to_text(IntraKind::nvswitch)};
  constexpr long most_joined = 1024;
  GpuLinks links;
  if (!node.is_object()) return links;
  node.allow_only(known);
  links.kind = one_of<IntraKind>(node, "kind", kinds);
  links.bandwidth_Bps = node.quantity("bandwidth", Dimension::bandwidth);
  links.gpus = static_cast<int>(node.integer_or("gpus", 0, 2, most_joined));
  return links;
}

Gpu gpu_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"name",   "aliases", "year",  "peak",    "memory_bandwidth",
                                            "memory", "power",   "price", "sources", "compute_capability",
                                            "links",  "pcie"};
  constexpr long first_cuda_year = 2006;
  constexpr long last_year = 2100;
  Gpu gpu;
  if (!node.is_object()) return gpu;
  node.allow_only(known);
  gpu.name = simple_name(node, "name");
  gpu.aliases = node.texts_or_none("aliases");
  gpu.year = static_cast<int>(node.integer("year", first_cuda_year, last_year));
  gpu.compute_capability = capability_from(node);
  gpu.peak_flop_per_s = peaks_from(node.at("peak"));
  gpu.memory_bandwidth_Bps = node.quantity("memory_bandwidth", Dimension::bandwidth);
  gpu.memory_bytes = node.quantity("memory", Dimension::size);
  gpu.power_w = node.quantity_or("power", Dimension::power, 0);
  gpu.price_usd = node.quantity_or("price", Dimension::price, 0);
  if (node.has("links")) gpu.links = gpu_links_from(node.at("links"));
  gpu.pcie_Bps = node.quantity_or("pcie", Dimension::bandwidth, 0);
  gpu.sources = sources_from(node);
  return gpu;
}

} // namespace

std::string to_text(ArithmeticUnit unit) {
  switch (unit) {
  case ArithmeticUnit::fp32:
    return "fp32";
  case ArithmeticUnit::tf32:
    return "tf32";
  case ArithmeticUnit::fp16:
    return "fp16";
  case ArithmeticUnit::bf16:
    return "bf16";
  case ArithmeticUnit::fp16_tensor:
    return "fp16-tensor";
  case ArithmeticUnit::bf16_tensor:
    return "bf16-tensor";
  case ArithmeticUnit::fp8_tensor:
    return "fp8-tensor";
  }
  return "";
}

std::vector<Gpu> gpus_from(const JsonNode& root) {
  static constexpr std::string_view known[]{"format", "version", "gpus"};
  std::vector<Gpu> gpus;
  std::set<std::string> names;
  root.allow_only(known);
  for (const auto& node : root.list("gpus")) {
    gpus.push_back(gpu_from(node));
    auto own = gpus.back().aliases;
    own.push_back(gpus.back().name);
    for (const auto& name : own) {
      if (!name.empty() && !names.insert(name).second)
        node.mistake(fmt::format("the name {} is taken; every name and alias stands once", in_quotes(name)));
    }
  }
  return gpus;
}

std::vector<Gpu> read_gpus(const std::filesystem::path& file) {
  std::vector<Gpu> gpus;
  read_document(file, "ddlsim-gpus", 1, [&](const JsonNode& root) { gpus = gpus_from(root); });
  return gpus;
}

const Gpu& find_gpu(const std::vector<Gpu>& gpus, const std::string& name) {
  for (const auto& gpu : gpus)
    if (gpu.name == name) return gpu;
  if (const auto match = match_gpu(name, gpus); match.gpu != nullptr) return *match.gpu;
  std::vector<std::string> names;
  std::vector<std::string> all_names;
  for (const auto& gpu : gpus) {
    names.push_back(gpu.name);
    all_names.push_back(gpu.name);
    all_names.insert(all_names.end(), gpu.aliases.begin(), gpu.aliases.end());
  }
  throw UserError("", "", unknown_name_text("GPU", name, all_names, names));
}

const Gpu& unnamed_device() {
  static const Gpu device = [] { // the figures of shape_of_unnamed in platforms/gpus.json
    Gpu made;
    made.name = "unnamed device";
    made.peak_flop_per_s = {{ArithmeticUnit::fp32, 15.7e12}, {ArithmeticUnit::fp16_tensor, 125e12}};
    made.memory_bandwidth_Bps = 900e9;
    return made;
  }();
  return device;
}

const Gpu& find_device(const std::vector<Gpu>& gpus, const std::string& name) {
  return name.empty() ? unnamed_device() : find_gpu(gpus, name);
}

} // namespace ddlsim
