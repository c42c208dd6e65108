#include "sim/base/statistics.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ddlsim {
namespace {

/// Samples behind the interval of the largest efficient scale: its ends are whole nodes, which 5 samples beyond each
/// end place well enough.
constexpr std::size_t samples_of_largest_scale = 100;

/// A curve that has fallen to half of the bound is not followed further: no term of the model brings it back that far.
constexpr double lost_share = 0.5;

int largest_scale_inside_node(const Curve& curve, const Parameters& sample, double bound) {
  int gpus = std::min(curve.gpus_per_full_node, curve.growth_gpus);
  while (gpus > 1 && efficiency(curve, sample, gpus) < bound) --gpus;
  return gpus;
}

int largest_scale_of_sample(const Curve& curve, const Parameters& sample, double bound) {
  const int per_node = curve.gpus_per_full_node;
  const int most = std::max(1, curve.growth_gpus / per_node);
  const auto holds = [&](int nodes) { return efficiency(curve, sample, nodes * per_node) >= bound; };
  int good = 0;
  int bad = 0;
  for (int nodes = 1; nodes <= most; nodes = nodes < most ? std::min(2 * nodes, most) : most + 1) {
    const double reached = efficiency(curve, sample, nodes * per_node);
    if (reached >= bound) {
      good = nodes;
      bad = 0;
    } else if (bad == 0) {
      bad = nodes;
    }
    if (reached < lost_share * bound) break;
  }
  if (good == 0) return largest_scale_inside_node(curve, sample, bound);
  while (bad > good + 1) {
    const int middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good * per_node;
}

/// What a person would run to learn a parameter.
const std::map<std::string, std::string>& measurements_of_parameters() {
  static const std::map<std::string, std::string> runs{
      {"compute_factor", "one GPU with this model, precision and batch, without synchronisation"},
      {"forward_share", "forward and backward of one GPU, timed apart"},
      {"interference", "one node with and without overlap"},
      {"nic_efficiency", "an all-reduce sweep over two or three nodes (nccl-tests all_reduce_perf, 1 MiB to 256 MiB)"},
      {"socket_rate",
       "an all-reduce sweep over two or three nodes with all GPUs (nccl-tests all_reduce_perf, 1 MiB to 256 MiB)"},
      {"net_latency", "small all-reduces over two or three nodes (nccl-tests all_reduce_perf, 4 B to 64 KiB)"},
      {"link_spread", "the same all-reduce sweep over two nodes and over all nodes at hand"},
      {"intra_efficiency", "an all-reduce sweep inside one node (nccl-tests all_reduce_perf, 1 MiB to 256 MiB)"},
      {"intra_latency_factor", "small all-reduces inside one node (nccl-tests all_reduce_perf, 4 B to 64 KiB)"},
      {"operation_cost", "all-reduces of 4 B inside one node"},
      {"tensor_cost", "a small model beside a large one on one node"},
      {"tensor_cost_slope", "a small model on one node, two nodes and four"},
      {"sync_on", "two GPUs of one node against one"},
      {"second_node_jump", "two nodes against one"},
      {"step_spread", "step times of every node over some hundred steps"},
      {"server_process_rate", "two servers, all workers pushing and pulling the largest tensor"},
      {"server_connection_rate", "one worker and one server, push and pull of a large tensor"},
      {"server_duplex", "one worker and one server, push and pull at once against push alone"},
      {"server_message_cost", "one worker and one server, many small tensors"},
      {"model_discrepancy", "a run of this model at the largest scale at hand"},
  };
  return runs;
}

} // namespace

LargestEfficientScale find_largest_efficient_scale(const Curve& curve, double efficiency_bound) {
  LargestEfficientScale largest_scale;
  largest_scale.gpus = largest_scale_of_sample(curve, curve.median, efficiency_bound);
  std::vector<int> largest_scales;
  const std::size_t stride = std::max<std::size_t>(1, curve.samples.values.size() / samples_of_largest_scale);
  for (std::size_t i = 0; i < curve.samples.values.size(); i += stride)
    largest_scales.push_back(largest_scale_of_sample(curve, curve.samples.values[i], efficiency_bound));
  std::sort(largest_scales.begin(), largest_scales.end());
  const auto at = [&](double probability) { // the nearest sample's own scale: a whole node
    return largest_scales[static_cast<std::size_t>(
        std::lround(probability * static_cast<double>(largest_scales.size() - 1)))];
  };
  largest_scale.gpus_low = std::min(largest_scale.gpus, at(low_tail));
  largest_scale.gpus_high = std::max(largest_scale.gpus, at(high_tail));
  largest_scale.beyond_growth = largest_scale.gpus + curve.gpus_per_full_node > curve.growth_gpus;
  largest_scale.bottleneck =
      time_step(at_scale(curve, largest_scale.gpus), curve.median, Fidelity::screening).largest_loss;
  return largest_scale;
}

MeasureNext find_measure_next(const Curve& curve, int gpus, const std::vector<double>& times_s) {
  std::vector<double> log_times = times_s;
  for (double& time : log_times) time = std::log(time);
  MeasureNext next;
  next.at_gpus = gpus;
  next.interval_now = 0.5 * (quantile(log_times, high_tail) - quantile(log_times, low_tail));
  double strongest = 0;
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k) {
    std::vector<double> z_score;
    for (std::size_t i = 0; i < log_times.size(); ++i) z_score.push_back(curve.samples.z_scores[i][k]);
    const double r = std::abs(correlation(z_score, log_times));
    if (r <= strongest) continue;
    strongest = r;
    next.parameter = fields[k].name;
  }
  if (next.parameter.empty()) return next;
  next.what = measurements_of_parameters().at(next.parameter);
  next.interval_then = next.interval_now * width_left(strongest);
  return next;
}

} // namespace ddlsim
