#pragma once

#include "trainer/compute/compute_source.hpp"
#include "trainer/compute/profile.hpp"
#include "trainer/describe/layer_table.hpp"

namespace ddltrain {
/// Lets this thread's timers wake it within a microsecond. Otherwise Linux groups wake-ups within 50 us (prctl(2),
/// PR_SET_TIMERSLACK). Threads and processes that it starts inherit this, so ddltrain asks for it once, at the
/// beginning.
void ask_for_exact_timers();

/// Returns when the clock of now_s() has reached `time_s`, or at once when that is past. The thread sleeps meanwhile,
/// so waits of several ranks share a core.
void wait_until(double time_s);

/// The clock by which a replay waits. Tests replace it.
struct ReplayClock {
  std::function<double()> now_s;
  std::function<void(double time_s)> wait_until; ///< returns when now_s() has reached `time_s`, or later
};

/// Returns the machine's monotonic clock.
ReplayClock machine_clock();

/// Emulated compute. Each layer's forward and backward pass is a wait until an absolute time, after which its
/// gradients, real memory of the model's sizes, are reported as ready. Late wake-ups do not add up. A `ready` that
/// takes long does not delay later layers, as it would not delay a GPU.
class ReplayCompute final : public ComputeSource {
public:
  /// Every wait is `time_scale` times as long. With a scale of K, a network of 1 Gbit/s stands for one of K Gbit/s with
  /// the same bytes and buckets, and latencies for a K-th of them. Throws UserError when a layer of the profile is not
  /// in the table, or a layer with parameters is not in the profile.
  ReplayCompute(const LayerTable& table, Profile profile, double time_scale, ReplayClock clock = machine_clock());

  const std::vector<NamedTensor>& parameters() const override { return parameters_; }
  /// The batch is not read, and gradients keep their values.
  void forward(const Batch& batch) override;
  void backward(const GradientReady& ready) override;
  double take_loss() override { return 0; }
  double time_scale() const override { return time_scale_; }
  bool emulated() const override { return true; }

  const Profile& profile() const { return profile_; }

private:
  struct Pause {
    double end_s = 0; ///< end after the beginning of the pass, not stretched
    std::vector<std::size_t> ready;
  };

  Profile profile_;
  double time_scale_;
  ReplayClock clock_;
  std::vector<NamedTensor> parameters_;
  std::vector<double> forward_ends_s_;
  std::vector<Pause> backward_;
  double turn_s_ = 0; ///< time at which backward was planned to begin
};

} // namespace ddltrain
