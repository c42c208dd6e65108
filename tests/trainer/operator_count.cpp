#include "tests/trainer/operator_count.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

#include <memory>
#include <string_view>

namespace ddltrain {
namespace {

// LibTorch's callbacks are plain functions, so the sum they add to has to be a variable of the thread.
thread_local std::int64_t counted_flop = 0;

std::int64_t flop_of(const at::RecordFunction& call) {
  const std::string_view name = call.name();
  const auto inputs = call.inputs();
  const auto size_of = [&](std::size_t input, std::int64_t dimension) {
    return inputs[input].toTensor().size(dimension);
  };
  if (name == "aten::convolution") { // every output value is a product over one filter
    const at::Tensor weight = inputs[1].toTensor();
    constexpr std::size_t transposed = 6;
    if (inputs[transposed].toBool()) { // every input value meets one filter
      return 2 * inputs[0].toTensor().numel() * (weight.numel() / weight.size(0));
    }
    return 2 * call.outputs().at(0).toTensor().numel() * (weight.numel() / weight.size(0));
  }
  if (name == "aten::mm") {
    return 2 * size_of(0, 0) * size_of(0, 1) * size_of(1, 1);
  }
  if (name == "aten::addmm") {
    return 2 * size_of(1, 0) * size_of(1, 1) * size_of(2, 1);
  }
  if (name == "aten::bmm") {
    return 2 * size_of(0, 0) * size_of(0, 1) * size_of(0, 2) * size_of(1, 2);
  }
  return 0;
}

std::unique_ptr<at::ObserverContext> before(const at::RecordFunction& /*call*/) {
  return nullptr;
}

void after(const at::RecordFunction& call, at::ObserverContext* /*context*/) {
  counted_flop += flop_of(call);
}

} // namespace

std::int64_t count_product_flop(const std::function<void()>& work) {
  counted_flop = 0;
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(before, after)
                                                     .needsInputs(true)
                                                     .needsOutputs(true)
                                                     .scopes({at::RecordScope::FUNCTION}));
  work();
  at::removeCallback(handle);
  return counted_flop;
}

} // namespace ddltrain
