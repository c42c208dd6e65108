#include "import/trace_anatomy.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ddlsim {
namespace {

constexpr std::size_t named_shares = 5; ///< number of kernels that the notes name
constexpr double whole_in_percent = 100;

/// Returns the parts of intervals that are inside a window.
std::vector<TraceInterval> parts_inside(const std::vector<TraceInterval>& all, const TraceInterval& window) {
  std::vector<TraceInterval> kept;
  for (const auto& one : all) {
    const TraceInterval part{std::max(one.begin_s, window.begin_s), std::min(one.end_s, window.end_s)};
    if (part.end_s > part.begin_s) kept.push_back(part);
  }
  return kept;
}

bool lies_in(const TraceInterval& one, const TraceInterval& window) {
  return one.begin_s >= window.begin_s && one.begin_s < window.end_s;
}

const std::string& name_of(const KinetoTrace& trace, const TraceCall& call) {
  return trace.names.at(static_cast<std::size_t>(call.name));
}

/// Orders operators by thread and beginning. Outer ones come before the calls in them.
bool outer_first(const TraceCall* a, const TraceCall* b) {
  if (a->thread != b->thread) return a->thread < b->thread;
  if (a->interval.begin_s != b->interval.begin_s) return a->interval.begin_s < b->interval.begin_s;
  if (a->interval.end_s != b->interval.end_s) return a->interval.end_s > b->interval.end_s;
  return a->id < b->id;
}

/// Returns the time of each name without that of nested calls.
std::map<int, double> own_times_s(const std::vector<TraceCall>& calls, const TraceInterval& window) {
  std::vector<const TraceCall*> sorted;
  for (const auto& call : calls)
    if (lies_in(call.interval, window)) sorted.push_back(&call);
  std::sort(sorted.begin(), sorted.end(), outer_first);
  std::map<int, double> times_s;
  std::vector<const TraceCall*> open;
  for (const auto* call : sorted) {
    while (!open.empty() &&
           (open.back()->thread != call->thread || open.back()->interval.end_s <= call->interval.begin_s))
      open.pop_back();
    const double length_s = call->interval.end_s - call->interval.begin_s;
    times_s[call->name] += length_s;
    if (!open.empty()) times_s[open.back()->name] -= length_s;
    open.push_back(call);
  }
  return times_s;
}

std::vector<TraceShare> busiest_of(const KinetoTrace& trace, const TraceInterval& window, double steps) {
  std::map<int, double> times_s;
  for (const auto& kernel : trace.kernels)
    if (lies_in(kernel.interval, window)) times_s[kernel.name] += kernel.interval.end_s - kernel.interval.begin_s;
  if (trace.kernels.empty()) times_s = own_times_s(trace.operators, window);
  std::vector<TraceShare> shares;
  for (const auto& [name, time_s] : times_s)
    if (time_s > 0) shares.push_back({trace.names.at(static_cast<std::size_t>(name)), time_s / steps});
  std::stable_sort(shares.begin(), shares.end(),
                   [](const TraceShare& a, const TraceShare& b) { return a.time_s > b.time_s; });
  return shares;
}

/// Times in seconds of the calls of one kernel: of the calls that NCCL overlapped entirely, and of those that it did
/// not overlap.
struct KernelTimes {
  std::vector<double> beside_s;
  std::vector<double> alone_s;
};

void find_slowdown(const KinetoTrace& trace, const TraceInterval& window, TraceAnatomy& anatomy) {
  const auto nccl = parts_inside(trace.nccl, window);
  if (nccl.empty()) return;
  const TraceCover cover(nccl);
  std::map<int, KernelTimes> kernels;
  for (const auto& kernel : trace.kernels) {
    if (!lies_in(kernel.interval, window)) continue;
    const double length_s = kernel.interval.end_s - kernel.interval.begin_s;
    const double shared_s = cover.shared_s(kernel.interval);
    if (shared_s == 0) kernels[kernel.name].alone_s.push_back(length_s);
    if (shared_s >= length_s) kernels[kernel.name].beside_s.push_back(length_s);
  }
  double beside_s = 0;
  double alone_s = 0;
  for (const auto& [name, times] : kernels) {
    if (times.beside_s.empty() || times.alone_s.empty()) continue;
    const auto calls = static_cast<double>(times.beside_s.size());
    anatomy.kernels_beside_nccl += static_cast<int>(times.beside_s.size());
    beside_s += calls * mean(times.beside_s);
    alone_s += calls * mean(times.alone_s);
  }
  if (alone_s > 0) anatomy.slowdown_beside_nccl = beside_s / alone_s;
}

std::vector<double> ready_shares(const KinetoTrace& trace, const TraceInterval& step) {
  const BackwardClock clock(trace, step);
  std::vector<double> ready_s;
  for (const auto& call : trace.operators)
    if (lies_in(call.interval, step) && name_of(trace, call) == "torch::autograd::AccumulateGrad")
      ready_s.push_back(clock.worked_s(call.interval.end_s));
  std::sort(ready_s.begin(), ready_s.end());
  if (ready_s.empty() || ready_s.back() <= 0) return {};
  const double backward_s = ready_s.back();
  for (auto& one_s : ready_s) one_s /= backward_s;
  return ready_s;
}

std::string percent_text(double share) {
  return fmt::format("{:.0f} %", whole_in_percent * share);
}

} // namespace

