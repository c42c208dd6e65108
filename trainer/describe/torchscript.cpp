#include "trainer/describe/torchscript.hpp"

#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "trainer/describe/operator_trace.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

namespace ddltrain {
namespace {

constexpr std::int64_t fp32_bytes = 4;
constexpr std::int64_t small_batch_size = 2; ///< two samples, because a norm in training needs them
constexpr std::int64_t large_batch_size = 3;
constexpr std::int64_t most_elements = std::int64_t{1} << 31; ///< most elements of one input, beyond any sample

ddlsim::UserError wrong_input(const std::string& text) {
  return {"--input", "",
          fmt::format("{} found; give the shape of one sample, like 3x224x224 (numbers), 128:int64 (token numbers) or "
                      "128:bool",
                      ddlsim::in_quotes(text))};
}

/// Returns the last line of LibTorch's message, which says what was wrong; the lines before it say where.
std::string reason_of(const std::string& message) {
  std::string last;
  std::string line;
  for (const char letter : message + "\n") {
    if (letter != '\n') {
      line += letter;
      continue;
    }
    if (line.find_first_not_of(" ~^<-") != std::string::npos) last = line;
    line.clear();
  }
  return ddlsim::in_quotes(last);
}

/// Returns what a person should read of an exception of LibTorch.
std::string reason_of(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  return reason_of(torch_error != nullptr ? torch_error->what_without_backtrace() : error.what());
}

torch::jit::Module load_module(const std::filesystem::path& file) {
  ddlsim::open_text_file(file); // this reports what is wrong with a file that cannot be read
  try {
    return torch::jit::load(file.string(), at::kCPU);
  } catch (const std::exception& error) {
    throw ddlsim::UserError(
        file.string(), "",
        fmt::format("LibTorch {} cannot read it: {}; a module that torch.jit.save wrote is expected",
                    libtorch_version(), reason_of(error)));
  }
}

/// Makes all numbers fp32, because 16 bits do not run on every processor. The counts are the same.
void make_fp32(torch::jit::Module& module) {
  const at::NoGradGuard no_gradient;
  const auto widen = [](const at::Tensor& tensor) {
    if (tensor.is_floating_point() && tensor.scalar_type() != at::kFloat) tensor.set_data(tensor.to(at::kFloat));
  };
  for (const auto& parameter : module.parameters()) widen(parameter);
  for (const auto& buffer : module.buffers()) widen(buffer);
}

Tensors batch_of(const std::vector<ModuleInput>& inputs, std::int64_t samples) {
  Tensors batch;
  for (const auto& input : inputs) {
    std::vector<std::int64_t> shape{samples};
    shape.insert(shape.end(), input.shape.begin(), input.shape.end());
    switch (input.values) {
    case InputValues::numbers:
      batch.push_back(at::rand(shape));
      break;
    case InputValues::indices:
      batch.push_back(at::zeros(shape, at::kLong));
      break;
    case InputValues::mask:
      batch.push_back(at::ones(shape, at::kBool));
      break;
    }
  }
  return batch;
}

/// The two runs, or one where the module takes no other batch.
struct Runs {
  OperatorTrace small;
  OperatorTrace large;
  std::int64_t small_batch = small_batch_size;
  std::int64_t added = 1; ///< how many more samples the large run has; 0: there is no large run
};

bool run_alike(const OperatorTrace& a, const OperatorTrace& b) {
  return std::equal(a.operators.begin(), a.operators.end(), b.operators.begin(), b.operators.end(),
                    [](const TracedOperator& x, const TracedOperator& y) { return x.name == y.name; });
}

Runs run_module(torch::jit::Module& module, const std::vector<ModuleInput>& inputs, const std::filesystem::path& file,
                std::vector<std::string>& notes) {
  Runs runs;
  try {
    runs.small = trace_operators(module, batch_of(inputs, small_batch_size));
    runs.large = trace_operators(module, batch_of(inputs, large_batch_size));
    if (run_alike(runs.small, runs.large)) return runs;
    notes.push_back(fmt::format("it runs other operators at batch {} than at {}: counted at {}", large_batch_size,
                                small_batch_size, small_batch_size));
    runs.added = 0;
    return runs;
  } catch (const std::exception& first) {
    try {
      runs.small_batch = 1;
      runs.added = 0;
      runs.small = trace_operators(module, batch_of(inputs, 1));
      notes.push_back(fmt::format("it runs on one sample only ({}): counted there", reason_of(first)));
      return runs;
    } catch (const std::exception&) {
      throw ddlsim::UserError(file.string(), "",
                              fmt::format("the module does not run on {} input{}: {}", inputs.size(),
                                          inputs.size() == 1 ? "" : "s", reason_of(first)));
    }
  }
}

/// The names of layers. A module without parts is one layer; for others the name of the operator is added. Each name
/// occurs once.
class LayerNames {
public:
  explicit LayerNames(const torch::jit::Module& module) {
    for (const auto& part : module.named_modules())
      if (part.value.children().size() == 0) leaves_.insert(part.name);
  }

  std::string name_of(const TracedOperator& traced, const std::string& weight) const {
    auto owner = weight.empty() ? traced.module
                                : weight.substr(0, weight.find('.') == std::string::npos ? 0 : weight.rfind('.'));
    if (!owner.empty() && leaves_.contains(owner)) return owner;
    auto plain = traced.name.substr(traced.name.rfind(':') + 1);
    if (plain.ends_with('_')) plain.pop_back();
    return owner.empty() ? plain : owner + "." + plain;
  }

