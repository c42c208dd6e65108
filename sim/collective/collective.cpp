#include "sim/collective/collective.hpp"

#include "sim/collective/fabric_load.hpp"
#include "sim/network/machine.hpp"

#include <stdexcept>

namespace ddlsim {

const CollectiveAlgorithm& collective_algorithm(const CollectiveKind& collective) {
#define DDLSIM_COLLECTIVE(operation, algorithm, text)                                                                  \
  if (collective == CollectiveKind{CollectiveOperation::operation, Algorithm::algorithm})                              \
    return algorithm##_##operation;
#include "sim/formats/collectives.def"
  throw std::logic_error("a collective without a row");
}

double collective_s(const Machine& placed, double size_bytes, const CollectiveKind& collective) {
  const auto& row = collective_algorithm(collective);
  const Machine machine = on_one_switch(placed, row.between_nodes.pattern);
  return row.time_s(row.follows_ranks ? machine : all_nics_slow(machine), size_bytes);
}

double all_reduce_s(const Machine& machine, double size_bytes, Algorithm algorithm) {
  return collective_s(machine, size_bytes, all_reduce_by(algorithm));
}

std::optional<std::string> why_no_symmetry(const Machine& machine, const CollectiveKind& collective) {
  return machine.ranks > 1 ? collective_algorithm(collective).why_no_symmetry(machine) : std::nullopt;
}

std::optional<std::string> why_no_classes(const Machine& machine, const CollectiveKind& collective) {
  const auto& row = collective_algorithm(collective);
  if (row.why_no_classes == nullptr) return why_no_symmetry(machine, collective);
  return row.why_no_classes(machine);
}

std::vector<PeriodSteps> period_of(const Machine& machine, double size_bytes, const CollectiveKind& collective) {
  require_rates(machine);
  const auto& row = collective_algorithm(collective);
  return machine.ranks > 1 && row.period != nullptr ? row.period(machine, size_bytes) : std::vector<PeriodSteps>{};
}

} // namespace ddlsim
