#include "calibrate/fit/collective_fit.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// Medians and widths of a transport's priors where nothing more is known of the machine.
struct PathPrior {
  const char* transport;
  double hop_s;      ///< time of one crossing of the network, or of one step of MPI
  double rate_Bps;   ///< rate of the slowest link
  double rate_width; ///< width of ln
  double of_wire;    ///< share of the wire's rate that is reached
  double of_wire_width;
};

// The priors of each transport. Latency of a hop: the shortest times of published nccl-tests give 5 us with GPUDirect,
// 22 us without, 29 us over EFA and 48 us over sockets. Open MPI takes 29 us a small step over TCP (OSU tables; Gloo is
// assumed to be like it) and about 5 us over InfiniBand. Shared memory is an expert's estimate. Rates span 10 to 400
// Gbit/s of RDMA and 1 to 100 of TCP. Shares of the wire are those of priors.json (nic_efficiency), wider for the
// machines without GPUDirect (0.4 of it).
constexpr PathPrior path_priors[] = {
    {"nccl-ib", 15e-6, 8e9, 1.0, 0.68, 0.4},
    {"nccl-tcp", 48e-6, 1.5e9, 1.0, 0.8, 0.4},
    {"mpi-ib", 5e-6, 3e9, 0.9, 0.66, 0.4},
    {"mpi-tcp", 29e-6, 0.3e9, 1.4, 0.85, 0.2},
    {"gloo-tcp", 29e-6, 0.3e9, 1.4, 0.85, 0.2},
    {"grpc", 60e-6, 0.5e9, 1.2, 0.7, 0.4},
    {"shm", 1e-6, 3e9, 0.8, 0, 0},
    {"unknown", 20e-6, 3e9, 1.5, 0.7, 0.5},
};

const PathPrior& path_prior_of(const std::string& transport) {
  for (const auto& prior : path_priors)
    if (transport == prior.transport) return prior;
  return std::end(path_priors)[-1];
}

/// time of a launch: 12 us with a process for each GPU, 35 us with one process for all
constexpr double launch_s = 20e-6;
/// time of a hop inside a node: 0.5 us over NVLink, 1 us over PCIe, 8 us on old host paths
constexpr double intra_hop_s = 2e-6;
/// rate inside a node: from 6 GB/s without peer-to-peer to 235 GB/s of NVLink 3
constexpr double intra_rate_Bps = 25e9;
constexpr double intra_rate_width = 1.2; ///< width of ln, so that both of these are within two widths
/// width of ln: launch 0.6, hops 0.4, and the uncertainty about which of them dominates
constexpr double latency_width = 0.9;
constexpr double mpi_latency_width = 0.9; ///< width of ln, which also covers the algorithm that MPI chose

bool is_all_reduce(const CollectiveKey& key) {
  return key.operation == "all_reduce";
}

/// Bytes through the slowest link over the size: 2(n-1)/n for an all-reduce, at most 1 for other operations.
double bytes_share(const CollectiveKey& key) {
  const double ranks = std::max(2, key.ranks);
  return is_all_reduce(key) ? 2 * (ranks - 1) / ranks : 1;
}

double gpu_latency_s(const CollectiveKey& key, const PathPrior& path) {
  const double ranks = std::max(2, key.ranks);
  const double nodes = std::max(1, key.nodes);
  const double passes = is_all_reduce(key) ? 2 : 1;
  const double hops = passes * (ranks - 1);
  const double crossings = nodes > 1 ? std::ceil(hops * nodes / ranks) : 0;
  return launch_s + (hops - crossings) * intra_hop_s + crossings * path.hop_s;
}

