#include "sim/collective/all_reduce.hpp"

#include "sim/collective/halving_doubling.hpp"
#include "sim/collective/hierarchical_ring.hpp"
#include "sim/collective/ring.hpp"
#include "sim/collective/tree.hpp"

#include <stdexcept>

namespace ddlsim {
namespace {

Machine all_nics_slow(Machine machine) {
  machine.nic_Bps *= machine.slow_nic_factor;
  machine.slow_nic_factor = 1;
  return machine;
}

} // namespace

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
