#include "import/trace_layers.hpp"

#include "import/trace_anatomy.hpp"
#include "sim/base/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ddlsim {
namespace {

constexpr std::string_view evaluating = "autograd::engine::evaluate_function: ";
constexpr std::string_view accumulating = "torch::autograd::AccumulateGrad";

/// An operator or a module, and its place in the tree of calls.
struct Call {
  const TraceCall* seen = nullptr;
  int parent = -1;
  int module = -1; ///< the innermost module that runs it; -1: none
  bool is_module = false;
  bool is_in_backward = false; ///< whether the engine of backward called it, directly or not
  int layers = 0;              ///< number of layers that begin in it
  int layer = -1;              ///< the layer to whose work it belongs
  bool is_backward = false;
};

bool callers_first(const Call& a, const Call& b) {
  const auto& [at_a, at_b] = std::pair(a.seen->interval, b.seen->interval);
  if (a.seen->thread != b.seen->thread) return a.seen->thread < b.seen->thread;
  if (at_a.begin_s != at_b.begin_s) return at_a.begin_s < at_b.begin_s;
  if (at_a.end_s != at_b.end_s) return at_a.end_s > at_b.end_s;
  if (a.is_module != b.is_module) return a.is_module;
  return a.seen->id < b.seen->id;
}

class LayerFinder {
public:
  LayerFinder(const KinetoTrace& trace, const TraceInterval& step)
      : trace_(trace), step_(step), backward_(trace, step) {}

  TraceLayers find() {
    collect();
    find_nodes();
    find_layers();
    follow_backward();
    share_time();
    name_layers();
    return std::move(found_);
  }

private:
  bool is_in_step(const TraceCall& call) const {
    return call.interval.begin_s >= step_.begin_s && call.interval.begin_s < step_.end_s;
  }

  const std::string& name_of(const Call& call) const {
    return trace_.names.at(static_cast<std::size_t>(call.seen->name));
  }

  const TraceShapes& shapes_of(const Call& call) const {
    static const TraceShapes none;
    return call.seen->shapes < 0 ? none : trace_.shapes.at(static_cast<std::size_t>(call.seen->shapes));
  }

  /// Whether the call is a node's own, such as "AddmmBackward0", and not the engine's call around it.
  bool is_node(const Call& call) const {
    const auto& name = name_of(call);
    return !call.is_module && call.seen->sequence >= 0 && !name.starts_with(evaluating) &&
           name.find("Backward") != std::string::npos;
  }

  void collect() {
    for (const auto& one : trace_.operators)
      if (is_in_step(one)) calls_.push_back({.seen = &one});
    for (const auto& one : trace_.modules)
      if (is_in_step(one)) calls_.push_back({.seen = &one, .is_module = true});
    std::sort(calls_.begin(), calls_.end(), callers_first);
    std::vector<int> open;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const auto& one = *calls_[i].seen;
      const auto is_over = [&](int place) {
        const auto& other = *calls_[static_cast<std::size_t>(place)].seen;
        return other.thread != one.thread || other.interval.end_s <= one.interval.begin_s;
      };
      while (!open.empty() && is_over(open.back())) open.pop_back();
      if (!open.empty()) {
        const auto& parent = calls_[static_cast<std::size_t>(open.back())];
        calls_[i].parent = open.back();
        calls_[i].module = parent.is_module ? open.back() : parent.module;
        calls_[i].is_in_backward = parent.is_in_backward;
      }
      if (name_of(calls_[i]).starts_with(evaluating)) calls_[i].is_in_backward = true;
      open.push_back(static_cast<int>(i));
    }
  }

  void find_nodes() {
    for (std::size_t i = 0; i < calls_.size(); ++i)
      if (is_node(calls_[i]) && calls_[i].seen->shapes >= 0) nodes_.emplace(calls_[i].seen->sequence, i);
    found_.has_shapes = !nodes_.empty();
  }

