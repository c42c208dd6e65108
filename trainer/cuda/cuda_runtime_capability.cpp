#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

namespace ddltrain {
namespace {

/// The oldest GPUs that the libraries of a CUDA version support, NCCL among them: release notes of CUDA 11.0 (Kepler's
/// 3.0 removed), 12.0 (Kepler removed) and 13.0 (Maxwell, Pascal and Volta removed).
struct OldestCapability {
  int cuda_major;
  Capability capability;
};
constexpr std::array<OldestCapability, 3> oldest_capabilities = {
    {{13, {7, 5}}, {12, {5, 0}}, {11, {3, 5}}}}; // the newest version first

std::string text_of(const Capability& capability) {
  return fmt::format("{}.{}", capability.major, capability.minor);
}

void check_cuda(const Capability& found, int gpu, int cuda_version) {
  const int major = cuda_version / 1000;
  const auto serves = [&](const OldestCapability& cuda) { return !(found < cuda.capability); };
  for (const OldestCapability& cuda : oldest_capabilities) {
    if (cuda.cuda_major != major || serves(cuda)) continue;
    const auto newest = std::find_if(oldest_capabilities.begin(), oldest_capabilities.end(), serves);
    const std::string advice =
        newest == oldest_capabilities.end()
            ? "use a newer GPU"
            : fmt::format("use a LibTorch and an NCCL for CUDA {}, or a newer GPU", newest->cuda_major);
    throw RunError(
        fmt::format("GPU {} has compute capability {}, and CUDA {}, with which this program runs, serves {} and "
                    "later; {}",
                    gpu, text_of(found), cuda_version_text(cuda_version), text_of(cuda.capability), advice));
  }
}

void check_libtorch(const Capability& found, int gpu, const std::vector<CompiledFor>& compiled) {
  if (compiled.empty()) return; // the build does not state them
  std::string all;
  for (const CompiledFor& code : compiled) {
    if (runs_on(code, found)) return;
    all += fmt::format("{}{}{}", all.empty() ? "" : ", ", text_of(code.capability), code.for_later ? " and later" : "");
  }
  throw RunError(
      fmt::format("GPU {} has compute capability {}, and this LibTorch was built for {}; use a LibTorch built "
                  "for it, or another GPU",
                  gpu, text_of(found), all));
}

} // namespace

std::vector<CompiledFor> architectures_in(const std::string& build_words) {
  static const std::regex code("code=(sm|compute)_([0-9]+)([a-z]?)");
  std::vector<CompiledFor> all;
  for (std::sregex_iterator match(build_words.begin(), build_words.end(), code); match != std::sregex_iterator();
       ++match) {
    const int number = std::stoi((*match)[2]); // 90 means 9.0, and 120 means 12.0
    all.push_back({{number / 10, number % 10}, (*match)[1] == "compute", (*match)[3].length() > 0});
  }
  return all;
}

bool runs_on(const CompiledFor& code, const Capability& gpu) {
  if (code.only_this) return gpu == code.capability;
  if (gpu < code.capability) return false;
  return code.for_later || gpu.major == code.capability.major;
}

void check_capability(const CudaRuntime& cuda, int gpu, const std::string& build_words) {
  const Capability found = cuda.capability(gpu);
  check_cuda(found, gpu, cuda.version());
  check_libtorch(found, gpu, architectures_in(build_words));
}

} // namespace ddltrain
