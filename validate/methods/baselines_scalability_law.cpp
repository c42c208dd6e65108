
#include "validate/methods/baselines.hpp"

#include <algorithm>
#include <array>

namespace ddlsim {
namespace {

double contention(int gpus) {
  return gpus - 1.0;
}
double crosstalk(int gpus) {
  return static_cast<double>(gpus) * (gpus - 1.0);
}

/// Amdahl's and Gunther's laws, whose iteration times are linear in their coefficients. The curve passes through the
/// smallest visible scale (usually one GPU) and is fitted to relative residuals at the others. A coefficient is used
/// only if a visible scale remains to determine it.
class ScalabilityLaw final : public Method {
public:
  ScalabilityLaw(std::string name, std::size_t coefficients) : name_(std::move(name)), coefficients_(coefficients) {}
  std::string name() const override { return name_; }
  void prepare(const Evidence& /*evidence*/) override {}

  std::optional<Forecast> forecast(const Question& question) const override {
    const auto curve = curve_points(question.known);
    if (curve.empty()) return std::nullopt;
    const auto& base = curve.front();
    const bool two = coefficients_ == 2 && curve.size() > 2;
    std::vector<Equation> equations;
    for (std::size_t i = 1; i < curve.size(); ++i) {
      const double growth = curve[i].iteration_s / base.iteration_s - 1;
      equations.push_back({contention(curve[i].gpus) - contention(base.gpus),
                           two ? crosstalk(curve[i].gpus) - crosstalk(base.gpus) : 0, growth,
                           1 / ((1 + growth) * (1 + growth))});
    }
    const auto terms = solve_non_negative(equations);
    return Forecast{base.iteration_s * (1 + terms.first * (contention(question.gpus) - contention(base.gpus)) +
                                        terms.second * (crosstalk(question.gpus) - crosstalk(base.gpus)))};
  }

private:
  std::string name_;
  std::size_t coefficients_;
};

} // namespace

std::unique_ptr<Method> make_amdahl() {
  return std::make_unique<ScalabilityLaw>("amdahl", 1);
}
std::unique_ptr<Method> make_usl() {
  return std::make_unique<ScalabilityLaw>("usl", 2);
}

namespace {

/// Two columns count as collinear if their determinant is below this share of the product of their squares.
constexpr double collinear = 1e-12;

double loss(const std::vector<Equation>& equations, const TwoCoefficients& at) {
  double sum = 0;
  for (const auto& one : equations) {
    const double residual = one.first * at.first + one.second * at.second - one.value;
    sum += one.weight * residual * residual;
  }
  return sum;
}

} // namespace

TwoCoefficients solve_non_negative(const std::vector<Equation>& equations) {
  double aa = 0, ab = 0, bb = 0, av = 0, bv = 0;
  for (const auto& one : equations) {
    aa += one.weight * one.first * one.first;
    ab += one.weight * one.first * one.second;
    bb += one.weight * one.second * one.second;
    av += one.weight * one.first * one.value;
    bv += one.weight * one.second * one.value;
  }
  const double determinant = aa * bb - ab * ab;
  if (determinant > collinear * aa * bb) {
    const TwoCoefficients both{(av * bb - bv * ab) / determinant, (bv * aa - av * ab) / determinant};
    if (both.first >= 0 && both.second >= 0) return both;
  }
  // The minimum over the quadrant is then on one of its two edges.
  const std::array<TwoCoefficients, 2> edges{TwoCoefficients{aa > 0 ? std::max(0.0, av / aa) : 0, 0},
                                             TwoCoefficients{0, bb > 0 ? std::max(0.0, bv / bb) : 0}};
  return loss(equations, edges[0]) <= loss(equations, edges[1]) ? edges[0] : edges[1];
}

} // namespace ddlsim
