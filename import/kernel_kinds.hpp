#pragma once
// What kernels of a GPU do, by their names, and what their time goes to.

#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// A kernel, all its calls together.
struct KernelTime {
  std::string name;
  double time_s = 0;
};

/// "matrix products", "convolutions", "attention", "communication", ...; "other kernels" where the name says nothing.
std::string kernel_kind(std::string_view name);

/// "92 % of the kernels' time computes: 61 % matrix products, ...; 8 % communication". "" where no kernel took time.
std::string kernel_shares_text(const std::vector<KernelTime>& kernels);

} // namespace ddlsim
