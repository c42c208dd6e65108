#include "calibrate/import/traces.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

namespace ddlsim {
namespace {

using nlohmann::json;

constexpr double us_of_trace_per_s = 1e6;
constexpr int event_depth = 2;  ///< {"traceEvents": [ {event} ]}
constexpr int listed_depth = 1; ///< [ {event} ]
constexpr double most_processes = 10'000'000;

std::string text_at(const json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The times of a complete event (ph X), if both are numbers that make sense.
bool read_interval(const json& event, TraceInterval& interval) {
  const auto begin = event.find("ts");
  const auto length = event.find("dur");
  if (text_at(event, "ph") != "X" || begin == event.end() || length == event.end()) return false;
  if (!begin->is_number() || !length->is_number()) return false;
  interval.begin_s = begin->get<double>() / us_of_trace_per_s;
  interval.end_s = interval.begin_s + length->get<double>() / us_of_trace_per_s;
  return std::isfinite(interval.end_s) && interval.end_s > interval.begin_s;
}

/// Events with the names that they share.
class EventTaker {
public:
  explicit EventTaker(KinetoTrace& trace) : trace_(trace) {}

  void take(const json& event) {
    TraceInterval interval;
    if (!event.is_object() || !read_interval(event, interval)) return;
    const auto name = text_at(event, "name");
    const auto category = text_at(event, "cat");
    if (category == "kernel") {
      const bool is_nccl = name.starts_with("ncclKernel") || name.starts_with("ncclDevKernel");
      if (is_nccl) trace_.nccl.push_back(interval);
      if (!is_nccl) trace_.kernels.push_back({interval, place_of(name), 0});
    } else if (name.starts_with("ProfilerStep#") && category != "gpu_user_annotation") {
      trace_.steps.push_back(interval);
    } else if (name.starts_with("enumerate(DataLoader)")) {
      trace_.input_waits.push_back(interval);
    } else if (category == "cpu_op" || name.starts_with("aten::") || name.find("autograd::") != std::string::npos) {
      trace_.operators.push_back({interval, place_of(name), thread_of(event)});
    }
  }

private:
  static long thread_of(const json& event) {
    const auto found = event.find("tid");
    return found != event.end() && found->is_number_integer() ? found->get<long>() : 0;
  }

  int place_of(const std::string& name) {
    const auto [at, fresh] = places_.emplace(name, static_cast<int>(trace_.names.size()));
    if (fresh) trace_.names.push_back(name);
    return at->second;
  }

  KinetoTrace& trace_;
  std::map<std::string, int> places_;
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

/// Sorted, and none touches the next.
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

KinetoTrace read_kineto(const std::filesystem::path& file) {
  open_text_file(file); // tells what is wrong with a file that cannot be read
  std::ifstream stream(file, std::ios::binary);
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
