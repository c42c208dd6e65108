#include "import/kernel_kinds.hpp"

#include "import/plain_text.hpp"
#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ddlsim {
namespace {

constexpr const char* of_communication = "communication";
constexpr const char* of_copies = "copies";
constexpr const char* of_others = "other kernels";
constexpr double least_printed_share = 0.005; ///< share of the time; smaller shares are added together

struct KernelWord {
  const char* word; ///< word in lower case
  const char* kind;
};

/// Words and the class that they mean. The first word that the name of a kernel contains decides. The names are those
/// of cuBLAS, cuDNN, CUTLASS, NCCL, FlashAttention, rocBLAS (Cijk_), MIOpen, PyTorch's ATen and Inductor (triton_),
/// Apex and Transformer Engine.
constexpr KernelWord kernel_words[] = {
    {"nccl", of_communication},
    {"rccl", of_communication},
    {"allreduce", of_communication},
    {"all_reduce", of_communication},
    {"nvshmem", of_communication},
    {"memcpy", of_copies},
    {"memset", of_copies},
    {"flash", "attention"},
    {"fmha", "attention"},
    {"attention", "attention"},
    {"sdpa", "attention"},
    {"conv", "convolutions"},
    {"wgrad", "convolutions"},
    {"dgrad", "convolutions"},
    {"fprop", "convolutions"},
    {"winograd", "convolutions"},
    {"implicit", "convolutions"},
    {"gemm", "matrix products"},
    {"gemv", "matrix products"},
    {"matmul", "matrix products"},
    {"splitkreduce", "matrix products"},
    {"nvjet", "matrix products"},
    {"cijk_", "matrix products"},
    {"multi_tensor", "the optimizer"},
    {"adam", "the optimizer"},
    {"lamb", "the optimizer"},
    {"norm", "norms and softmax"},
    {"bn_", "norms and softmax"},
    {"softmax", "norms and softmax"},
    {"welford", "norms and softmax"},
    {"pool", "pools"},
    {"embedding", "embeddings"},
    {"elementwise", "elementwise kernels"},
    {"vectorized", "elementwise kernels"},
    {"triton_poi", "elementwise kernels"},
    {"dropout", "elementwise kernels"},
    {"gelu", "elementwise kernels"},
    {"relu", "elementwise kernels"},
    {"cat", "elementwise kernels"},
    {"reduce", "reductions"},
    {"triton_red", "reductions"},
    {"triton_per", "reductions"},
};

struct KindShare {
  std::string kind;
  double share = 0;
};

/// Returns the shares, the largest first.
std::vector<KindShare> shares_of(const std::vector<KernelTime>& kernels) {
  std::map<std::string, double> times_s;
  double total_s = 0;
  for (const auto& kernel : kernels) {
    times_s[kernel_kind(kernel.name)] += kernel.time_s;
    total_s += kernel.time_s;
  }
  std::vector<KindShare> shares;
  for (const auto& [kind, time_s] : times_s)
    if (total_s > 0 && time_s > 0) shares.push_back({kind, time_s / total_s});
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  return shares;
}

} // namespace

std::string kernel_kind(std::string_view name) {
  const auto lower = lower_case(name);
  for (const auto& [word, kind] : kernel_words)
    if (lower.find(word) != std::string::npos) return kind;
  return of_others;
}

std::string kernel_shares_text(const std::vector<KernelTime>& kernels) {
  const auto shares = shares_of(kernels);
  if (shares.empty()) return "";
  double compute = 0;
  std::vector<std::string> of_compute;
  std::vector<std::string> of_rest;
  for (const auto& one : shares) {
    const bool is_compute = one.kind != of_communication && one.kind != of_copies;
    if (is_compute) compute += one.share;
    if (one.share >= least_printed_share)
      (is_compute ? of_compute : of_rest).push_back(fmt::format("{:.0f} % {}", percent * one.share, one.kind));
  }
  auto text = fmt::format("{:.0f} % of the kernels' time computes", percent * compute);
  if (!of_compute.empty()) text += ": " + join_names(of_compute, ", ");
  if (!of_rest.empty()) text += "; " + join_names(of_rest, ", ");
  return text;
}

} // namespace ddlsim
