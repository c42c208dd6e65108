#pragma once
// The catalogue of devices, platforms/gpus.json: K20 .. B200, with a source for every figure.

#include "sim/formats/names.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// A kind of arithmetic unit of a GPU: its ordinary units at a width, or its tensor cores. Data sheets state a peak
/// rate for each.
enum class ArithmeticUnit { fp32, tf32, fp16, bf16, fp16_tensor, bf16_tensor, fp8_tensor };

/// Returns the unit's name in the catalogue: "fp32", "fp16-tensor".
std::string to_text(ArithmeticUnit unit);

/// Dense peak rate, FLOP/s, of each unit that the GPU has.
using PeakRates = std::map<ArithmeticUnit, double>;

/// The links between GPUs of one kind other than PCIe: NVLink, or AMD's Infinity Fabric.
struct GpuLinks {
  IntraKind kind = IntraKind::none; ///< kind of the links; none: the GPUs are linked by PCIe only
  double bandwidth_Bps = 0;         ///< rate of all links of a GPU together in one direction, from the data sheet
  int gpus = 0;                     ///< number of GPUs that a bridge joins; 0: all of a node
  bool operator==(const GpuLinks&) const = default;
};

struct Gpu {
  std::string name; ///< name of the GPU: "V100-SXM2-16GB"
  std::vector<std::string> aliases;
  int year = 0;
  int compute_capability = 0; ///< ten times CUDA's: 70 for 7.0; 0: not known
  PeakRates peak_flop_per_s;
  double memory_bandwidth_Bps = 0;
  double memory_bytes = 0;
  double power_w = 0;   ///< power of the GPU; 0: not known
  double price_usd = 0; ///< price of the GPU; 0: not known
  GpuLinks links;
  double pcie_Bps = 0;                        ///< rate of its PCIe slot in one direction; 0: not known
  std::map<std::string, std::string> sources; ///< field -> source of the figure
};

/// The file platforms/gpus.json.
struct GpuCatalogue {
  std::vector<Gpu> gpus;
};

/// Throws UserError with every mistake of the file.
std::vector<Gpu> read_gpus(const std::filesystem::path& file);

/// Finds a GPU by any name that match_gpu() accepts. Throws UserError offering the nearest name.
const Gpu& find_gpu(const std::vector<Gpu>& gpus, const std::string& name);

/// Returns the device of a node for which no GPU is named: a processor, or a card that a source does not state. The
/// ratio of its backward to its forward time is that of `shape_of_unnamed`. No rate is ever computed from it, and it
/// has no memory size, so no model is refused.
const Gpu& unnamed_device();
inline constexpr const char* shape_of_unnamed = "V100-SXM2-16GB";

/// Returns the GPU of that name, or unnamed_device() for "". Throws UserError like find_gpu().
const Gpu& find_device(const std::vector<Gpu>& gpus, const std::string& name);

} // namespace ddlsim
