// Reads what the driver says of GPUs, and checks it against the GPU's name in records.
#include "sim/base/error.hpp"
#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <set>

namespace ddltrain {
namespace {

/// The few functions of NVML (nvml.h, API of CUDA 10 and later) that ddltrain uses, from the library that comes with
/// the driver.
class Nvml {
public:
  using Device = void*;

  Nvml() : library_({"libnvidia-ml.so.1"}) {
    library_.find(start_, "nvmlInit_v2");
    library_.find(end_, "nvmlShutdown");
    library_.find(count_, "nvmlDeviceGetCount_v2");
    library_.find(by_index_, "nvmlDeviceGetHandleByIndex_v2");
    library_.find(by_bus_, "nvmlDeviceGetHandleByPciBusId_v2");
    library_.find(name_, "nvmlDeviceGetName");
    library_.find(uuid_, "nvmlDeviceGetUUID");
    library_.find(clock_, "nvmlDeviceGetClockInfo");
    library_.find(highest_, "nvmlDeviceGetMaxClockInfo");
    if (start_() != nvml_success) throw RunError("NVML does not start");
  }
  ~Nvml() { end_(); }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::vector<Device> devices() const {
    unsigned count = 0;
    std::vector<Device> found;
    if (count_(&count) != nvml_success) return found;
    for (unsigned i = 0; i < count; ++i) {
      Device device = nullptr;
      if (by_index_(i, &device) == nvml_success) found.push_back(device);
    }
    return found;
  }

  GpuFacts facts_of(Device device) const {
    GpuFacts facts;
    facts.name = text_from(name_, device);
    facts.uuid = text_from(uuid_, device);
    facts.clock_MHz = clock_from(clock_, device, processor_clock);
    facts.highest_clock_MHz = clock_from(highest_, device, processor_clock);
    facts.memory_clock_MHz = clock_from(clock_, device, memory_clock);
    return facts;
  }

  std::string name_at(const char* bus) const {
    Device device = nullptr;
    return by_bus_(bus, &device) == nvml_success ? text_from(name_, device) : "";
  }

private:
  static constexpr int nvml_success = 0;
  static constexpr int processor_clock = 1;  ///< value of NVML_CLOCK_SM
  static constexpr int memory_clock = 2;     ///< value of NVML_CLOCK_MEM
  static constexpr unsigned text_bytes = 96; ///< NVML_DEVICE_NAME_V2_BUFFER_SIZE, which a UUID fits too

  using Text = int (*)(Device, char*, unsigned);
  using Clock = int (*)(Device, int, unsigned*);

  static std::string text_from(Text read, Device device) {
    std::array<char, text_bytes> text{};
    return read(device, text.data(), text_bytes) == nvml_success ? text.data() : "";
  }

  static unsigned clock_from(Clock read, Device device, int kind) {
    unsigned clock_MHz = 0;
    return read(device, kind, &clock_MHz) == nvml_success ? clock_MHz : 0;
  }

  DynamicLibrary library_;
  int (*start_)() = nullptr;
  int (*end_)() = nullptr;
  int (*count_)(unsigned*) = nullptr;
  int (*by_index_)(unsigned, Device*) = nullptr;
  int (*by_bus_)(const char*, Device*) = nullptr;
  Text name_ = nullptr;
  Text uuid_ = nullptr;
  Clock clock_ = nullptr;
  Clock highest_ = nullptr;
};

/// A GPU's name in parts: "NVIDIA A100 80GB PCIe" has the model {a100}, the memory "80gb" and the board "pcie".
struct GpuName {
  std::set<std::string> model;
  std::string memory; ///< memory size; "": the name does not say it
  std::string board;  ///< sxm or pcie; "": the name does not say it
};

std::vector<std::string> small_words(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      words.back() += static_cast<char>(std::tolower(letter));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

GpuName taken_apart(const std::string& name) {
  // Words that are ignored in the comparison: makers and series, which only some sources name; kinds of memory; and
  // words that tell apart cards of one name.
  static const std::set<std::string> unsaid = {"nvidia", "tesla", "geforce", "quadro", "gtx",     "rtx",    "hbm2",
                                               "hbm2e",  "hbm3",  "hbm3e",   "450w",   "maxwell", "pascal", ""};
  GpuName parts;
  for (std::string word : small_words(name)) {
    const bool ends_in_gb = word.size() > 2 && word.compare(word.size() - 2, 2, "gb") == 0;
    if (word.rfind("sxm", 0) == 0) {
      parts.board = "sxm";
    } else if (word == "pcie") {
      parts.board = word;
    } else if (ends_in_gb) {
      parts.memory = word;
    } else if (unsaid.count(word) == 0) {
      if (word.front() == 'k' && word.back() == 'm') word.pop_back(); // a K40m is a K40 without a fan
      parts.model.insert(word);
    }
  }
  return parts;
}

bool agree(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() || a == b;
}

} // namespace

std::vector<GpuFacts> gpus_of_node() {
  std::vector<GpuFacts> all;
  try {
    const Nvml nvml;
    for (Nvml::Device const device : nvml.devices()) all.push_back(nvml.facts_of(device));
  } catch (const RunError&) {
    return {}; // without an NVIDIA driver there are no GPUs to report
  }
  return all;
}

std::string driver_name_of_gpu(int device) {
  constexpr int bus_bytes = 32;
  try {
    const DynamicLibrary runtime({"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so"});
    CudaStatus (*bus_of)(char*, int, int) = nullptr;
    runtime.find(bus_of, "cudaDeviceGetPCIBusId"); // NVML counts GPUs in another order, and counts hidden ones too
    std::array<char, bus_bytes> bus{};
    if (bus_of(bus.data(), bus_bytes, device) != cuda_success) return "";
    return Nvml().name_at(bus.data());
  } catch (const RunError&) {
    return "";
  }
}

bool is_same_gpu(const std::string& gpu, const std::string& driver_name) {
  const GpuName ours = taken_apart(gpu);
  const GpuName theirs = taken_apart(driver_name);
  return ours.model == theirs.model && agree(ours.memory, theirs.memory) && agree(ours.board, theirs.board);
}

void check_gpu(const std::string& gpu, const std::string& device, const std::string& driver_name) {
  if (gpu.empty()) return;
  if (device != "cuda") {
    throw ddlsim::UserError("", "",
                            fmt::format("--gpu {} found with --device {}: a processor's times would be filed as a "
                                        "GPU's; give --device cuda, or leave --gpu out",
                                        gpu, device));
  }
  if (!driver_name.empty() && !is_same_gpu(gpu, driver_name)) {
    throw ddlsim::UserError("", "",
                            fmt::format("--gpu {} found, and the driver says \"{}\"; give this GPU's name in "
                                        "platforms/gpus.json (`ddlsim list gpus`)",
                                        gpu, driver_name));
  }
}

} // namespace ddltrain
