#pragma once
// Normal numbers that are the same on every machine.

#include <cmath>
#include <cstdint>
#include <random>

namespace ddlsim_test {

/// Normal numbers by Box and Muller from the generator's own bits: std::normal_distribution differs between libraries.
class Normals {
public:
  explicit Normals(std::uint64_t seed) : generator_(seed) {}
  double operator()() {
    constexpr double two_pi = 6.283185307179586;
    return std::sqrt(-2 * std::log(uniform())) * std::cos(two_pi * uniform());
  }

private:
  double uniform() { return (static_cast<double>(generator_() >> 11U) + 0.5) / 9007199254740992.0; }
  std::mt19937_64 generator_;
};

} // namespace ddlsim_test
