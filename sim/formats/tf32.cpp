#include "sim/formats/tf32.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <compare>
#include <cstdlib>

namespace ddlsim {
namespace {

struct Release {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Release&) const = default;
};

/// PyTorch allows TF32 for both since 1.7, and for convolutions only since 1.12 (its documentation, "CUDA semantics",
/// TensorFloat-32 on Ampere devices).
constexpr Release pytorch_allows{1, 7};
constexpr Release pytorch_allows_convolutions_only{1, 12};
/// TensorFlow allows TF32 for both since 2.4 (its release notes; tf.config.experimental.enable_tensor_float_32_execution).
constexpr Release tensorflow_allows{2, 4};
/// cuDNN uses TF32 and cuBLAS does not, if they are not told otherwise (cuDNN, CUDNN_DEFAULT_MATH; cuBLAS,
/// CUBLAS_DEFAULT_MATH).
constexpr Tf32Use of_nvidia_libraries{false, true};

std::string small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Returns the release that follows a program's name in a text such as "PyTorch 1.10.2, CUDA 11.3".
std::optional<Release> release_after(const std::string& text, const std::string& program) {
  const auto found = text.find(program);
  if (found == std::string::npos) return {};
  const auto digits = text.find_first_not_of(" =v-", found + program.size());
  if (digits == std::string::npos || std::isdigit(static_cast<unsigned char>(text[digits])) == 0) return {};
  char* end = nullptr;
  Release release;
  release.major = static_cast<int>(std::strtol(text.c_str() + digits, &end, 10));
  if (*end == '.') release.minor = static_cast<int>(std::strtol(end + 1, nullptr, 10));
  return release;
}

Tf32Use of_pytorch(const Release& release) {
  if (release < pytorch_allows) return {};
  return {release < pytorch_allows_convolutions_only, true};
}

/// What the software does if not told otherwise. Of a framework without release the newest is meant.
Tf32Use usual_tf32(const std::string& preset, const std::string& software_text) {
  const auto software = small_letters(software_text);
  const bool is_own_trainer = preset == "ddltrain" || software.find("ddltrain") != std::string::npos;
  if (is_own_trainer) return {}; // it switches TF32 off unless asked for precision tf32
  if (const auto release = release_after(software, "torch")) return of_pytorch(*release);
  if (const auto release = release_after(software, "tensorflow"))
    return *release < tensorflow_allows ? of_nvidia_libraries : Tf32Use{true, true};
  const bool is_tensorflow =
      preset.starts_with("tf") || preset == "keras" || software.find("tensorflow") != std::string::npos;
  return is_tensorflow ? Tf32Use{true, true} : of_nvidia_libraries;
}

void check_tf32_key(const JsonNode& object, const char* key, Precision precision, std::optional<bool> stated) {
  if (!stated) return;
  if (precision == Precision::tf32 && !*stated)
    object.mistake_at(key, "false found beside precision tf32, which means true; give precision fp32, or leave it out");
  if (precision != Precision::fp32 && precision != Precision::tf32)
    object.mistake_at(
        key, fmt::format("found beside precision {}; only fp32 may use TF32; leave it out", to_text(precision)));
}

} // namespace

bool has_tf32(const Gpu& gpu) {
  constexpr int ampere = 80;
  return gpu.compute_capability >= ampere;
}

Tf32Use tf32_use(const Tf32Facts& facts, const Gpu& gpu) {
  if (facts.precision == Precision::tf32) return {true, true};
  if (facts.precision != Precision::fp32 || !has_tf32(gpu)) return {};
  const auto usual = usual_tf32(facts.preset, facts.software);
  return {facts.matmul.value_or(usual.matmul), facts.convolution.value_or(usual.convolution)};
}

Precision arithmetic_of(Precision precision, bool may_use_tf32) {
  return precision == Precision::fp32 && may_use_tf32 ? Precision::tf32 : precision;
}

void check_tf32_keys(const JsonNode& object, Precision precision, std::optional<bool> matmul,
                     std::optional<bool> conv) {
  check_tf32_key(object, "matmul_tf32", precision, matmul);
  check_tf32_key(object, "conv_tf32", precision, conv);
}

} // namespace ddlsim