  /// Returns, for each number of a backward node, the operator that made the node. It is the last operator with that
  /// number, because operators that it calls have the next number. Operators of backward may have the number of their
  /// node, too.
  std::map<long, std::size_t> makers() const {
    std::map<long, std::size_t> makers;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const auto& call = calls_[i];
      const bool is_engine = name_of(call).starts_with(evaluating);
      if (call.is_module || is_engine || is_node(call) || !nodes_.contains(call.seen->sequence)) continue;
      const auto [at, fresh] = makers.emplace(call.seen->sequence, i);
      if (fresh) continue;
      const auto& other = calls_[at->second];
      if (call.is_in_backward == other.is_in_backward ? !callers_first(call, other) : other.is_in_backward)
        at->second = i;
    }
    return makers;
  }

  void find_layers() {
    std::vector<std::pair<long, std::size_t>> by_time;
    for (const auto& maker : makers())
      if (!is_no_work(plain_operator(name_of(calls_[maker.second])))) by_time.emplace_back(maker);
    std::stable_sort(by_time.begin(), by_time.end(), [&](const auto& a, const auto& b) {
      return calls_[a.second].seen->interval.begin_s < calls_[b.second].seen->interval.begin_s;
    });
    for (const auto& [sequence, place] : by_time) add_layer(sequence, place);
    std::for_each(calls_.rbegin(), calls_.rend(), [&](const auto& call) {
      if (call.parent >= 0) calls_[static_cast<std::size_t>(call.parent)].layers += call.layers;
    });
  }

  void add_layer(long sequence, std::size_t place) {
    auto& call = calls_[place];
    const auto layer = static_cast<int>(found_.layers.size());
    const auto& output = gradient_of(calls_[nodes_.at(sequence)]);
    const auto plain = plain_operator(name_of(call));
    const auto cost = cost_of(plain, {shapes_of(call), output});
    TraceLayer made;
    made.kind = cost ? cost->kind : "elementwise";
    made.flop = cost ? cost->flop : 0;
    made.outputs = product_of(output);
    if (!cost) ++found_.uncounted[plain];
    const auto& inputs = shapes_of(call);
    if (has_pool_window(plain) && (inputs.size() <= pool_window || inputs[pool_window].empty()))
      found_.lacks_windows = true;
    if (found_.layers.empty()) found_.input = input_of(call, plain);
    if (call.is_in_backward) found_.computes_again = true;
    found_.layers.push_back(made);
    layer_calls_.push_back(place);
    layer_of_node_[sequence] = layer;
    call.layers = 1;
  }

  /// Returns the first input of a node that is present: the gradient of the forward output.
  const std::vector<long>& gradient_of(const Call& node) const {
    static const std::vector<long> scalar;
    for (const auto& shape : shapes_of(node))
      if (!shape.empty()) return shape;
    return scalar;
  }

  std::vector<long> input_of(const Call& call, const std::string& plain) const {
    const std::size_t place = plain == "embedding" || plain == "_embedding_bag" || plain == "addmm" ? 1 : 0;
    const auto& shapes = shapes_of(call);
    return place < shapes.size() ? shapes[place] : std::vector<long>();
  }

  /// Follows the nodes in their order. A gradient is summed right after the node that makes it, before any other node.
  void follow_backward() {
    std::string_view waited_for;
    for (auto& call : calls_) {
      const std::string_view name = name_of(call);
      if (name.starts_with(evaluating)) waited_for = name.substr(evaluating.size());
      if (waited_for.empty() || name != waited_for) continue;
      waited_for = {};
      if (name == accumulating) {
        const int layer = layer_of_gradient();
        add_gradient(layer, call);
        own(call, layer);
        continue;
      }
      const auto node = layer_of_node_.find(call.seen->sequence);
      through_ = node == layer_of_node_.end() ? &call : nullptr;
      if (through_ == nullptr) run_.push_back(node->second);
      own(call, run_.empty() ? -1 : run_.back());
    }
  }

  /// Returns the layer of a gradient: that of the last node, or of a node shortly before. The weights of a product pass
  /// through a transposition, which may run after the node for the product's other input.
  int layer_of_gradient() const {
    constexpr std::ptrdiff_t looked_at = 8;
    if (run_.empty()) return -1;
    if (through_ == nullptr) return run_.back();
    auto shape = gradient_of(*through_);
    const auto first = run_.size() > looked_at ? run_.end() - looked_at : run_.begin();
    for (const bool is_turned : {false, true}) {
      if (is_turned) std::reverse(shape.begin(), shape.end());
      for (auto layer = run_.end(); layer != first;) {
        const auto& inputs = shapes_of(calls_[layer_calls_[static_cast<std::size_t>(*--layer)]]);
        if (std::find(inputs.begin(), inputs.end(), shape) != inputs.end()) return *layer;
      }
    }
    return run_.back();
  }

  /// Assigns a call to a layer, together with the engine's call around it.
  void own(Call& call, int layer) {
    if (layer < 0) return;
    call.layer = layer;
    call.is_backward = true;
    if (call.parent < 0) return;
    auto& parent = calls_[static_cast<std::size_t>(call.parent)];
    if (!name_of(parent).starts_with(evaluating)) return;
    parent.layer = layer;
    parent.is_backward = true;
  }

  void add_gradient(int layer, const Call& call) {
    const auto& shapes = shapes_of(call);
    if (layer < 0 || shapes.empty()) return;
    const bool is_empty = std::find(shapes.front().begin(), shapes.front().end(), 0) != shapes.front().end();
    if (is_empty) return;
    auto& of = found_.layers[static_cast<std::size_t>(layer)];
    of.weights.push_back(shapes.front().empty() ? std::vector<long>{1} : shapes.front());
    of.ready_s = std::max(of.ready_s, backward_.worked_s(call.seen->interval.end_s));
    if (of.kind == "attention" && of.weights.back().size() > 1) of.kind = "linear";
  }

  /// Returns the outermost call that contains the layer and no other one, such as "aten::linear", which transposes
  /// first.
  std::size_t whole_call(std::size_t place) const {
    for (int at = calls_[place].parent; at >= 0; at = calls_[static_cast<std::size_t>(at)].parent) {
      const auto& caller = calls_[static_cast<std::size_t>(at)];
      if (caller.is_module || caller.layers != 1) break;
      place = static_cast<std::size_t>(at);
    }
    return place;
  }

  void share_time() {
    for (std::size_t layer = 0; layer < layer_calls_.size(); ++layer)
      calls_[whole_call(layer_calls_[layer])].layer = static_cast<int>(layer);
    const bool by_kernels = !trace_.kernels.empty();
    std::map<long, const Call*> by_id;
    for (auto& call : calls_) { // callers come before the calls that they make
      const auto* parent = call.parent < 0 ? nullptr : &calls_[static_cast<std::size_t>(call.parent)];
      const bool inherits = call.layer < 0 && parent != nullptr && parent->layer >= 0;
      const bool is_counted = call.layer >= 0 && (parent == nullptr || parent->layer < 0);
      if (inherits) {
        call.layer = parent->layer;
        call.is_backward = parent->is_backward;
      }
      if (call.layer >= 0 && call.seen->id >= 0 && !call.is_module) by_id[call.seen->id] = &call;
      if (is_counted && !by_kernels) add_time(call, call.seen->interval);
    }
    for (const auto& kernel : trace_.kernels)
      if (const auto launcher = by_id.find(kernel.id); launcher != by_id.end())
        add_time(*launcher->second, kernel.interval);
  }

  void add_time(const Call& call, const TraceInterval& interval) {
    auto& layer = found_.layers[static_cast<std::size_t>(call.layer)];
    (call.is_backward ? layer.backward_s : layer.forward_s) += interval.end_s - interval.begin_s;
  }

  void name_layers() {
    std::map<int, int> in_module;
    for (const auto place : layer_calls_) ++in_module[calls_[place].module];
    std::map<std::string, int> numbers;
    std::set<std::string> taken;
    for (std::size_t layer = 0; layer < layer_calls_.size(); ++layer) {
      const int module = calls_[layer_calls_[layer]].module;
      auto name = for_terminal(plain_operator(name_of(calls_[layer_calls_[layer]])));
      if (module >= 0) {
        const auto owner = for_terminal(name_of(calls_[static_cast<std::size_t>(module)]));
        name = in_module[module] == 1 ? owner : fmt::format("{}.{}", owner, name);
      }
      if (name.empty()) name = "operator";
      auto own_name = name;
      const bool is_numbered = module < 0 || in_module[module] > 1;
      if (is_numbered) own_name = fmt::format("{}_{}", name, ++numbers[name]);
      while (!taken.insert(own_name).second) own_name = fmt::format("{}_{}", name, ++numbers[name]);
      found_.layers[layer].name = own_name;
    }
    for (auto& layer : found_.layers)
      std::stable_sort(layer.weights.begin(), layer.weights.end(),
                       [](const auto& a, const auto& b) { return a.size() > b.size(); });
  }

  const KinetoTrace& trace_;
  TraceInterval step_;
  BackwardClock backward_;
  std::vector<Call> calls_;
  std::map<long, std::size_t> nodes_; ///< nodes of backward by number
  std::map<long, int> layer_of_node_;
  std::vector<std::size_t> layer_calls_; ///< operator of each layer
  std::vector<int> run_;                 ///< layers in the order in which their nodes ran
  const Call* through_ = nullptr;        ///< the last node, if it belongs to no layer
  TraceLayers found_;
};

} // namespace

TraceLayers layers_of(const KinetoTrace& trace, const TraceInterval& step) {
  return LayerFinder(trace, step).find();
}

} // namespace ddlsim