/// Sets the prior of the pipelining overlap. In a ring over NICs with GPUDirect or NVLink, pieces overlap (0.39 to 1.29
/// fitted, median 0.65). An unknown path may go through the host (0.04 to 0.16). MPI's steps hardly overlap, and its
/// switches of algorithm distort the law in either direction.
void put_pipelining(const CollectiveKey& key, AlphaBetaPrior& prior) {
  const bool network = is_gpu_library(key) && key.nodes > 1;
  prior.median[2] = network ? 0.6 : is_gpu_library(key) ? 0.5 : 0.3;
  prior.width[2] = network ? 0.5 : 0.9;
}

} // namespace

bool is_gpu_library(const CollectiveKey& key) {
  return key.library == "nccl" || key.transport.rfind("nccl", 0) == 0;
}

AlphaBetaPrior collective_prior(const CollectiveKey& key, double link_rate_Bps) {
  const auto& path = path_prior_of(key.transport);
  AlphaBetaPrior prior;
  const double steps = std::max(1.0, std::ceil(std::log2(std::max(2, key.ranks))));
  prior.median[0] = is_gpu_library(key) ? gpu_latency_s(key, path) : steps * path.hop_s;
  prior.width[0] = is_gpu_library(key) ? latency_width : mpi_latency_width;
  const bool inside = is_gpu_library(key) && key.nodes == 1;
  const bool wired = key.nodes > 1 && link_rate_Bps > 0 && path.of_wire > 0;
  prior.median[1] = (wired ? link_rate_Bps * path.of_wire : inside ? intra_rate_Bps : path.rate_Bps) / bytes_share(key);
  prior.width[1] = wired ? path.of_wire_width : inside ? intra_rate_width : path.rate_width;
  put_pipelining(key, prior);
  return prior;
}

namespace {

/// ln of the smallest jump worth reporting: the largest error allowed on a calibrated fabric.
const double least_jump = std::log(1.15);
/// The prior of the wander. In the published NCCL tables with every power of two, a size left out is predicted with an
/// error of 3 to 5 %, which is 0.08 times the square root of the distance in ln size. The prior counts as two points,
/// so that few points do not seem more exact.
constexpr double wander_before = 0.08;
constexpr double points_before = 2;

double gap(const CollectiveCurve& curve, std::size_t i) {
  return std::log(curve.points[i + 1].size_bytes / curve.points[i].size_bytes);
}

double usual_step(const CollectiveCurve& curve) {
  std::vector<double> steps;
  for (std::size_t i = 0; i + 1 < curve.points.size(); ++i)
    steps.push_back(std::abs(curve.points[i + 1].residual - curve.points[i].residual));
  if (steps.empty()) return 0;
  std::sort(steps.begin(), steps.end());
  constexpr double normal_from_median = 1.4826;
  return normal_from_median * steps[steps.size() / 2];
}

} // namespace

std::vector<CurveJump> find_jumps(const CollectiveCurve& curve) {
  std::vector<CurveJump> jumps;
  const double least = std::max(least_jump, std::min(4 * usual_step(curve), 2 * least_jump));
  for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
    const auto& from = curve.points[i];
    const auto& to = curve.points[i + 1];
    const double step = to.residual - from.residual;
    if (std::abs(step) > least) jumps.push_back({from.size_bytes, to.size_bytes, std::exp(step)});
  }
  return jumps;
}

void put_leave_one_out_errors(const std::vector<double>& errors, CollectiveCurve& curve) {
  double squares = points_before * wander_before * wander_before;
  double points = points_before;
  double sum = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double error = std::abs(errors[i]);
    sum += error;
    curve.worst_leave_one_out_error = std::max(curve.worst_leave_one_out_error, error);
    // an end is extrapolated, so its error is that of the law and not of the table
    if (i == 0 || i + 1 == errors.size()) continue;
    const double left = gap(curve, i - 1);
    const double right = gap(curve, i);
    squares += error * error * (left + right) / (left * right);
    points += 1;
  }
  curve.wander = std::sqrt(squares / points);
  curve.leave_one_out_points = static_cast<int>(errors.size());
  curve.mean_leave_one_out_error = errors.empty() ? 0 : sum / static_cast<double>(errors.size());
}

} // namespace ddlsim
