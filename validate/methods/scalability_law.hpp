#pragma once
// Two coefficients that may not be negative, by least squares in closed form: the same bytes on every machine.

#include <vector>

namespace ddlsim {

/// One equation: first * x + second * y = value, with the weight of its squared residual.
struct Equation {
  double first = 0;
  double second = 0;
  double value = 0;
  double weight = 1;
};

struct TwoCoefficients {
  double first = 0;
  double second = 0;
};

/// Smallest weighted sum of squares over x >= 0, y >= 0. A column of zeros gives a zero.
TwoCoefficients solve_non_negative(const std::vector<Equation>& equations);

} // namespace ddlsim
