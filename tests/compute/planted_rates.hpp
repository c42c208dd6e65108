#pragma once
// A GPU whose kernels have round rates.

#include "sim/compute/kernels/rates.hpp"

namespace ddlsim_test {

/// 100 TFLOP/s, of which products reach half and attention a quarter; 1 TB/s, of which passes reach 80 %.
inline ddlsim::KernelRates planted_rates() {
  ddlsim::KernelRates rates;
  rates.precision = ddlsim::KernelPrecision::bf16;
  rates.generation = ddlsim::GpuGeneration::ampere;
  rates.peaks = {100e12, 100e12, 1e12};
  rates.product = {0.5, 100, 5e-6, 0};
  rates.attention = {0.25, 400, 0.8, 0.5, 4e-6};
  rates.memory_share = 0.8;
  return rates;
}

} // namespace ddlsim_test
