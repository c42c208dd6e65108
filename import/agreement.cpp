#include "import/agreement.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {

double agreed_value(const std::vector<Claim>& claims, const std::string& where) {
  if (claims.empty()) return 0;
  const auto& first = claims.front();
  for (const auto& other : claims) {
    const double larger = std::max(std::abs(first.value), std::abs(other.value));
    if (std::abs(first.value - other.value) > agreement_share * larger)
      throw UserError(where, "",
                      fmt::format("{}, but {}: they disagree, so nothing was imported; correct what is wrong, or cut "
                                  "the log to one run",
                                  first.statement, other.statement));
  }
  return first.value;
}

} // namespace ddlsim
