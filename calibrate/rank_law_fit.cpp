#include "calibrate/collective_priors.hpp"
#include "calibrate/rank_law.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace ddlsim {
namespace {

constexpr std::size_t count = rank_constants;

using Vector = Eigen::Matrix<double, 6, 1>;
using Matrix = Eigen::Matrix<double, 6, 6>;

struct Prior6 {
  std::array<double, count> median{};
  std::array<double, count> width{};
};

struct Point {
  LawSample sample;
  int ranks = 0;
  int nodes = 0;
};

constexpr double freedom = 4;        ///< of the Student-t residuals, as of one curve
constexpr double scale_before = 0.1; ///< rank counts are told apart by path, not only by number: DeepBench 5-9 %
constexpr int most_steps = 200;

/// ln time, and its slopes over the logarithms of the constants.
std::pair<double, Vector> log_time(const std::array<double, count>& x, bool tree, const Point& at) {
  const auto shape = rank_shape(tree, at.ranks, at.nodes);
  const double latency = x[launch_s] + shape.intra_hops * x[intra_hop_s] + shape.network_hops * x[network_hop_s];
  const double inside = shape.intra_bytes / x[intra_rate_Bps];
  const double across = shape.nic_bytes / x[nic_rate_Bps];
  const double rate = 1 / std::max(inside, across);
  const double transfer = at.sample.size_bytes / rate;
  const auto slope = law_sensitivities(latency, rate, x[rank_pipelining], at.sample.size_bytes);
  Vector slopes = Vector::Zero();
  slopes[launch_s] = slope[0] * x[launch_s] / latency;
  slopes[intra_hop_s] = slope[0] * shape.intra_hops * x[intra_hop_s] / latency;
  slopes[network_hop_s] = slope[0] * shape.network_hops * x[network_hop_s] / latency;
  slopes[inside > across ? intra_rate_Bps : nic_rate_Bps] = slope[1];
  slopes[rank_pipelining] = slope[2];
  return {std::log(latency + transfer + 2 * x[rank_pipelining] * std::sqrt(latency * transfer)), slopes};
}

std::array<double, count> exponentials(const Vector& logs) {
  std::array<double, count> values{};
  for (std::size_t i = 0; i < count; ++i) values[i] = std::exp(logs[static_cast<Eigen::Index>(i)]);
  return values;
}

struct Fitted {
  Vector logs;
  Matrix stiffness;
  double scale = 0.3;
  double loss = 0;
};

Vector pull_of_prior(const Vector& logs, const Prior6& prior) {
  Vector distance;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    distance[at] = (logs[at] - std::log(prior.median[i])) / prior.width[i];
  }
  return distance;
}

double loss_of(const std::vector<Point>& points, const Prior6& prior, bool tree, const Vector& logs, double scale) {
  const double before = scale_before / scale;
  double loss = pull_of_prior(logs, prior).squaredNorm() / 2 + before * before / 2 + std::log(scale);
  const auto values = exponentials(logs);
  for (const auto& point : points) {
    const double r = (std::log(point.sample.time_s) - log_time(values, tree, point).first) / scale;
    loss += (freedom + 1) / 2 * std::log1p(r * r / freedom) + std::log(scale);
  }
  return loss;
}

/// Normal equations and the next scale of the residuals at a state.
struct Equations {
  Matrix stiffness = Matrix::Zero();
  Vector pull = Vector::Zero();
  double next_scale = 0;
};

Equations equations_at(const std::vector<Point>& points, const Prior6& prior, bool tree, const Fitted& at) {
  Equations equations;
  const auto values = exponentials(at.logs);
  double squares = scale_before * scale_before;
  for (const auto& point : points) {
    const auto [log_s, slope] = log_time(values, tree, point);
    const double r = std::log(point.sample.time_s) - log_s;
    const double weight = (freedom + 1) / (freedom + r * r / (at.scale * at.scale));
    equations.stiffness += weight / (at.scale * at.scale) * slope * slope.transpose();
    equations.pull += weight / (at.scale * at.scale) * r * slope;
    squares += weight * r * r;
  }
  const Vector distance = pull_of_prior(at.logs, prior);
  for (std::size_t i = 0; i < count; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    equations.stiffness(k, k) += 1 / (prior.width[i] * prior.width[i]);
    equations.pull[k] -= distance[k] / prior.width[i];
  }
  equations.next_scale = std::sqrt(squares / static_cast<double>(points.size() + 1));
  return equations;
}

Fitted fit_form(const std::vector<Point>& points, const Prior6& prior, bool tree) {
  Fitted at;
  for (std::size_t i = 0; i < count; ++i) at.logs[static_cast<Eigen::Index>(i)] = std::log(prior.median[i]);
  double damping = 1e-2;
  for (int step = 0; step < most_steps; ++step) {
    const auto equations = equations_at(points, prior, tree, at);
    at.stiffness = equations.stiffness;
    const double loss = loss_of(points, prior, tree, at.logs, at.scale);
    Matrix stiff = equations.stiffness;
    stiff.diagonal() *= 1 + damping;
    const Vector move = stiff.ldlt().solve(equations.pull).cwiseMax(-1.0).cwiseMin(1.0);
    const bool better = loss_of(points, prior, tree, at.logs + move, at.scale) <= loss;
    if (better) at.logs += move;
    damping = better ? std::max(damping / 5, 1e-9) : damping * 5;
    at.scale = better ? equations_at(points, prior, tree, at).next_scale : at.scale;
    at.loss = loss_of(points, prior, tree, at.logs, at.scale);
    constexpr double small_gain = 1e-10, stuck = 1e9;
    if ((better && loss - at.loss < small_gain) || damping > stuck) break;
  }
  return at;
}