BackwardClock::BackwardClock(const KinetoTrace& trace, const TraceInterval& step) : begin_s_(step.end_s) {
  std::map<long, double> launched_s;
  for (const auto& call : trace.operators) {
    if (!lies_in(call.interval, step)) continue;
    if (call.id >= 0) launched_s[call.id] = call.interval.begin_s;
    if (name_of(trace, call).starts_with("autograd::engine::evaluate_function"))
      begin_s_ = std::min(begin_s_, call.interval.begin_s);
  }
  for (const auto& kernel : trace.kernels)
    if (const auto at = launched_s.find(kernel.id); at != launched_s.end() && at->second >= begin_s_)
      work_.push_back({at->second, kernel.interval.end_s - kernel.interval.begin_s});
  std::sort(work_.begin(), work_.end());
  double total_s = 0;
  for (auto& [at_s, until_s] : work_) until_s = total_s += until_s;
}

double BackwardClock::worked_s(double launched_s) const {
  if (work_.empty()) return std::max(0.0, launched_s - begin_s_);
  const auto next = std::upper_bound(work_.begin(), work_.end(), launched_s,
                                     [](double at_s, const auto& work) { return at_s < work[0]; });
  return next == work_.begin() ? 0 : (*std::prev(next))[1];
}

TraceAnatomy anatomy_of(const KinetoTrace& trace, const std::vector<TraceInterval>& steps) {
  TraceAnatomy anatomy;
  if (steps.empty()) return anatomy;
  const TraceInterval window{steps.front().begin_s, steps.back().end_s};
  const auto count = static_cast<double>(steps.size());
  std::vector<TraceInterval> kernels;
  for (const auto& kernel : trace.kernels) kernels.push_back(kernel.interval);
  const auto compute = parts_inside(kernels, window);
  const auto nccl = parts_inside(trace.nccl, window);
  anatomy.input_wait_s = covered_s(parts_inside(trace.input_waits, window)) / count;
  anatomy.compute_s = covered_s(compute) / count;
  auto busy = parts_inside(trace.input_waits, window);
  busy.insert(busy.end(), compute.begin(), compute.end());
  busy.insert(busy.end(), nccl.begin(), nccl.end());
  if (!compute.empty()) anatomy.idle_s = covered_s(steps, busy) / count;
  anatomy.nccl_s = covered_s(nccl) / count;
  anatomy.exposed_s = covered_s(nccl, compute) / count;
  anatomy.busiest = busiest_of(trace, window, count);
  find_slowdown(trace, window, anatomy);
  anatomy.gradients_ready = ready_shares(trace, steps.back());
  return anatomy;
}

std::vector<std::string> to_sentences(const TraceAnatomy& anatomy) {
  const auto shown = [](double time_s) { return print_quantity(time_s, Dimension::time); };
  std::string first = fmt::format("a step waits {} for input", shown(anatomy.input_wait_s));
  if (anatomy.compute_s == 0 && anatomy.nccl_s == 0) {
    first += "; no kernel of a GPU is in the trace";
  } else {
    first += fmt::format("; kernels compute {}, NCCL's run {}, {} of it beside no other kernel (exposed)",
                         shown(anatomy.compute_s), shown(anatomy.nccl_s), shown(anatomy.exposed_s));
  }
  std::vector<std::string> sentences{first};
  if (anatomy.slowdown_beside_nccl)
    sentences.push_back(fmt::format("kernels take {:.2f} times as long while NCCL's run as the same kernels alone",
                                    *anatomy.slowdown_beside_nccl));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(named_shares, anatomy.busiest.size()); ++i)
    names.push_back(fmt::format("{} {}", in_quotes(anatomy.busiest[i].name), shown(anatomy.busiest[i].time_s)));
  if (!names.empty()) sentences.push_back("most of a step's time is in " + join_names(names));
  if (const auto& ready = anatomy.gradients_ready; !ready.empty())
    sentences.push_back(fmt::format("of {} gradients a quarter is ready after {} of backward, half after {}, three "
                                    "quarters after {}",
                                    ready.size(), percent_text(quantile(ready, 0.25)),
                                    percent_text(quantile(ready, 0.5)), percent_text(quantile(ready, 0.75))));
  return sentences;
}

std::optional<std::string> suspicion_of(const TraceAnatomy& anatomy, double step_s) {
  constexpr double most_idle =
      // share of a step, which is an expert's estimate; above it, records of other GPUs predict the time about as well
      0.2;
  if (anatomy.idle_s <= most_idle * step_s) return {};
  const auto shown = [](double time_s) { return print_quantity(time_s, Dimension::time); };
  return fmt::format("no kernel runs for {}: the processor holds the GPU up, and the profiler slows the processor, so "
                     "that without it a step takes between {} and {}",
                     shown(anatomy.idle_s), shown(step_s - anatomy.idle_s), shown(step_s));
}

} // namespace ddlsim
