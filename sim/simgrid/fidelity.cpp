#include "sim/simgrid/fidelity.hpp"

namespace ddlsim {

std::string to_text(Fidelity fidelity) {
  switch (fidelity) {
  case Fidelity::automatic:
    return "auto";
  case Fidelity::screening:
  case Fidelity::closed_form:
  case Fidelity::reduced:
    return "screening";
  case Fidelity::by_symmetry:
    return "by-symmetry";
  case Fidelity::full:
    return "full";
  }
  throw std::logic_error("a fidelity without a name");
}

} // namespace ddlsim