Prior6 prior_of(const CollectiveKey& key, double link_rate_Bps) {
  // The medians of one curve's prior, taken apart: on one node, and what the network adds on two nodes of two ranks.
  auto inside = key;
  inside.nodes = 1;
  inside.ranks = 2;
  auto across = key;
  across.nodes = 2;
  across.ranks = 2;
  const auto near = collective_prior(inside, 0);
  const auto far = collective_prior(across, link_rate_Bps);
  constexpr double hop_s = 2e-6; // 0.5 us over NVLink to 8 us on old host paths
  const double start_s = std::max(near.median[0] - 2 * hop_s, near.median[0] / 2);
  const double crossing_s = std::max((far.median[0] - start_s) / 2, far.median[0] / 4);
  return {{start_s, hop_s, crossing_s, near.median[1], far.median[1], far.median[2]},
          {0.6, 1.0, 0.6, near.width[1], far.width[1], far.width[2]}};
}

std::string program_of(std::string series) {
  series.erase(std::remove_if(series.begin(), series.end(), [](char c) { return c >= '0' && c <= '9'; }), series.end());
  return series;
}

/// Curves of one program; on one node records need not name the transport, which is then that of the others.
struct Pool {
  CollectiveKey key; ///< of its largest scale
  std::vector<Point> points;
  std::vector<std::array<int, 2>> scales;
};

void add(Pool& pool, const CollectiveFit& fit) {
  const auto& key = fit.curve.key;
  pool.scales.push_back({key.ranks, key.nodes});
  if (std::tie(key.nodes, key.ranks) > std::tie(pool.key.nodes, pool.key.ranks)) pool.key = key;
  for (const auto& sample : fit.samples) pool.points.push_back({sample, key.ranks, key.nodes});
}

std::vector<Pool> pools_of(const CollectiveFits& fits) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Pool> pools;
  for (const auto& fit : fits.fits) {
    const auto& key = fit.curve.key;
    if (key.operation == "all_reduce")
      add(pools[{key.cluster, program_of(key.series), key.library, key.algorithm}], fit);
  }
  std::vector<Pool> several;
  for (auto& [name, pool] : pools) {
    std::sort(pool.scales.begin(), pool.scales.end());
    pool.scales.erase(std::unique(pool.scales.begin(), pool.scales.end()), pool.scales.end());
    if (pool.scales.size() > 1) several.push_back(std::move(pool));
  }
  return several;
}

Fitted best_form(const std::vector<Point>& points, const Prior6& prior, const std::string& algorithm, bool& tree) {
  if (algorithm == "ring" || algorithm == "tree") {
    tree = algorithm == "tree";
    return fit_form(points, prior, tree);
  }
  const auto ring = fit_form(points, prior, false);
  const auto other = fit_form(points, prior, true);
  tree = other.loss < ring.loss;
  return tree ? other : ring;
}

/// Each rank count from the others.
void put_left_out(const Pool& pool, const Prior6& prior, RankLaw& law) {
  double sum = 0;
  for (const auto& scale : pool.scales) {
    std::vector<Point> others, left;
    for (const auto& point : pool.points)
      (point.ranks == scale[0] && point.nodes == scale[1] ? left : others).push_back(point);
    bool tree = false;
    const auto fitted = best_form(others, prior, pool.key.algorithm, tree);
    double of_scale = 0;
    for (const auto& point : left) {
      const double error =
          std::abs(log_time(exponentials(fitted.logs), tree, point).first - std::log(point.sample.time_s));
      of_scale += error / static_cast<double>(left.size());
      law.worst_left_out_error = std::max(law.worst_left_out_error, error);
    }
    sum += of_scale;
  }
  law.mean_left_out_error = sum / static_cast<double>(pool.scales.size());
}

RankLaw law_of(const Pool& pool, const CollectiveFitOptions& options) {
  constexpr double identified_share = 0.7;
  const auto prior = prior_of(pool.key, options.link_rate_Bps);
  RankLaw law;
  law.cluster = pool.key.cluster;
  law.program = program_of(pool.key.series);
  law.transport = pool.key.transport;
  law.library = pool.key.library;
  law.scales = pool.scales;
  const auto fitted = best_form(pool.points, prior, pool.key.algorithm, law.tree);
  const auto values = exponentials(fitted.logs);
  const Matrix covariance = fitted.stiffness.inverse();
  for (std::size_t i = 0; i < count; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const double error = std::sqrt(covariance(k, k));
    law.constants[i] = {values[i], error, error < identified_share * prior.width[i]};
  }
  for (const auto& point : pool.points)
    law.spread += std::pow(log_time(values, law.tree, point).first - std::log(point.sample.time_s), 2);
  law.spread = std::sqrt(law.spread / static_cast<double>(pool.points.size()));
  if (options.leave_one_out) put_left_out(pool, prior, law);
  return law;
}

} // namespace

std::vector<RankLaw> fit_rank_laws(const CollectiveFits& fits, const CollectiveFitOptions& options) {
  std::vector<RankLaw> laws;
  for (const auto& pool : pools_of(fits)) laws.push_back(law_of(pool, options));
  return laws;
}

} // namespace ddlsim
