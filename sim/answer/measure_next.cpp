#include "sim/answer/measure_next.hpp"

#include "sim/answer/correlation.hpp"
#include "sim/answer/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ddlsim {
namespace {

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
      {"form_residual", "a run of this model at the largest scale at hand"},
  };
  return runs;
}

} // namespace

MeasureNext find_measure_next(const Curve& curve, int gpus, const std::vector<double>& times_s) {
  std::vector<double> log_times = times_s;
  for (double& time : log_times) time = std::log(time);
  MeasureNext next;
  next.at_gpus = gpus;
  next.interval_now = 0.5 * (quantile(log_times, high_tail) - quantile(log_times, low_tail));
  double strongest = 0;
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k) {
    std::vector<double> coordinate;
    for (std::size_t i = 0; i < log_times.size(); ++i) coordinate.push_back(curve.worlds.coordinates[i][k]);
    const double r = std::abs(correlation(coordinate, log_times));
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
