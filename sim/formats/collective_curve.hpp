#pragma once
// Time of a collective (or of a message) over its size, as fitted to measurements: one curve of calibration.json.

#include <array>
#include <compare>
#include <string>
#include <vector>

namespace ddlsim {

/// Identifies a curve; curves are sorted by these fields in this order. `series` separates programs: curves that differ
/// only in it are never pooled.
struct CollectiveKey {
  std::string cluster;
  std::string transport; ///< "unknown" where the records do not state it
  std::string library;
  std::string operation; ///< all_reduce, ..., or point_to_point
  std::string algorithm; ///< "unknown" where the library chose
  std::string series;
  int ranks = 0; ///< 2 of point_to_point
  int nodes = 0; ///< number of nodes; 0: not stated (point_to_point)
  auto operator<=>(const CollectiveKey&) const = default;
};

/// A fitted constant; its logarithm has a normal distribution around ln(value).
struct AlphaBetaConstant {
  double value = 0;
  double error = 0;        ///< standard deviation of its logarithm after the fit
  bool identified = false; ///< measurements determine it, not only the prior
};

/// A jump of the measured time against the fit between two neighbouring sizes: a switch of protocol or algorithm.
struct CurveJump {
  double from_bytes = 0; ///< neighbouring measured sizes
  double to_bytes = 0;
  double factor = 1; ///< by which the time grows more than the fit
};

struct CollectivePoint {
  double size_bytes = 0;
  double residual = 0; ///< ln(measured / fit)
};

/// t(S) = [a + S/B + 2 overlap sqrt(a S/B)] exp(r(ln S)): the time of a pipelined transfer whose pieces have the best
/// size (overlap 1: (sqrt a + sqrt(S/B))^2; overlap 0: latency plus size over rate), times a table of residuals r.
struct CollectiveCurve {
  CollectiveKey key;
  AlphaBetaConstant latency_s;         ///< a
  AlphaBetaConstant rate_Bps;          ///< B: size over time of a very large transfer, not the rate of a link
  AlphaBetaConstant pipelining;        ///< overlap
  std::array<double, 3> correlation{}; ///< correlations of the logarithms: (a, B), (a, overlap), (B, overlap)
  std::vector<CollectivePoint> points; ///< ascending by size; empty: the prior alone
  double noise = 0;                    ///< standard deviation of ln of one measured time
  double wander = 0;                   ///< random walk of r: standard deviation per square root of an e-fold of size
  double fit_spread = 0;               ///< standard deviation of ln(measured / fit without the table)
  double mean_leave_one_out_error = 0; ///< |ln(predicted / measured)|, each size from the others; 0: not known
  double worst_leave_one_out_error = 0;
  int leave_one_out_points = 0;     ///< number behind the two errors: all sizes, if there are three or more
  std::vector<CurveJump> jumps;     ///< samples, ascending by size
  std::vector<std::string> sources; ///< "FILE.jsonl:12-36"
};

/// The fit without the table of residuals. size_bytes >= 0.
double alpha_beta_s(const CollectiveCurve& curve, double size_bytes);

/// Between measured sizes, the fit times the table, interpolated linearly in logarithms. Beyond them, the fit alone,
/// shifted to pass through the last measured point. size_bytes >= 0.
double collective_time_s(const CollectiveCurve& curve, double size_bytes);

/// Standard deviation of ln of collective_time_s(): the noise, and a random walk over ln size that is fixed at the
/// measured sizes. Between two of them its variance is wander^2 x left x right / (left + right), with the distances in
/// ln size. Beyond the last it is wander^2 x distance, plus the effect of the constants' errors on the way from there.
double collective_time_error(const CollectiveCurve& curve, double size_bytes);

/// Sensitivities d ln(fit) / d ln(a, B, overlap) at a size: how the errors of the constants affect the time.
std::array<double, 3> alpha_beta_sensitivities(double latency_s, double rate_Bps, double pipelining, double size_bytes);

} // namespace ddlsim
