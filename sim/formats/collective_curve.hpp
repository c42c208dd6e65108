#pragma once
// Time of a collective (or a message) over its size, as measurements taught it: one curve of calibration.json.

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <compare>
#include <string>
#include <vector>

namespace ddlsim {

class JsonNode;

/// What a curve holds for; curves are listed in the order of these. `series` keeps programs apart: curves of one key
/// but another series are never pooled.
struct CollectiveKey {
  std::string cluster;
  std::string transport; ///< "unknown" where the records do not state it
  std::string library;
  std::string operation; ///< all_reduce, ..., or point_to_point
  std::string algorithm; ///< "unknown" where the library chose
  std::string series;
  int ranks = 0; ///< 2 of point_to_point
  int nodes = 0; ///< 0: not stated (point_to_point)
  auto operator<=>(const CollectiveKey&) const = default;
};

/// A fitted constant: its logarithm is normal about ln(value).
struct AlphaBetaConstant {
  double value = 0;
  double error = 0;        ///< standard deviation of its logarithm after the fit
  bool identified = false; ///< decided by the measurements, not by the prior
};

/// Where the measured time leaves the fit between one size and the next: a switch of protocol or algorithm.
struct CurveJump {
  double from_bytes = 0; ///< neighbouring measured sizes
  double to_bytes = 0;
  double factor = 1; ///< by which the time grows beyond the fit
};

struct CollectivePoint {
  double size_bytes = 0;
  double residual = 0; ///< ln(measured / fit)
};

/// t(S) = [a + S/B + 2 overlap sqrt(a S/B)] exp(r(ln S)): the cost of a pipelined transfer whose pieces are chosen well
/// (overlap 1: (sqrt a + sqrt(S/B))^2; overlap 0: a latency and a rate), times a table of residuals.
struct CollectiveCurve {
  CollectiveKey key;
  AlphaBetaConstant latency_s;         ///< a
  AlphaBetaConstant rate_Bps;          ///< B: size over time of a very large one, not a link's rate
  AlphaBetaConstant pipelining;        ///< overlap
  std::array<double, 3> correlation{}; ///< of the logarithms: (a, B), (a, overlap), (B, overlap)
  std::vector<CollectivePoint> points; ///< ascending by size; empty: the prior alone
  double noise = 0;                    ///< standard deviation of ln of one measured time about the truth
  double wander = 0;                   ///< of r: standard deviation per square root of an e-fold of size
  double fit_spread = 0;               ///< standard deviation of ln(measured / fit without the table)
  double mean_leave_one_out_error = 0; ///< |ln(predicted / measured)|, each size from the others; 0: not known
  double worst_leave_one_out_error = 0;
  int leave_one_out_points = 0;     ///< behind the two errors: all sizes, where there are three or more
  std::vector<CurveJump> jumps;     ///< ascending by size
  std::vector<std::string> sources; ///< "FILE.jsonl:12-36"
};

/// The fit without its table. size_bytes >= 0.
double alpha_beta_s(const CollectiveCurve& curve, double size_bytes);

/// Between measured sizes the fit times the table, straight in logarithms; beyond them the fit alone, moved onto the
/// last measured point. size_bytes >= 0.
double collective_time_s(const CollectiveCurve& curve, double size_bytes);

/// Standard deviation of ln of collective_time_s: the noise and a random walk of ln size, held at the measured sizes.
/// Between two of them its variance is wander^2 x left x right / (left + right), the distances in ln size; beyond the
/// last, wander^2 x distance, and how far the errors of the constants move it from there.
double collective_time_error(const CollectiveCurve& curve, double size_bytes);

/// Sensitivities d ln(fit) / d ln(a, B, overlap) at a size: the effect of a constant's error on the time.
std::array<double, 3> alpha_beta_sensitivities(double latency_s, double rate_Bps, double pipelining, double size_bytes);

/// One curve of a document; notes its mistakes at the place.
CollectiveCurve collective_curve_from(const JsonNode& node);
/// With six digits, residuals to a thousandth.
nlohmann::ordered_json collective_curve_json(const CollectiveCurve& curve);

} // namespace ddlsim
