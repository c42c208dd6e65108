#include "sim/predict/prediction.hpp"

namespace ddlsim {

std::string version() {
  return DDLSIM_VERSION;
}
std::string simgrid_version() {
  return DDLSIM_SIMGRID_VERSION;
}

std::string to_text(InputLimit limit) {
  switch (limit) {
  case InputLimit::none:
    break;
  case InputLimit::decoding:
    return "decoding";
  case InputLimit::storage:
    return "storage";
  case InputLimit::opening:
    return "file-opens";
  case InputLimit::shared_storage:
    return "shared-storage";
  case InputLimit::shared_opening:
    return "shared-file-opens";
  }
  return "none";
}

} // namespace ddlsim
