#include "sim/simgrid/fidelity.hpp"

namespace ddlsim {

std::string to_text(Fidelity fidelity) {
  switch (fidelity) {
  case Fidelity::automatic:
    return "auto";
  case Fidelity::screening:
    return "screening";
  case Fidelity::closed_form:
    return "closed-form";
  case Fidelity::reduced:
    return "reduced";
  case Fidelity::full:
    return "full";
  }
  throw std::logic_error("a fidelity without a name");
}

} // namespace ddlsim
