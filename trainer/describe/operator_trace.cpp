#include "trainer/describe/operator_trace.hpp"

#include "trainer/describe/operator_rules.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <algorithm>
#include <set>

namespace ddltrain {
namespace {

struct KnownTensor {
  std::string path;
  const void* storage = nullptr;
  std::int64_t begin = 0; ///< first element in the storage
  std::int64_t end = 0;
  bool trained = false;
};

const void* storage_of(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

/// An operator that has begun. Inputs exist only at its beginning. LibTorch shows the interpreter's whole stack, of
/// which the operator's inputs are the last.
struct OperatorFrame final : at::ObserverContext {
  std::vector<c10::IValue> inputs;
  std::optional<OperatorRule> rule; ///< empty too for what runs inside an operator with a rule
  std::string module;
  std::size_t returned = 0; ///< number of values that the operator returns; 0: not known
  bool is_inside = false;   ///< whether the operator runs inside another one that has a rule
  bool has_parts = false;   ///< whether the operator called other operators
};

/// Returns "layer1.0" for TOP(ResNet)::forward, layer1(Sequential)::forward, 0(Bottleneck)::forward: one text for each
/// call, the outermost first. Lists of modules (ModuleList) call nothing, so they are not among them.
std::string path_of(const std::vector<std::string>& callers) {
  static const std::set<std::string> no_modules{"", "TOP", "SELF", "CALL_FUNCTION", "INSTANCE_NAME_UNKNOWN"};
  std::string path;
  for (const auto& caller : callers) {
    const auto name = caller.substr(0, caller.find_first_of("(:"));
    if (!no_modules.contains(name)) path += (path.empty() ? "" : ".") + name;
  }
  return path;
}

class Recorder {
public:
  explicit Recorder(const torch::jit::Module& module) {
    for (const auto& parameter : module.named_parameters())
      add_known(parameter.name, parameter.value, parameter.value.requires_grad());
    for (const auto& buffer : module.named_buffers()) add_known(buffer.name, buffer.value, false);
  }

  void begin(const at::RecordFunction& call, OperatorFrame& frame) {
    if (!open_.empty()) open_.back()->has_parts = true;
    frame.is_inside = !open_.empty() && (open_.back()->is_inside || open_.back()->rule.has_value());
    open_.push_back(&frame);
    if (frame.is_inside) return;
    frame.rule = rule_of(call.name());
    const auto schema = call.operator_schema();
    if (!schema) frame.rule.reset();
    if (!schema) return;
    const auto stack = call.inputs();
    const auto count = std::min(stack.size(), schema->arguments().size());
    frame.inputs.assign(stack.end() - count, stack.end());
    frame.returned = schema->returns().size();
    if (!frame.rule) return;
    frame.module = path_of(torch::jit::currentModuleHierarchy());
  }

  void end(const at::RecordFunction& call, const OperatorFrame& frame) {
    open_.pop_back();
    if (frame.is_inside) return;
    const auto& stack = call.outputs();
    if (frame.returned == 0 || frame.returned > stack.size()) return;
    const auto& first = stack[stack.size() - frame.returned];
    const auto output = first.isTensor() ? first.toTensor() : at::Tensor();
    if (!output.defined() || !output.is_floating_point() || output.dim() == 0) return;
    if (is_view(call.name(), output, frame)) return;
    if (frame.rule) return add(call.name(), output, frame);
    if (!frame.has_parts && !does_no_work(call.name()) && has_tensor(frame)) ++trace_.uncounted[call.name()];
  }

  OperatorTrace finish() { return std::move(trace_); }

private:
  void add_known(const std::string& path, const at::Tensor& tensor, bool trained) {
    const auto begin = tensor.storage_offset();
    known_.push_back({path, storage_of(tensor), begin, begin + tensor.numel(), trained});
  }

  const KnownTensor* known(const at::Tensor& tensor) const {
    const auto* storage = storage_of(tensor);
    if (storage == nullptr) return nullptr;
    const auto at = tensor.storage_offset();
    const auto found = std::find_if(known_.begin(), known_.end(), [&](const KnownTensor& one) {
      return one.storage == storage && at >= one.begin && at < std::max(one.end, one.begin + 1);
    });
    return found == known_.end() ? nullptr : &*found;
  }

  template <class Use> static void each_tensor(const OperatorFrame& frame, const Use& use) {
    for (const auto& input : frame.inputs) {
      if (input.isTensor()) use(input.toTensor());
      if (input.isTensorList())
        for (const at::Tensor& tensor : input.toTensorVector()) use(tensor);
    }
  }

  static bool has_tensor(const OperatorFrame& frame) {
    bool has = false;
    each_tensor(frame, [&](const at::Tensor& tensor) { has = has || tensor.defined(); });
    return has;
  }

  /// Whether a result is at the place of an input, for an operator that does not work in place.
  static bool is_view(std::string_view name, const at::Tensor& output, const OperatorFrame& frame) {
    bool shares = false;
    each_tensor(frame, [&](const at::Tensor& tensor) { shares = shares || storage_of(tensor) == storage_of(output); });
    return shares && !name.ends_with('_');
  }

  void add(const char* name, const at::Tensor& output, const OperatorFrame& frame) {
    TracedOperator traced;
    traced.name = name;
    traced.module = frame.module;
    bool has_weight = false;
    each_tensor(frame, [&](const at::Tensor& tensor) {
      const auto* found = known(tensor);
      has_weight = has_weight || found != nullptr;
      if (found != nullptr && found->trained) traced.weights.push_back(found->path);
    });
    const auto work = work_of(*frame.rule, {frame.inputs, output, has_weight});
    traced.kind = work.kind;
    traced.flop = work.flop;
    traced.output_elements = output.numel();
    trace_.operators.push_back(std::move(traced));
  }

  std::vector<KnownTensor> known_;
  std::vector<OperatorFrame*> open_;
  OperatorTrace trace_;
};

// LibTorch's callbacks are plain functions, so what they write to is a variable of the thread.
thread_local Recorder* recorder = nullptr;

std::unique_ptr<at::ObserverContext> operator_begins(const at::RecordFunction& call) {
  auto frame = std::make_unique<OperatorFrame>();
  recorder->begin(call, *frame);
  return frame;
}

void operator_ends(const at::RecordFunction& call, at::ObserverContext* context) {
  recorder->end(call, *static_cast<OperatorFrame*>(context));
}

/// Removes the callbacks, even where the module throws.
class Recording {
public:
  explicit Recording(Recorder& target) {
    recorder = &target;
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(operator_begins, operator_ends)
                                             .needsInputs(true)
                                             .needsOutputs(true)
                                             .scopes({at::RecordScope::FUNCTION}));
  }
  ~Recording() {
    at::removeCallback(handle_);
    recorder = nullptr;
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

private:
  at::CallbackHandle handle_ = 0;
};

} // namespace

OperatorTrace trace_operators(torch::jit::Module& module, const Tensors& inputs) {
  const at::NoGradGuard no_gradient;
  torch::jit::setGraphExecutorOptimize(false); // fused operators would differ from those of the module
  Recorder target(module);
  const std::vector<c10::IValue> arguments(inputs.begin(), inputs.end());
  {
    const Recording recording(target);
    module.forward(arguments);
  }
  return target.finish();
}

} // namespace ddltrain
