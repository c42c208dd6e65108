#include "import/traces.hpp"
#include "sim/base/error.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace ddlsim {
namespace {

using nlohmann::json;

constexpr double us_of_trace_per_s = 1e6;
constexpr int event_depth = 2;  ///< depth of an event in {"traceEvents": [ {event} ]}
constexpr int listed_depth = 1; ///< depth of an event in [ {event} ]
constexpr double most_processes = 10'000'000;
/// largest length of a dimension: 2^53, up to which doubles hold every whole number
constexpr double most_length = 9007199254740992.0;
constexpr const char* module_prefix = "nn.Module: ";
constexpr const char* gradient_sum = "torch::autograd::AccumulateGrad";

std::string text_at(const json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Returns the whole number of a key; -1 if it is absent or too large for a long, because PyTorch writes 2^64 - 1 for
/// none.
long whole_at(const json& holder, const char* key) {
  const auto found = holder.find(key);
  if (found == holder.end() || !found->is_number_integer()) return -1;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > std::numeric_limits<long>::max()) return -1;
  return found->get<long>();
}

/// Returns the lengths in a list; empty if it is no list of lengths.
std::vector<long> lengths_of(const json& list) {
  std::vector<long> lengths;
  for (const auto& length : list) {
    const bool is_length =
        length.is_number_integer() && length.get<double>() >= 0 && length.get<double>() < most_length;
    if (is_length) lengths.push_back(length.get<long>());
  }
  if (!list.is_array() || lengths.size() != list.size()) lengths.clear();
  return lengths;
}

/// Reads "Input Dims". Nothing is kept of a list of tensors.
TraceShapes shapes_of(const json& inputs) {
  TraceShapes shapes;
  for (const auto& input : inputs) shapes.push_back(lengths_of(input));
  return shapes;
}

/// Returns a pool's window, such as "[3, 3]", from the "Concrete Inputs" that PyTorch 2 writes.
std::vector<long> window_of(const json& facts) {
  const auto inputs = facts.find("Concrete Inputs");
  const bool has_window =
      inputs != facts.end() && inputs->is_array() && inputs->size() > pool_window && (*inputs)[pool_window].is_string();
  if (!has_window) return {};
  return lengths_of(json::parse((*inputs)[pool_window].get<std::string>(), nullptr, false));
}

/// Whether the operator runs in autocast's type. Its callers still have the types before the cast.
bool is_product(const std::string& name) {
  static const std::set<std::string> names{"aten::_convolution", "aten::mm", "aten::addmm", "aten::bmm",
                                           "aten::baddbmm"};
  return names.contains(name);
}

/// Returns the first of "Input type"; "" if the profiler recorded none.
std::string first_type(const json& event) {
  const auto facts = event.find("args");
  if (facts == event.end() || !facts->is_object()) return "";
  const auto types = facts->find("Input type");
  if (types == facts->end() || !types->is_array() || types->empty() || !types->front().is_string()) return "";
  return types->front().get<std::string>();
}

/// Whether only a process among several makes such calls: those of DistributedDataParallel, FSDP, torch.distributed and
/// its backends.
bool is_of_others(const std::string& name) {
  return name.starts_with("nccl:") || name.starts_with("gloo:") || name.starts_with("c10d::") ||
         name.starts_with("DistributedDataParallel") || name.starts_with("FullyShardedDataParallel") ||
         name.starts_with("FSDP::");
}

/// Takes events, and gives a number to each name that they share.
class EventTaker {
public:
  explicit EventTaker(KinetoTrace& trace) : trace_(trace) {}

