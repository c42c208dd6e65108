#include "sim/compute/optimizer.hpp"

#include "sim/compute/piece_shape.hpp"

#include <algorithm>
#include <cctype>

namespace ddlsim {
namespace {

constexpr double number_bytes = 4;
constexpr double numbers_of_scale = 256; ///< 8-bit moments share an fp32 scale (bitsandbytes, blocksize)

bool is_of_muon(const Layer& layer, const ParameterTensor& tensor) {
  const auto block = block_name_of(layer.name);
  const bool in_block = !block.empty() && std::isdigit(static_cast<unsigned char>(block.back())) != 0;
  return in_block && layer.kind != "embedding" && tensor.shape.size() >= 2;
}

double matrices_of(const ParameterTensor& tensor) {
  double matrices = 1;
  for (std::size_t d = 0; d + 2 < tensor.shape.size(); ++d) matrices *= static_cast<double>(tensor.shape[d]);
  return matrices;
}

/// Rows and columns of Adafactor's state.
double adafactor_numbers(const ParameterTensor& tensor) {
  const double numbers = tensor.size_bytes / number_bytes;
  if (tensor.shape.size() < 2) return numbers;
  const auto rows = static_cast<double>(tensor.shape[tensor.shape.size() - 2]);
  const auto columns = static_cast<double>(tensor.shape.back());
  return numbers / (rows * columns) * (rows + columns);
}

} // namespace

Optimizer usual_optimizer(bool attends) {
  return attends ? Optimizer::adamw : Optimizer::sgd;
}

double touched_bytes(Optimizer optimizer) {
  switch (optimizer) {
  case Optimizer::sgd:
    return 28;
  case Optimizer::adamw:
    return 44;
  case Optimizer::adamw_fused:
    return 40;
  case Optimizer::adamw_8bit:
    return 28;
  case Optimizer::muon:
    return 36;
  case Optimizer::adafactor:
    return 28;
  }
  return 0;
}

double moment_bytes(Optimizer optimizer, const Model& model) {
  switch (optimizer) {
  case Optimizer::sgd:
    return number_bytes * model.parameters;
  case Optimizer::adamw:
  case Optimizer::adamw_fused:
    return 2 * number_bytes * model.parameters;
  case Optimizer::adamw_8bit:
    return 2 * (1 + number_bytes / numbers_of_scale) * model.parameters;
  case Optimizer::muon:
    return number_bytes * (2 * model.parameters - muon_work(model).parameters);
  case Optimizer::adafactor:
    break;
  }
  double numbers = 0;
  for (const auto& layer : model.layers)
    for (const auto& tensor : layer.tensors) numbers += adafactor_numbers(tensor);
  return number_bytes * numbers;
}

MuonWork muon_work(const Model& model) {
  MuonWork work;
  for (const auto& layer : model.layers)
    for (const auto& tensor : layer.tensors) {
      if (!is_of_muon(layer, tensor)) continue;
      const double matrices = matrices_of(tensor);
      const double parameters = tensor.size_bytes / number_bytes / matrices;
      const double flop = muon_flop(static_cast<double>(tensor.shape[tensor.shape.size() - 2]),
                                    static_cast<double>(tensor.shape.back()));
      work.parameters += matrices * parameters;
      work.flop += matrices * flop;
      work.largest_parameters = std::max(work.largest_parameters, parameters);
      work.largest_flop = std::max(work.largest_flop, flop);
    }
  return work;
}

double muon_flop(double rows, double columns) {
  constexpr double iterations = 5;
  const double m = std::min(rows, columns);
  const double n = std::max(rows, columns);
  return iterations * (4 * n * m * m + 2 * m * m * m);
}

} // namespace ddlsim
