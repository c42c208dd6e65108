#include "sim/formats/gpu.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/answer_types.hpp"
#include "sim/formats/field_table.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/gpu_names.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace ddlsim {

ValueType<int> capability_type() {
  constexpr double parts = 10;
  constexpr double most = 99;
  return stored_as<int, double>(
      number_type(1, most), [=](const double& stated) { return static_cast<int>(std::lround(parts * stated)); },
      [=](const int& tenths) { return tenths / parts; });
}

namespace {

constexpr long first_cuda_year = 2006;
constexpr long last_year = 2100;
constexpr long most_joined_gpus = 1024;

/// A table with one row for each arithmetic unit.
FieldTable<PeakRates> peak_fields() {
  FieldTable<PeakRates> table;
  const auto type = quantity_type(Dimension::compute_rate);
  for (const auto unit : values_of<ArithmeticUnit>()) {
    const auto presence = unit == ArithmeticUnit::fp32 ? Presence::required : Presence::optional;
    table.fields.push_back({{to_text(unit), presence, type.shape, "dense"},
                            [=](const JsonNode& place, PeakRates& peaks) { peaks[unit] = type.read(place); },
                            [=](const PeakRates& peaks, nlohmann::ordered_json& object) {
                              if (const auto found = peaks.find(unit); found != peaks.end())
                                object[to_text(unit)] = type.write(found->second);
                            }});
  }
  return table;
}

FieldTable<GpuLinks> link_fields() {
  const auto kinds = names_of<IntraKind>({IntraKind::nvlink_mesh, IntraKind::nvswitch});
  return {{required("kind", &GpuLinks::kind, name_of_type<IntraKind>(kinds), "how the links meet"),
           required("bandwidth", &GpuLinks::bandwidth_Bps, quantity_type(Dimension::bandwidth),
                    "all links of a GPU, one direction"),
           optional("gpus", &GpuLinks::gpus, whole_type(2, most_joined_gpus),
                    "how many GPUs a bridge joins; all of a node if not given")}};
}

/// The figures that need a source.
const std::vector<std::string>& sourced_figures() {
  static const std::vector<std::string> figures{
      "peak", "memory_bandwidth", "memory", "power", "price", "links", "pcie", "year", "compute_capability"};
  return figures;
}

/// Checks that every figure of the GPU has a source, and every source a figure.
void check_sources(const JsonNode& gpu, Gpu& /*read*/) {
  const auto node = gpu.at("sources");
  for (const auto& figure : sourced_figures()) {
    const bool may_be_known_by_all = figure == "year" || figure == "compute_capability";
    if (gpu.has(figure) && !node.has(figure) && !may_be_known_by_all)
      node.mistake_at(figure, fmt::format("missing; say where the figure of \"{}\" stands", figure));
    if (!gpu.has(figure) && node.has(figure))
      node.mistake_at(figure, "a source for a figure that is not there; remove it, or give the figure");
  }
}

const FieldTable<Gpu>& gpu_fields() {
  static const FieldTable<Gpu> table{
      {required("name", &Gpu::name, name_type(), "what clusters and records call it"),
       optional("aliases", &Gpu::aliases, list_type(text_type()), "other names for it"),
       required("year", &Gpu::year, whole_type(first_cuda_year, last_year), "in which it came out"),
       optional("compute_capability", &Gpu::compute_capability, capability_type(), "CUDA's: 7.0 for V100"),
       required("peak", &Gpu::peak_flop_per_s, object_type(peak_fields()), "FLOP/s by arithmetic unit and precision"),
       required("memory_bandwidth", &Gpu::memory_bandwidth_Bps, quantity_type(Dimension::bandwidth),
                "of its own memory"),
       required("memory", &Gpu::memory_bytes, quantity_type(Dimension::size), "its own memory"),
       optional("power", &Gpu::power_w, quantity_type(Dimension::power), "the limit that the maker states"),
       optional("price", &Gpu::price_usd, quantity_type(Dimension::price), "of one card"),
       optional("links", &Gpu::links, object_type(link_fields()), "NVLink or Infinity Fabric"),
       optional("pcie", &Gpu::pcie_Bps, quantity_type(Dimension::bandwidth), "its slot, one direction"),
       required("sources", &Gpu::sources, text_map_type(sourced_figures()), "where each figure stands")},
      check_sources};
  return table;
}

/// Checks that each name or alias belongs to one GPU only.
void check_names(const JsonNode& root, GpuCatalogue& catalogue) {
  std::set<std::string> taken;
  const auto places = root.list("gpus");
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto own = catalogue.gpus[i].aliases;
    own.push_back(catalogue.gpus[i].name);
    for (const auto& name : own)
      if (!taken.insert(name).second)
        places[i].mistake(fmt::format("the name {} is taken; every name and alias stands once", in_quotes(name)));
  }
}

const FieldTable<GpuCatalogue>& catalogue_fields() {
  static const auto table = document<GpuCatalogue>(
      "ddlsim-gpus", 1, {required("gpus", &GpuCatalogue::gpus, list_type(object_type(gpu_fields())), "the catalogue")},
      check_names);
  return table;
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
  return read_object(root, catalogue_fields()).gpus;
}

FileFormat gpus_format() {
  return {"gpus", "GPUs", "platforms/gpus.json, or one GPU in a file of its own", catalogue_fields().shape()};
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
  static const Gpu device = [] { // figures of shape_of_unnamed in platforms/gpus.json
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
