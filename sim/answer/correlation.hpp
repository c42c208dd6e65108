#pragma once

#include <vector>

namespace ddlsim {

/// Pearson's, of two lists of one length; 0 where one of them does not vary.
double correlation(const std::vector<double>& x, const std::vector<double>& y);

/// Share of its width that something keeps once what it is so correlated with is known: sqrt(1 - r^2), by linear
/// regression of normal quantities.
double width_left(double correlation);

} // namespace ddlsim
