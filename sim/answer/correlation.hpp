#pragma once

#include <vector>

namespace ddlsim {

/// Pearson's, of two lists of one length; 0 where one of them does not vary.
double correlation(const std::vector<double>& x, const std::vector<double>& y);

} // namespace ddlsim
