#include "sim/collective/all_reduce.hpp"

#include "sim/collective/halving_doubling.hpp"
#include "sim/collective/hierarchical_ring.hpp"
#include "sim/collective/ring.hpp"
#include "sim/collective/tree.hpp"

#include <stdexcept>
#include <utility>

namespace ddlsim {
namespace {

constexpr std::pair<Algorithm, const char*> names[] = {
    {Algorithm::ring, "ring"},
    {Algorithm::hierarchical_ring, "hierarchical-ring"},
    {Algorithm::tree, "tree"},
    {Algorithm::halving_doubling, "halving-doubling"},
};

Machine all_nics_slow(Machine machine) {
  machine.nic_Bps *= machine.slow_nic_factor;
  machine.slow_nic_factor = 1;
  return machine;
}

} // namespace

std::string to_text(Algorithm algorithm) {
  for (const auto& [known, name] : names)
    if (known == algorithm) return name;
  throw std::logic_error("an algorithm without a name");
}

std::optional<Algorithm> algorithm_named(const std::string& name) {
  for (const auto& [algorithm, known] : names)
    if (name == known) return algorithm;
  return std::nullopt;
}

double all_reduce_s(const Machine& machine, double size_bytes, Algorithm algorithm) {
  switch (algorithm) {
  case Algorithm::ring:
    return ring_all_reduce_s(machine, size_bytes);
  case Algorithm::hierarchical_ring:
    return hierarchical_ring_all_reduce_s(machine, size_bytes);
  case Algorithm::tree:
    return tree_all_reduce_s(all_nics_slow(machine), size_bytes);
  case Algorithm::halving_doubling:
    return halving_doubling_all_reduce_s(all_nics_slow(machine), size_bytes);
  }
  throw std::logic_error("an algorithm without a formula");
}

} // namespace ddlsim