  void take(const json& event) {
    TraceInterval interval;
    if (!event.is_object() || !read_interval(event, interval)) return;
    const auto name = text_at(event, "name");
    const auto category = text_at(event, "cat");
    const bool lasts = interval.end_s > interval.begin_s;
    trace_.has_others = trace_.has_others || is_of_others(name);
    if (category == "kernel") {
      const bool is_nccl = name.starts_with("ncclKernel") || name.starts_with("ncclDevKernel");
      if (lasts && is_nccl) trace_.nccl.push_back(interval);
      if (lasts && !is_nccl) trace_.kernels.push_back(call_of(event, interval, name));
    } else if (name.starts_with("ProfilerStep#") && category != "gpu_user_annotation") {
      if (lasts) trace_.steps.push_back(interval);
    } else if (name.starts_with("enumerate(DataLoader)")) {
      if (lasts) trace_.input_waits.push_back(interval);
    } else if (category == "python_function" && name.starts_with(module_prefix)) {
      trace_.modules.push_back(call_of(event, interval, module_name(event, name)));
    } else if (category == "cpu_op" || name.starts_with("aten::") || name.find("autograd::") != std::string::npos) {
      trace_.operators.push_back(call_of(event, interval, name)); // some operators have length 0 in whole microseconds
      if (is_product(name)) ++trace_.product_types[first_type(event)];
      if (name == gradient_sum) ++trace_.gradient_types[first_type(event)];
    }
  }

private:
  /// Reads the times of a complete event (ph X), if both are valid numbers. They are relative to the first event,
  /// because in microseconds since 1970 a double would lose their fractions.
  bool read_interval(const json& event, TraceInterval& interval) {
    const auto begin = event.find("ts");
    const auto length = event.find("dur");
    if (text_at(event, "ph") != "X" || begin == event.end() || length == event.end()) return false;
    if (!begin->is_number() || !length->is_number()) return false;
    if (!first_us_) first_us_ = begin->get<double>();
    const double begin_us = begin->get<double>() - *first_us_;
    interval.begin_s = begin_us / us_of_trace_per_s;
    interval.end_s = (begin_us + length->get<double>()) / us_of_trace_per_s;
    return std::isfinite(interval.end_s) && interval.end_s >= interval.begin_s;
  }

  /// Returns the short name of a module: "Conv2d_1" for "nn.Module: Conv2d_1". Before PyTorch 2 the number is in
  /// another field.
  static std::string module_name(const json& event, const std::string& name) {
    auto short_name = name.substr(std::string_view(module_prefix).size());
    const auto facts = event.find("args");
    const long number = facts != event.end() && facts->is_object() ? whole_at(*facts, "Python module id") : -1;
    const auto suffix = "_" + std::to_string(number);
    return number < 0 || short_name.ends_with(suffix) ? short_name : short_name + suffix;
  }

  TraceCall call_of(const json& event, const TraceInterval& interval, const std::string& name) {
    TraceCall call;
    call.interval = interval;
    call.name = place_of(name);
    const auto thread = event.find("tid");
    if (thread != event.end() && thread->is_number_integer()) call.thread = thread->get<long>();
    const auto facts = event.find("args");
    if (facts == event.end() || !facts->is_object()) return call;
    call.id = whole_at(*facts, "External id");
    call.sequence = whole_at(*facts, "Sequence number");
    if (const auto inputs = facts->find("Input Dims"); inputs != facts->end() && inputs->is_array()) {
      auto shapes = shapes_of(*inputs);
      if (has_pool_window(name) && shapes.size() > pool_window) shapes[pool_window] = window_of(*facts);
      call.shapes = place_of(shapes);
    }
    return call;
  }

  int place_of(const TraceShapes& shapes) {
    const auto [at, fresh] = shape_places_.emplace(shapes, static_cast<int>(trace_.shapes.size()));
    if (fresh) trace_.shapes.push_back(shapes);
    return at->second;
  }

  int place_of(const std::string& name) {
    const auto [at, fresh] = places_.emplace(name, static_cast<int>(trace_.names.size()));
    if (fresh) trace_.names.push_back(name);
    return at->second;
  }

