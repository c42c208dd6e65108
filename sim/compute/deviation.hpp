#pragma once
// How measured times deviate from the kernel model, and how much of a deviation two workloads share.

#include "sim/compute/step_kernels.hpp"
#include "sim/formats/names.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// What workloads have in common when they share a deviation.
enum class DeviationScope : std::uint8_t {
  unit,         ///< the arithmetic unit: fp32, tf32, 16 bits without or with tensor cores
  architecture, ///< and the GPU's compute capability
  gpu,          ///< and the GPU
  stack,        ///< the unit and the software stack
  site_stack,   ///< the site, GPU, stack and precision
  family,       ///< the unit and the family of models
  stack_family, ///< and the stack
  model,        ///< the unit and the model
  site_model,   ///< the site, GPU, stack, precision and model
  batch,        ///< the unit, stack and model; fades with ln of the ratio of the batches
  workload,     ///< the same, near one batch
};
inline constexpr std::size_t deviation_scope_count = 11;

/// Standard deviations of ln(measured / kernel model) of a part of the time are the product of one figure for the scope
/// and one for the part. They are the likeliest for the shipped one-GPU times; `ddlsim-compute-deviations` learns them
/// again, and a test checks that they still are.
struct DeviationSizes {
  std::array<double, deviation_scope_count> of_scope{0.213, 0.143, 0.078, 0.114, 0.117, 0.231,
                                                     0.186, 0.059, 0.051, 0.059, 0.044};
  std::array<double, step_part_count> of_part{1.161, 0.509, 0.960, 2.584, 1.385};
};

/// Returns the names of the scopes and parts: "scope-unit", ..., "part-launch".
std::vector<std::string> deviation_names();

/// Sets the size of the scope or part of that name to 0, so that no deviation of it is expected or learnt. Another name
/// changes nothing.
void leave_out_deviation(DeviationSizes& sizes, const std::string& name);

/// The unit that computes, as far as it decides what deviates together.
enum class DeviationUnit : std::uint8_t { fp32, tf32, plain_16_bit, tensor_core };

/// A time in question, or a measured one. Names are numbered, because they are compared often; -1 is like no other.
struct TimedWorkload {
  int architecture = -1;
  int gpu = -1;
  int stack = -1;
  int site = -1;
  int family = -1;
  int model = -1;
  DeviationUnit unit = DeviationUnit::fp32;
  Precision precision = Precision::fp32;
  double ln_batch = 0;
  PartShares shares{};
  bool unknown_gpu = false; ///< the catalogue lacks its rates, so that the kernel model is of another GPU
};

/// Numbers names in the order in which they are first asked for.
class NameNumbers {
public:
  int number(const std::string& name) {
    return numbers_.emplace(name, static_cast<int>(numbers_.size())).first->second;
  }

private:
  std::map<std::string, int> numbers_;
};

/// For each DeviationScope the correlation of what two workloads share of it, 0 to 1.
using ScopeCorrelations = std::array<double, deviation_scope_count>;
ScopeCorrelations scopes_shared(const TimedWorkload& a, const TimedWorkload& b);

/// Returns the covariance of the deviations of two workloads:
///
///   sum over scopes that both share of size^2 x sum over parts of size^2 x share of one x share of the other
///
/// The deviation of a workload is the sum, over the scopes and the parts, of its share times a normal number that all
/// workloads of the scope have in common.
double shared_deviation(const DeviationSizes& sizes, const TimedWorkload& a, const TimedWorkload& b);

} // namespace ddlsim
