#include "sim/predict/prediction.hpp"

namespace ddlsim {

std::string version() {
  return DDLSIM_VERSION;
}
std::string simgrid_version() {
  return DDLSIM_SIMGRID_VERSION;
}

} // namespace ddlsim