  std::string unused(const std::string& name) {
    const int count = ++used_[name];
    return count == 1 ? name : fmt::format("{}_{}", name, count);
  }

private:
  std::set<std::string> leaves_;
  std::map<std::string, int> used_;
};

class TableMaker {
public:
  TableMaker(const torch::jit::Module& module, Runs runs) : runs_(std::move(runs)), names_(module) {
    for (const auto& parameter : module.named_parameters())
      if (parameter.value.requires_grad()) shapes_.emplace(parameter.name, parameter.value.sizes().vec());
  }

  LayerTable make() {
    for (std::size_t i = 0; i < runs_.small.operators.size(); ++i) add(i);
    return std::move(table_);
  }

  /// Returns the trained parameters that no operator with a rule used.
  std::vector<std::string> unreached() const {
    std::vector<std::string> names;
    for (const auto& [name, shape] : shapes_)
      if (!placed_.contains(name)) names.push_back(name);
    return names;
  }

  bool has_parameters() const { return !shapes_.empty(); }

private:
  std::int64_t per_sample(std::int64_t small, std::int64_t large) const {
    return runs_.added > 0 ? std::max<std::int64_t>(0, (large - small) / runs_.added) : small / runs_.small_batch;
  }

  void add(std::size_t index) {
    const auto& traced = runs_.small.operators[index];
    const auto& again = runs_.added > 0 ? runs_.large.operators[index] : traced;
    const auto flop = per_sample(traced.flop, again.flop);
    const auto bytes = fp32_bytes * per_sample(traced.output_elements, again.output_elements);
    // its work depends only on weights, or on the batch's size
    if (flop == 0 && bytes == 0 && traced.weights.empty()) return;
    const auto key = std::pair{traced.weights.empty() ? "" : traced.weights.front(), traced.kind};
    auto found = key.first.empty() ? rows_.end() : rows_.find(key);
    if (found == rows_.end()) {
      table_.push_back({names_.unused(names_.name_of(traced, key.first)), std::string(name_of(traced.kind)), 0, 0, {}});
      if (!key.first.empty()) found = rows_.emplace(key, table_.size() - 1).first;
    }
    auto& row = table_[key.first.empty() ? table_.size() - 1 : found->second];
    row.forward_flop_per_sample += flop;
    row.activation_bytes_per_sample += bytes;
    for (const auto& weight : traced.weights)
      if (placed_.insert(weight).second) row.tensors.push_back({weight, shapes_.at(weight)});
  }

  Runs runs_;
  LayerNames names_;
  LayerTable table_;
  std::map<std::string, std::vector<std::int64_t>> shapes_;
  std::set<std::string> placed_;
  std::map<std::pair<std::string, LayerKind>, std::size_t> rows_; ///< row of each first weight and kind
};

void note_what_is_missing(const TableMaker& maker, const OperatorTrace& trace, std::vector<std::string>& notes) {
  constexpr std::size_t shown_names = 5;
  for (const auto& [name, times] : trace.uncounted)
    notes.push_back(fmt::format("{} ran {} time{} and was not counted: no rule for it is known", name, times,
                                times == 1 ? "" : "s"));
  auto unreached = maker.unreached();
  if (!unreached.empty()) {
    const auto count = unreached.size();
    unreached.resize(std::min(count, shown_names));
    for (auto& name : unreached) name = ddlsim::in_quotes(name);
    notes.push_back(fmt::format("{} parameters were used by no operator that is counted, and were left out: {}{}",
                                count, ddlsim::join_names(unreached), count > shown_names ? ", ..." : ""));
  }
  notes.emplace_back("the loss is not in a module: it was not counted; norms and dropout are counted as in training");
}

} // namespace

ModuleInput module_input(const std::string& text) {
  ModuleInput input;
  input.text = text;
  const auto colon = text.find(':');
  const auto type = colon == std::string::npos ? "float32" : text.substr(colon + 1);
  if (type == "int64") input.values = InputValues::indices;
  if (type == "bool") input.values = InputValues::mask;
  if (type != "float32" && type != "int64" && type != "bool") throw wrong_input(text);
  const auto sizes = text.substr(0, colon);
  std::int64_t elements = 1;
  for (std::size_t at = 0; at <= sizes.size();) {
    const auto end = std::min(sizes.find('x', at), sizes.size());
    std::int64_t size = 0;
    const auto read = std::from_chars(sizes.data() + at, sizes.data() + end, size);
    if (read.ec != std::errc() || read.ptr != sizes.data() + end || size < 1 || size > most_elements / elements)
      throw wrong_input(text);
    elements *= size;
    input.shape.push_back(size);
    at = end + 1;
  }
  return input;
}

DescribedModule describe_torchscript(const std::filesystem::path& file, const std::vector<ModuleInput>& inputs) {
  auto module = load_module(file);
  make_fp32(module);
  module.train();
  DescribedModule described;
  const auto name = module.type()->name();
  described.type = name ? name->name() : "module";
  auto runs = run_module(module, inputs, file, described.notes);
  const OperatorTrace counted = runs.small;
  TableMaker maker(module, std::move(runs));
  if (!maker.has_parameters())
    throw ddlsim::UserError(file.string(), "",
                            "found no parameter that is trained, expected a module as it is trained: a frozen one "
                            "(torch.jit.freeze) has constants in their place");
  described.layers = maker.make();
  if (described.layers.empty())
    throw ddlsim::UserError(file.string(), "", "found no operator that could be counted, expected layers");
  note_what_is_missing(maker, counted, described.notes);
  return described;
}

} // namespace ddltrain
