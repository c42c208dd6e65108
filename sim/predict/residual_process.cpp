#include "sim/predict/residual_process.hpp"

#include "sim/base/linear_algebra.hpp"
#include "sim/library/collective_cost.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ddlsim {

namespace {

/// The factor on a correlation for two quantities that are some doublings apart; 1 when one of them is not stated.
double alike_over(const ResidualProcess& process, double a, double b) {
  return a > 0 && b > 0 ? std::pow(process.per_doubling, std::abs(std::log2(a / b))) : 1;
}

/// Standard deviations of ln(measured / model): at all sizes, and what a balance of latency and bandwidth adds.
struct SpreadOfTables {
  double everywhere = 0;
  double balanced = 0;
};

/// Tables inside an NVLink domain, their site left out: 0.05 to 0.12 by class of size, the most at 4 MiB.
constexpr SpreadOfTables in_a_domain{0.08, 0.06};
/// Tables of two nodes, their site left out: 0.1 to 0.3 by class of size, beside what latency and NIC leave open.
constexpr SpreadOfTables between_nodes{0.12, 0.2};
/// No table has two NVLink domains of several nodes. Judgement: the limit of the channels is within a factor of 2.
constexpr SpreadOfTables between_domains{0.4, 0.2};

void put_spread_of_tables(const NcclJob& job, ResidualProcess& process) {
  if (job.nodes == 1 && job.intra == NcclHop::pci) return;
  const auto& tables = job.nodes == 1 ? in_a_domain : job.domain_nodes > 1 ? between_domains : between_nodes;
  process.spread = tables.everywhere;
  process.balanced_spread = tables.balanced;
}

} // namespace

ResidualProcess residual_process_of(const ModelConstants& constants) {
  return {usual_residual, constants.residual_persistent_share, constants.residual_per_doubling,
          constants.residual_across_boundary, constants.residual_growth};
}

ResidualProcess all_reduce_process(const ModelConstants& constants, const LibraryRules& rules) {
  const bool by_nccl = rules.library.library == CollectiveLibrary::nccl;
  auto process = residual_process_of(constants);
  process.spread = by_nccl ? constants.transfer_noise : constants.host_all_reduce_noise;
  process.balanced_spread = by_nccl ? constants.latency_bandwidth_noise : 0;
  if (is_timed(rules)) put_spread_of_tables(rules.nccl, process);
  return process;
}

double spread_at(const ResidualProcess& process, const Scale& scale) {
  return std::hypot(process.spread, process.balanced_spread * scale.balance);
}

double covariance(const ResidualProcess& process, const Scale& a, const Scale& b) {
  const double alike = process.persistent_share + (1 - process.persistent_share) * alike_over(process, a.gpus, b.gpus);
  const bool crossing = (a.nodes > 1) != (b.nodes > 1);
  return spread_at(process, a) * spread_at(process, b) * alike * alike_over(process, a.size_bytes, b.size_bytes) *
         alike_over(process, a.batch, b.batch) * (crossing ? process.node_boundary_correlation : 1);
}

ResidualWeights residual_weights(const ResidualProcess& process, const std::vector<KnownResidual>& known,
                                 const Scale& scale) {
  if (known.empty()) return {{}, spread_at(process, scale)};
  const auto count = static_cast<Eigen::Index>(known.size());
  Eigen::MatrixXd among(count, count);
  Eigen::VectorXd with(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& one = known[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < count; ++j)
      among(i, j) = covariance(process, one.scale, known[static_cast<std::size_t>(j)].scale);
    among(i, i) += one.noise * one.noise;
    with(i) = covariance(process, one.scale, scale);
  }
  const auto weights = solve_symmetric(among, with);
  const double left = covariance(process, scale, scale) - with.dot(weights);
  return {{weights.begin(), weights.end()}, std::sqrt(std::max(0.0, left))};
}

ResidualEstimate estimate_residual(const ResidualProcess& process, const std::vector<KnownResidual>& known,
                                   const Scale& scale) {
  const auto found = residual_weights(process, known, scale);
  ResidualEstimate estimate{0, found.spread};
  for (std::size_t i = 0; i < known.size(); ++i) estimate.mean += found.weights[i] * known[i].value;
  return estimate;
}

double spread_of_distance(const ResidualProcess& process, int gpus, int measured_gpus) {
  if (measured_gpus < 1 || gpus <= measured_gpus) return 0;
  return process.growth * std::sqrt(std::log2(static_cast<double>(gpus) / measured_gpus));
}

} // namespace ddlsim
