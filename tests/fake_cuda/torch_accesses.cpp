// What LibTorch does with tensors, told to the fake machine. On a real GPU these operators are kernels on the default
// stream; here they run on the host when they are called. Each waits for what the default stream was given before, and
// counts as work of that stream on the memory of its tensors.

#include "tests/fake_cuda/machine.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/record_function.h>

namespace fake_cuda {
namespace {

/// From the first to the last element, whatever the strides.
Range memory_of(const at::Tensor& tensor) {
  std::int64_t elements = 1;
  for (std::int64_t i = 0; i < tensor.dim(); ++i) elements += (tensor.size(i) - 1) * tensor.stride(i);
  return range_of(tensor.data_ptr(), static_cast<std::size_t>(elements) * tensor.element_size());
}

void add_access(const at::Tensor& tensor, bool writes, std::vector<Access>& accesses) {
  if (!tensor.defined() || !tensor.has_storage() || tensor.numel() == 0 || tensor.layout() != at::kStrided) return;
  accesses.push_back({memory_of(tensor), writes});
}

/// Arguments that the operator writes are marked in its schema; those it only makes a view of are marked too, without
/// "write".
std::vector<Access> accesses_of(const at::RecordFunction& call) {
  std::vector<Access> accesses;
  const auto schema = call.operator_schema();
  if (!schema) return accesses;
  const auto& arguments = schema->arguments();
  const auto inputs = call.inputs();
  for (std::size_t i = 0; i < inputs.size() && i < arguments.size(); ++i) {
    const auto* const alias = arguments[i].alias_info();
    if (alias != nullptr && !alias->isWrite()) continue;
    const bool writes = alias != nullptr;
    if (inputs[i].isTensor()) add_access(inputs[i].toTensor(), writes, accesses);
    if (!inputs[i].isTensorList()) continue;
    for (const at::Tensor& tensor : inputs[i].toTensorVector()) add_access(tensor, writes, accesses);
  }
  return accesses;
}

std::unique_ptr<at::ObserverContext> observe(const at::RecordFunction& call) {
  const std::vector<Access> accesses = accesses_of(call);
  if (!accesses.empty()) Machine::get().do_on_default_stream(call.name(), accesses);
  return nullptr;
}

[[maybe_unused]] const auto registered =
    at::addGlobalCallback(at::RecordFunctionCallback(observe).needsInputs(true).scopes({at::RecordScope::FUNCTION}));

} // namespace
} // namespace fake_cuda
