#include "sim/iteration/iteration_parts.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {

double sum_s(const IterationParts& parts) {
  double all_s = 0;
  for (const NamedPart& part : named_parts) all_s += parts.*part.seconds;
  return all_s;
}

IterationParts parts_of(const IterationPass& pass) {
  constexpr double rounding = 1e-12; // relative error of the sum of a pipeline's steps
  IterationParts parts;
  parts.compute_s = pass.compute_s;
  parts.slow_node_s = parts.straggling_s = pass.slow_node_s;
  parts.synchronisation_s = pass.synchronisation_s;
  if (pass.free_end_s > (1 + rounding) * pass.compute_s) parts.bubble_s = pass.free_end_s - pass.compute_s;
  parts.exposed_communication_s = pass.end_s - sum_s(parts);
  if (pass.drawn) parts.exposed_communication_s = std::max(0.0, parts.exposed_communication_s);
  return parts;
}

IterationParts parts_of_whole(IterationParts parts, double iteration_s) {
  constexpr double rounding = 1e-12; // relative error of the sum of the parts
  parts.unexplained_s = 0;
  const double rest_s = iteration_s - sum_s(parts);
  if (std::abs(rest_s) >= rounding * iteration_s) parts.unexplained_s = rest_s;
  return parts;
}

} // namespace ddlsim
