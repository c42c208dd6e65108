#pragma once
// Tables with a known law and known noise, the same on every machine.

#include "calibrate/fit/collective_fit.hpp"
#include "tests/base/normals.hpp"

#include <cmath>
#include <vector>

namespace ddlsim_test {

struct PlantedCurve {
  double latency_s = 0;
  double rate_Bps = 0;
  double pipelining = 0;
  double time_s(double size_bytes) const {
    const double transfer_s = size_bytes / rate_Bps;
    return latency_s + transfer_s + 2 * pipelining * std::sqrt(latency_s * transfer_s);
  }
};

/// A law as the prior has it.
inline PlantedCurve draw_alpha_beta(const ddlsim::AlphaBetaPrior& prior, Normals& normal) {
  PlantedCurve alpha_beta;
  alpha_beta.latency_s = prior.median[0] * std::exp(prior.width[0] * normal());
  alpha_beta.rate_Bps = prior.median[1] * std::exp(prior.width[1] * normal());
  alpha_beta.pipelining = prior.median[2] * std::exp(prior.width[2] * normal());
  return alpha_beta;
}

/// Times at the sizes, each off by exp(noise x normal).
inline std::vector<ddlsim::TransferSample>
draw_table(const PlantedCurve& alpha_beta, const std::vector<double>& sizes_bytes, double noise, Normals& normal) {
  std::vector<ddlsim::TransferSample> samples;
  for (const double size : sizes_bytes) samples.push_back({size, alpha_beta.time_s(size) * std::exp(noise * normal())});
  return samples;
}

/// Powers of `factor` from `from` to `to`, both included.
inline std::vector<double> sizes_from(double from, double to, double factor) {
  std::vector<double> sizes;
  for (double size = from; size <= to; size *= factor) sizes.push_back(size);
  return sizes;
}

} // namespace ddlsim_test
