#include "sim/iteration/memory.hpp"

#include "sim/base/units.hpp"

#include <fmt/format.h>

namespace ddlsim {

double least_memory_bytes(const Model& model, Precision precision, double batch) {
  constexpr double copies_of_parameters = 3; // parameter, gradient, momentum
  constexpr double least_kept_outputs = 0.5;
  const double width = is_half(precision) ? 0.5 : 1.0;
  double outputs = 0;
  for (const auto& layer : model.layers) outputs += layer.activation_bytes_per_sample;
  return copies_of_parameters * model.size_bytes() + least_kept_outputs * width * outputs * batch;
}

std::string memory_complaint(const Model& model, const Gpu& gpu, Precision precision, double batch) {
  const double needed = least_memory_bytes(model, precision, batch);
  if (gpu.memory_bytes <= 0 || needed <= gpu.memory_bytes) return "";
  return fmt::format(
      "{} samples of {} need at least {}, and one {} has {}; give a smaller batch_per_gpu or another GPU", batch,
      model.name, print_quantity(needed, Dimension::size), gpu.name, print_quantity(gpu.memory_bytes, Dimension::size));
}

} // namespace ddlsim
