#include "sim/formats/tf32_question.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/tf32.hpp"

#include <fmt/format.h>

#include <optional>

namespace ddlsim {
namespace {

/// Nothing for a device that the cluster does not name, and for an unknown name, which is reported elsewhere.
std::optional<Gpu> gpu_in_question(const Scenario& scenario, const DataFolder& data) {
  try {
    const auto known = with_own_gpu(with_own_cluster(data, scenario.cluster_folder), scenario.gpu_file);
    const auto name = scenario.gpu.empty() ? load_cluster(known, scenario.cluster).gpu : scenario.gpu;
    if (name.empty()) return {};
    return find_gpu(load_gpus(known), name);
  } catch (const UserError&) {
    return {};
  }
}

void check_asked(const JsonNode& root, const char* key, std::optional<bool> stated, const Gpu& gpu) {
  if (!stated.value_or(false) || has_tf32(gpu) || gpu.compute_capability <= 0) return;
  root.mistake_at(key, fmt::format("true found, but {} has no TF32, which came with compute capability 8.0; leave it "
                                   "out, or name another GPU",
                                   gpu.name));
}

std::string or_plain(bool tf32) {
  return tf32 ? "TF32" : "plain fp32";
}

} // namespace

void check_tf32_of_gpu(const Scenario& scenario, const JsonNode& root, const DataFolder& data) {
  if (!scenario.matmul_tf32 && !scenario.conv_tf32) return;
  const auto gpu = gpu_in_question(scenario, data);
  if (!gpu) return;
  check_asked(root, "matmul_tf32", scenario.matmul_tf32, *gpu);
  check_asked(root, "conv_tf32", scenario.conv_tf32, *gpu);
}

std::string assumed_tf32_text(const Scenario& scenario, const DataFolder& data) {
  if (scenario.precision != Precision::fp32 || (scenario.matmul_tf32 && scenario.conv_tf32)) return "";
  const auto gpu = gpu_in_question(scenario, data);
  if (!gpu || !has_tf32(*gpu)) return "";
  const auto use = tf32_use(
      {scenario.precision, scenario.matmul_tf32, scenario.conv_tf32, scenario.preset, scenario.software}, *gpu);
  return fmt::format("fp32 on {} is taken for products in {} and convolutions in {}; where your software differs, give "
                     "matmul_tf32 and conv_tf32",
                     gpu->name, or_plain(use.matmul), or_plain(use.convolution));
}

} // namespace ddlsim
