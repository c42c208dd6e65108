#include "sim/iteration/timeline.hpp"

#include "sim/iteration/buckets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ddlsim {
namespace {

/// Compute beside the communication stream: at which time how much of it is done.
class Compute {
public:
  Compute(double total_s, double interference) : total_s_(total_s), busy_pace_(1 / (1 + interference)) {}

  double now_s() const { return now_s_; }
  double done_s() const { return done_s_; }
  double end_s() const { return end_s_ >= 0 ? end_s_ : now_s_ + (total_s_ - done_s_); }

  void idle_until_done(double done_s) { advance(std::max(0.0, std::min(done_s, total_s_) - done_s_), 1); }
  void idle_until(double time_s) { advance(std::max(0.0, time_s - now_s_), 1); }
  void communicate(double duration_s) { advance(duration_s, busy_pace_); }

private:
  void advance(double time_s, double pace) {
    const double left_s = total_s_ - done_s_;
    if (end_s_ < 0 && time_s * pace >= left_s) end_s_ = now_s_ + left_s / pace;
    done_s_ = end_s_ < 0 ? done_s_ + time_s * pace : total_s_;
    now_s_ += time_s;
  }

  double total_s_;
  double busy_pace_;
  double now_s_ = 0;
  double done_s_ = 0;
  double end_s_ = -1; ///< negative: compute still runs
};

/// Tensors [first, last) of the profile as one operation.
struct Group {
  std::size_t first = 0;
  std::size_t last = 0;
  double size_bytes = 0;
};

Group take(const ComputeProfile& profile, std::size_t first, std::size_t end,
           const std::function<bool(const Group&)>& full) {
  Group group{first, first, 0};
  while (group.last < end && !(group.last > first && full(group)))
    group.size_bytes += profile.tensors[group.last++].size_bytes;
  return group;
}

/// Groups known before the iteration starts.
std::vector<Group> fixed_groups(const ComputeProfile& profile, const Preset& preset) {
  std::vector<double> tensor_bytes;
  tensor_bytes.reserve(profile.tensors.size());
  for (const auto& tensor : profile.tensors) tensor_bytes.push_back(tensor.size_bytes);
  double first_cap_bytes = preset.first_bucket_bytes * profile.wire_share;
  double cap_bytes = preset.bucket_bytes * profile.wire_share;
  if (preset.grouping == Grouping::per_tensor) first_cap_bytes = cap_bytes = 0;
  if (preset.grouping == Grouping::single) first_cap_bytes = cap_bytes = std::numeric_limits<double>::infinity();
  const auto ends = bucket_ends(tensor_bytes, first_cap_bytes, cap_bytes);
  std::vector<Group> groups;
  for (const std::size_t end : ends) {
    const std::size_t first = groups.empty() ? 0 : groups.back().last;
    groups.push_back({first, end,
                      std::accumulate(tensor_bytes.begin() + static_cast<std::ptrdiff_t>(first),
                                      tensor_bytes.begin() + static_cast<std::ptrdiff_t>(end), 0.0)});
  }
  return groups;
}

void run_group(const Group& group, Compute& compute, const OperationTime& operation, Timeline& timeline) {
  const int tensors = static_cast<int>(group.last - group.first);
  const double start_s = compute.now_s();
  compute.communicate(operation(group.size_bytes, tensors));
  timeline.groups.push_back({group.size_bytes, tensors, start_s, compute.now_s()});
}

void run_fixed(const ComputeProfile& profile, const Preset& preset, Compute& compute, const OperationTime& operation,
               Timeline& timeline) {
  const bool after_backward = !preset.overlapped || preset.grouping == Grouping::single;
  for (const auto& group : fixed_groups(profile, preset)) {
    compute.idle_until_done(after_backward ? profile.total_s() : profile.tensors[group.last - 1].ready_s);
    run_group(group, compute, operation, timeline);
  }
}

/// Horovod's background loop: a tick collects what is ready, fuses, reduces; the next tick is a cycle later or when
/// that is done.
void run_fusion(const ComputeProfile& profile, const Preset& preset, Compute& compute, const OperationTime& operation,
                Timeline& timeline) {
  std::size_t next = 0;
  double tick_s = preset.cycle_s;
  while (next < profile.tensors.size()) {
    const double ready_s = preset.overlapped ? profile.tensors[next].ready_s : profile.total_s();
    const double wait_s = std::max(0.0, compute.now_s() + std::max(0.0, ready_s - compute.done_s()) - tick_s);
    tick_s += preset.cycle_s > 0 ? std::ceil(wait_s / preset.cycle_s) * preset.cycle_s : wait_s;
    compute.idle_until(tick_s);
    std::size_t end = next;
    while (end < profile.tensors.size() && (end == next || profile.tensors[end].ready_s <= compute.done_s())) ++end;
    while (next < end) {
      const auto group = take(profile, next, end, [&](const Group& taken) {
        return taken.size_bytes + profile.tensors[taken.last].size_bytes > preset.bucket_bytes;
      });
      run_group(group, compute, operation, timeline);
      next = group.last;
    }
    tick_s = std::max(tick_s + preset.cycle_s, compute.now_s());
  }
}

} // namespace

Timeline run_timeline(const ComputeProfile& profile, const Preset& preset, double interference,
                      const OperationTime& operation) {
  Compute compute(profile.total_s(), interference);
  Timeline timeline;
  if (preset.grouping == Grouping::fusion) {
    run_fusion(profile, preset, compute, operation, timeline);
  } else {
    run_fixed(profile, preset, compute, operation, timeline);
  }
  timeline.compute_end_s = compute.end_s();
  timeline.end_s = std::max(timeline.compute_end_s, compute.now_s());
  return timeline;
}

double input_s(const InputPipeline& input, const Storage& storage, int nodes, double samples_per_node) {
  const double bytes = samples_per_node * input.bytes_per_sample;
  double longest_s = 0;
  if (input.loader_samples_per_s > 0) longest_s = samples_per_node / input.loader_samples_per_s;
  if (storage.read_bandwidth_Bps > 0) longest_s = std::max(longest_s, bytes / storage.read_bandwidth_Bps);
  if (input.shared_read_Bps > 0) longest_s = std::max(longest_s, nodes * bytes / input.shared_read_Bps);
  return longest_s;
}

} // namespace ddlsim
