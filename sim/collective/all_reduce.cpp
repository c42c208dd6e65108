#include "sim/collective/all_reduce.hpp"

#include "sim/collective/fabric_load.hpp"
#include "sim/network/machine.hpp"

#include <stdexcept>

namespace ddlsim {
namespace {

Machine all_nics_slow(Machine machine) {
  machine.nic_Bps *= machine.slow_nic_factor;
  machine.slow_nic_factor = 1;
  return machine;
}

} // namespace

const AllReduceAlgorithm& all_reduce_algorithm(Algorithm algorithm) {
  switch (algorithm) {
#define DDLSIM_ALL_REDUCE(value, text)                                                                                 \
  case Algorithm::value:                                                                                               \
    return value##_all_reduce;
#define DDLSIM_HALF(value, text)                                                                                       \
  case Algorithm::value:                                                                                               \
    return value##_all_reduce;
#include "sim/formats/all_reduces.def"
  }
  throw std::logic_error("an all-reduce without a row");
}

double all_reduce_s(const Machine& placed, double size_bytes, Algorithm algorithm) {
  const Machine machine = on_one_switch(placed, algorithm);
  const auto& row = all_reduce_algorithm(algorithm);
  return row.time_s(row.follows_ranks ? machine : all_nics_slow(machine), size_bytes);
}

std::optional<std::string> why_no_symmetry(const Machine& machine, Algorithm algorithm) {
  return machine.ranks > 1 ? all_reduce_algorithm(algorithm).why_no_symmetry(machine) : std::nullopt;
}

std::optional<std::string> why_no_classes(const Machine& machine, Algorithm algorithm) {
  const auto& row = all_reduce_algorithm(algorithm);
  if (row.why_no_classes == nullptr) return why_no_symmetry(machine, algorithm);
  return row.why_no_classes(machine);
}

std::vector<PeriodSteps> period_of(const Machine& machine, double size_bytes, Algorithm algorithm) {
  require_rates(machine);
  const auto& row = all_reduce_algorithm(algorithm);
  return machine.ranks > 1 && row.period != nullptr ? row.period(machine, size_bytes) : std::vector<PeriodSteps>{};
}

} // namespace ddlsim
