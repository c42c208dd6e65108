#pragma once
// Classifies GPU kernels by their names, and sums the time of each class.

#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// A kernel with the total time of all its calls.
struct KernelTime {
  std::string name;
  double time_s = 0;
};

/// Returns the class of a kernel: "matrix products", "convolutions", "attention", "communication" and others; "other
/// kernels" if the name does not show it.
std::string kernel_kind(std::string_view name);

/// Returns a sentence such as "92 % of the kernels' time computes: 61 % matrix products, ...; 8 % communication"; "" if
/// no kernel took time.
std::string kernel_shares_text(const std::vector<KernelTime>& kernels);

} // namespace ddlsim
