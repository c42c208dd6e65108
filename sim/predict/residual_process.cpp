#include "sim/predict/residual_process.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace ddlsim {

double covariance(const CarryLaw& law, const Scale& a, const Scale& b) {
  const double doublings = std::abs(std::log2(static_cast<double>(a.gpus) / b.gpus));
  const double alike = law.lasting + (1 - law.lasting) * std::pow(law.per_doubling, doublings);
  const bool crossing = (a.nodes > 1) != (b.nodes > 1);
  return law.spread * law.spread * alike * (crossing ? law.at_crossing : 1);
}

Carried carry(const CarryLaw& law, const std::vector<KnownResidual>& known, const Scale& scale) {
  if (known.empty()) return {0, law.spread};
  const auto count = static_cast<Eigen::Index>(known.size());
  Eigen::MatrixXd among(count, count);
  Eigen::VectorXd with(count);
  Eigen::VectorXd values(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& one = known[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < count; ++j)
      among(i, j) = covariance(law, one.scale, known[static_cast<std::size_t>(j)].scale);
    among(i, i) += one.noise * one.noise;
    with(i) = covariance(law, one.scale, scale);
    values(i) = one.value;
  }
  const Eigen::LDLT<Eigen::MatrixXd> factor(among);
  const double left = covariance(law, scale, scale) - with.dot(factor.solve(with));
  return {with.dot(factor.solve(values)), std::sqrt(std::max(0.0, left))};
}

} // namespace ddlsim
