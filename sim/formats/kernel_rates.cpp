#include "sim/formats/kernel_rates.hpp"

namespace ddlsim {

std::string to_text(KernelPrecision precision) {
  switch (precision) {
  case KernelPrecision::fp32:
    return "fp32";
  case KernelPrecision::tf32:
    return "tf32";
  case KernelPrecision::bf16:
    return "bf16";
  case KernelPrecision::fp8:
    return "fp8";
  case KernelPrecision::fp8_block:
    return "fp8-block";
  case KernelPrecision::nvfp4:
    return "nvfp4";
  }
  return "";
}

} // namespace ddlsim
