// Texts of the names that decide what is in a GPU's memory.

#include "sim/formats/names.hpp"

namespace ddlsim {

std::string to_text(Recompute value) {
  switch (value) {
  case Recompute::none:
    return "none";
  case Recompute::selective:
    return "selective";
  case Recompute::alternate_matmuls:
    return "alternate-matmuls";
  case Recompute::full:
    return "full";
  case Recompute::best:
    return "best";
  }
  return "";
}

std::string to_text(CrossEntropy value) {
  switch (value) {
  case CrossEntropy::eager:
    return "eager";
  case CrossEntropy::parallel:
    return "parallel";
  case CrossEntropy::fused:
    return "fused";
  case CrossEntropy::compiled:
    return "compiled";
  case CrossEntropy::in_place:
    return "in-place";
  }
  return "";
}

std::string to_text(Optimizer value) {
  switch (value) {
  case Optimizer::sgd:
    return "sgd";
  case Optimizer::adamw:
    return "adamw";
  case Optimizer::adamw_fused:
    return "adamw-fused";
  case Optimizer::adamw_8bit:
    return "adamw-8bit";
  case Optimizer::muon:
    return "muon";
  case Optimizer::adafactor:
    return "adafactor";
  }
  return "";
}

std::string to_text(MemoryFit value) {
  switch (value) {
  case MemoryFit::fits:
    return "fits";
  case MemoryFit::tight:
    return "tight";
  case MemoryFit::too_large:
    return "does not fit";
  }
  return "";
}

std::string to_text(Offload value) {
  switch (value) {
  case Offload::none:
    return "none";
  case Offload::optimizer:
    return "optimizer";
  case Offload::optimizer_and_parameters:
    return "optimizer-and-parameters";
  }
  return "";
}

} // namespace ddlsim
