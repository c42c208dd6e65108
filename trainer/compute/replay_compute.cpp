#include "trainer/compute/replay_compute.hpp"

#include "sim/base/error.hpp"
#include "trainer/records/statistics.hpp"

#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cmath>
#include <ctime>
#include <map>

namespace ddltrain {
void ask_for_exact_timers() {
  constexpr unsigned long slack_ns = 1000;
  ::prctl(PR_SET_TIMERSLACK, slack_ns);
}

void wait_until(double time_s) {
  constexpr double nanoseconds = 1e9;
  const double whole = std::floor(time_s);
  timespec time{};
  time.tv_sec = static_cast<std::time_t>(whole);
  time.tv_nsec = static_cast<long>((time_s - whole) * nanoseconds);
  // steady_clock is CLOCK_MONOTONIC in libstdc++ on Linux.
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

ReplayClock machine_clock() {
  return {now_s, wait_until};
}

namespace {

at::Tensor parameter_with_gradient(const TensorRow& row) {
  at::Tensor parameter = at::zeros(row.shape, at::TensorOptions().dtype(at::kFloat));
  parameter.requires_grad_(true);
  parameter.mutable_grad() = at::zeros(row.shape, at::TensorOptions().dtype(at::kFloat));
  return parameter;
}

std::map<std::string, LayerTime> times_by_layer(const Profile& profile) {
  std::map<std::string, LayerTime> times;
  for (const LayerTime& time : profile.layers) times[time.layer] = time;
  return times;
}

void check_names(const LayerTable& table, std::map<std::string, LayerTime> times, const Profile& profile) {
  for (const LayerRow& row : table) {
    if (times.erase(row.name) == 0 && !row.tensors.empty()) {
      throw ddlsim::UserError(
          "", "",
          fmt::format("the profile of {} has no time for layer {}; write it anew with ddltrain profile or "
                      "ddltrain layers",
                      profile.model, row.name));
    }
  }
  if (!times.empty()) {
    throw ddlsim::UserError(
        "", "", fmt::format("the profile times layer {}, which {} does not have", times.begin()->first, profile.model));
  }
}

} // namespace

ReplayCompute::ReplayCompute(const LayerTable& table, Profile profile, double time_scale, ReplayClock clock)
    : profile_(std::move(profile)), time_scale_(time_scale), clock_(std::move(clock)) {
  const auto times = times_by_layer(profile_);
  check_names(table, times, profile_);
  if (!(time_scale > 0))
    throw ddlsim::UserError("", "", fmt::format("a time scale of {}; give a number above 0", time_scale));
  const auto time_of = [&times](const std::string& layer) {
    const auto found = times.find(layer);
    return found == times.end() ? LayerTime{} : found->second;
  };
  double forward_s = 0;
  std::vector<std::vector<std::size_t>> tensors_of_row;
  for (const LayerRow& row : table) {
    forward_ends_s_.push_back(forward_s += time_of(row.name).forward_s);
    auto& tensors = tensors_of_row.emplace_back();
    for (const TensorRow& tensor : row.tensors) {
      tensors.insert(tensors.begin(), parameters_.size()); // the last comes first, as in the layers
      parameters_.push_back({tensor.name, parameter_with_gradient(tensor)});
    }
  }
  double backward_s = 0;
  for (std::size_t i = table.size(); i-- > 0;) {
    backward_s += time_of(table[i].name).backward_s;
    backward_.push_back({backward_s, tensors_of_row[i]});
  }
}

void ReplayCompute::forward(const Batch& /*batch*/) {
  const double start_s = clock_.now_s();
  for (const double end_s : forward_ends_s_) clock_.wait_until(start_s + time_scale_ * end_s);
  // This is the planned time. The delay of the last forward wait is not added.
  turn_s_ = start_s + time_scale_ * (forward_ends_s_.empty() ? 0 : forward_ends_s_.back());
}

void ReplayCompute::backward(const GradientReady& ready) {
  for (const Pause& pause : backward_) {
    clock_.wait_until(turn_s_ + time_scale_ * pause.end_s);
    for (const std::size_t index : pause.ready) {
      if (ready) ready(index);
    }
  }
}

} // namespace ddltrain