  KinetoTrace& trace_;
  std::optional<double> first_us_;
  std::map<std::string, int> places_;
  std::map<TraceShapes, int> shape_places_;
};

void take_head(const json& root, KinetoTrace& trace) {
  if (const auto found = root.find("distributedInfo"); found != root.end() && found->is_object()) {
    const auto size = found->find("world_size");
    if (size != found->end() && size->is_number_integer() && size->get<double>() >= 1 &&
        size->get<double>() <= most_processes)
      trace.world_size = size->get<int>();
  }
  if (const auto found = root.find("deviceProperties"); found != root.end() && found->is_array() && !found->empty())
    if (found->front().is_object()) trace.device = text_at(found->front(), "name");
}

bool by_begin(const TraceInterval& a, const TraceInterval& b) {
  return a.begin_s < b.begin_s;
}

/// Returns the intervals sorted and merged, so that none touches the next.
std::vector<TraceInterval> merged_intervals(std::vector<TraceInterval> all) {
  std::sort(all.begin(), all.end(), by_begin);
  std::vector<TraceInterval> whole;
  for (const auto& one : all) {
    if (!whole.empty() && one.begin_s <= whole.back().end_s) {
      whole.back().end_s = std::max(whole.back().end_s, one.end_s);
    } else {
      whole.push_back(one);
    }
  }
  return whole;
}

} // namespace

bool has_pool_window(const std::string& name) {
  const bool is_pool = name.find("max_pool") != std::string::npos || name.find("avg_pool") != std::string::npos;
  return is_pool && name.find("adaptive") == std::string::npos;
}

KinetoTrace read_kineto(LogSource& source) {
  const auto& file = source.name();
  LogStream stream(source);
  KinetoTrace trace;
  EventTaker taker(trace);
  bool is_list = false;
  bool in_events = false;
  const auto keep = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth == 0 && event == json::parse_event_t::array_start) in_events = is_list = true;
    if (depth == 1 && event == json::parse_event_t::key && !is_list) in_events = parsed == "traceEvents";
    if (depth != (is_list ? listed_depth : event_depth) || event != json::parse_event_t::object_end || !in_events)
      return true;
    taker.take(parsed);
    return false;
  };
  json root;
  try {
    root = json::parse(stream, keep);
  } catch (const json::exception& error) {
    throw UserError(file.string(), "",
                    "this is no whole JSON document: " + in_quotes(error.what()) + "; write the trace again");
  }
  trace.is_whole_job = !is_list;
  trace.has_others = trace.has_others || !trace.nccl.empty();
  if (!is_list && (!root.is_object() || !root.contains("traceEvents")))
    throw UserError(file.string(), "", "no \"traceEvents\" found, a trace that the PyTorch profiler exported expected");
  if (!is_list) take_head(root, trace);
  std::sort(trace.steps.begin(), trace.steps.end(), by_begin);
  return trace;
}

TraceCover::TraceCover(std::vector<TraceInterval> intervals) : whole_(merged_intervals(std::move(intervals))) {}

double TraceCover::shared_s(const TraceInterval& other) const {
  auto at = std::upper_bound(whole_.begin(), whole_.end(), other, by_begin);
  if (at != whole_.begin()) --at;
  double shared_s = 0;
  for (; at != whole_.end() && at->begin_s < other.end_s; ++at)
    shared_s += std::max(0.0, std::min(at->end_s, other.end_s) - std::max(at->begin_s, other.begin_s));
  return shared_s;
}

double covered_s(const std::vector<TraceInterval>& all, const std::vector<TraceInterval>& but) {
  const auto holes = merged_intervals(but);
  double total_s = 0;
  std::size_t hole = 0;
  for (const auto& one : merged_intervals(all)) {
    double from_s = one.begin_s;
    while (hole < holes.size() && holes[hole].end_s <= from_s) ++hole;
    for (std::size_t i = hole; i < holes.size() && holes[i].begin_s < one.end_s; ++i) {
      total_s += std::max(0.0, holes[i].begin_s - from_s);
      from_s = std::max(from_s, holes[i].end_s);
    }
    total_s += std::max(0.0, one.end_s - from_s);
  }
  return total_s;
}

} // namespace ddlsim
