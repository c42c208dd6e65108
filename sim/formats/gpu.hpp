#pragma once
// The device catalogue, platforms/gpus.json: K20 .. B200, a source for every figure.

#include "sim/formats/names.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// What a GPU does arithmetic with: its ordinary units at a width, or its tensor cores. Data sheets state a peak of
/// each.
enum class ArithmeticUnit { fp32, tf32, fp16, bf16, fp16_tensor, bf16_tensor, fp8_tensor };

/// As the catalogue names it: "fp32", "fp16-tensor".
std::string to_text(ArithmeticUnit unit);

/// Dense FLOP/s of each unit that the GPU has.
using PeakRates = std::map<ArithmeticUnit, double>;

/// How GPUs of one kind reach each other without PCIe: NVLink, or AMD's Infinity Fabric.
struct GpuLinks {
  IntraKind kind = IntraKind::none; ///< none: by PCIe only
  double bandwidth_Bps = 0;         ///< of all links of a GPU, one direction, as the data sheet has it
  int gpus = 0;                     ///< that a bridge joins; 0: all of a node
  bool operator==(const GpuLinks&) const = default;
};

struct Gpu {
  std::string name; ///< "V100-SXM2-16GB"
  std::vector<std::string> aliases;
  int year = 0;
  int compute_capability = 0; ///< ten times CUDA's: 70 for 7.0; 0: not known
  PeakRates peak_flop_per_s;
  double memory_bandwidth_Bps = 0;
  double memory_bytes = 0;
  double power_w = 0;   ///< 0: not known
  double price_usd = 0; ///< 0: not known
  GpuLinks links;
  double pcie_Bps = 0;                        ///< of its slot, one direction; 0: not known
  std::map<std::string, std::string> sources; ///< field -> where the figure stands
};

/// The file platforms/gpus.json.
struct GpuCatalogue {
  std::vector<Gpu> gpus;
};

/// Throws UserError with every mistake of the file.
std::vector<Gpu> read_gpus(const std::filesystem::path& file);

/// By any name that match_gpu() takes; throws UserError offering the nearest name.
const Gpu& find_gpu(const std::vector<Gpu>& gpus, const std::string& name);

/// What computes where nobody names a GPU: a processor, or a card that a source leaves out. Backward has the shape that
/// it has on the card of `shape_of_unnamed`; no rate is ever computed of it, and without a memory nothing is refused.
const Gpu& unnamed_device();
inline constexpr const char* shape_of_unnamed = "V100-SXM2-16GB";

/// The GPU of that name; unnamed_device() for "". Throws UserError as find_gpu().
const Gpu& find_device(const std::vector<Gpu>& gpus, const std::string& name);

} // namespace ddlsim
