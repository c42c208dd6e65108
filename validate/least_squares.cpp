#include "validate/least_squares.hpp"

#include <algorithm>
#include <array>

namespace ddlsim {
namespace {

/// Columns whose determinant is this small against the product of their squares are one column.
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
  // The best of the quadrant then lies on one of its two edges.
  const std::array<TwoCoefficients, 2> edges{TwoCoefficients{aa > 0 ? std::max(0.0, av / aa) : 0, 0},
                                             TwoCoefficients{0, bb > 0 ? std::max(0.0, bv / bb) : 0}};
  return loss(equations, edges[0]) <= loss(equations, edges[1]) ? edges[0] : edges[1];
}

} // namespace ddlsim
