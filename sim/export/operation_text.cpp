#include "sim/export/operation_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

std::string text_of(ComputePart part) {
  switch (part) {
  case ComputePart::whole:
    return "forward and backward";
  case ComputePart::synchronisation:
    return "synchronisation";
  case ComputePart::forward:
    return "forward";
  case ComputePart::backward:
    break;
  }
  return "backward";
}

} // namespace

std::string text_of(OperationKind kind) {
  switch (kind) {
  case OperationKind::compute:
    return "compute";
  case OperationKind::input:
    return "input";
  case OperationKind::all_reduce:
    return "all-reduce";
  case OperationKind::reduce:
    return "reduce";
  case OperationKind::broadcast:
    return "broadcast";
  case OperationKind::reduce_scatter:
    return "reduce-scatter";
  case OperationKind::all_gather:
    return "all-gather";
  case OperationKind::all_to_all:
    return "all-to-all";
  case OperationKind::send:
    return "send";
  case OperationKind::to_host:
    return "copy gradients";
  case OperationKind::from_host:
    return "copy parameters";
  case OperationKind::host_sum:
    return "sum on the host";
  case OperationKind::host_update:
    return "update on the host";
  case OperationKind::push_pull:
    break;
  }
  return "push-pull";
}

TensorNames::TensorNames(const Model& model, const Graph& graph) {
  for (const Layer& layer : model.layers)
    for (const ParameterTensor& tensor : layer.tensors) {
      names_.push_back(tensor.name);
      layers_.push_back(layer.name);
      fp32_bytes_.push_back(tensor.size_bytes);
    }
  for (const Operation& operation : graph.operations)
    if (operation.kind == OperationKind::compute && operation.tensor >= 0 && graph.streams[operation.stream].role == 0)
      ready_.push_back(operation.tensor);
}

std::vector<std::string> TensorNames::of_operation(const Operation& operation) const {
  return operation.tensor < 0 ? std::vector<std::string>{} : of_group(operation.tensor, operation.tensors);
}

std::vector<std::string> TensorNames::of_group(int first, int tensors) const {
  std::vector<std::string> names;
  auto next = std::find(ready_.begin(), ready_.end(), first);
  for (; tensors > 0 && next != ready_.end(); --tensors) names.push_back(names_.at(at(*next++)));
  return names;
}

double TensorNames::wire_bytes(int tensor, double bytes_per_parameter) const {
  constexpr double fp32_bytes_per_parameter = 4;
  return fp32_bytes_.at(at(tensor)) / fp32_bytes_per_parameter * bytes_per_parameter;
}

std::string text_of(const Operation& operation, const TensorNames& names) {
  const std::string text = operation.kind == OperationKind::compute ? text_of(operation.part) : text_of(operation.kind);
  const auto tensors = names.of_operation(operation);
  return tensors.size() == 1 && operation.kind != OperationKind::all_reduce ? text + " " + tensors.front() : text;
}

namespace {

/// Returns the text for an operation's unit: " block3", or in a pipeline " block3 .. block5, micro-batch 2"; "" for an
/// operation without a unit.
std::string behind_unit(const Graph& graph, const Operation& operation) {
  if (operation.unit < 0) return "";
  const auto unit = " " + graph.units.at(at(operation.unit));
  return operation.micro_batch < 0 ? unit : fmt::format("{}, micro-batch {}", unit, operation.micro_batch);
}

/// Returns what a send carries. Outputs go to the next stage, gradients of inputs go back to the one before.
std::string text_of_send(const Operation& operation) {
  return operation.part == ComputePart::forward ? "send outputs of" : "send gradients of";
}

} // namespace

std::string text_of_collective(const Graph& graph, const Operation& operation) {
  return text_of(operation.kind) + behind_unit(graph, operation);
}

std::string layer_text_of(const Graph& graph, const Operation& operation, const TensorNames& names) {
  if (operation.kind == OperationKind::send) return text_of_send(operation) + behind_unit(graph, operation);
  if (operation.repeats > 1)
    return fmt::format("{} {}s{}", operation.repeats, text_of(operation.kind), behind_unit(graph, operation));
  if (operation.unit >= 0) return text_of(operation.part) + behind_unit(graph, operation);
  const bool gradient = operation.kind == OperationKind::compute && operation.tensor >= 0;
  return gradient ? text_of(operation.part) + " " + names.layer_of(operation.tensor) : text_of(operation, names);
}

std::vector<std::size_t> by_end(const StepRun& run, std::size_t stream) {
  std::vector<std::size_t> operations;
  for (std::size_t i = 0; i < run.graph.operations.size(); ++i)
    if (run.graph.operations[i].stream == stream) operations.push_back(i);
  const auto& spans = run.execution.spans;
  std::stable_sort(operations.begin(), operations.end(),
                   [&](std::size_t a, std::size_t b) { return spans[a].end_s < spans[b].end_s; });
  return operations;
}

} // namespace ddlsim
