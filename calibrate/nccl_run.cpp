#include "calibrate/nccl_run.hpp"

#include <fmt/format.h>

#include <array>

namespace ddlsim {

std::string nccl_program(std::string_view command) {
  static const std::array<std::string_view, 11> programs = {"all_reduce", "all_gather", "reduce_scatter", "broadcast",
                                                            "alltoall",   "alltoallv",  "reduce",         "gather",
                                                            "scatter",    "sendrecv",   "hypercube"};
  const auto slash = command.rfind('/');
  if (slash != std::string_view::npos) command.remove_prefix(slash + 1);
  for (const auto& program : programs) {
    for (const std::string_view ending : {"_perf", "_perf_mpi"})
      if (command == std::string(program) + std::string(ending)) return std::string(program);
  }
  return "";
}

std::string nccl_version_text(long code) {
  // NCCL 2.9 changed its number from 1000 x major + 100 x minor + patch to 10000 x major + 100 x minor + patch.
  constexpr long first_new_code = 10000;
  const long major_step = code < first_new_code ? 1000 : 10000;
  return fmt::format("{}.{}.{}", code / major_step, code % major_step / 100, code % 100);
}

std::string nccl_algorithm(std::string_view setting) {
  const auto name = lower_case(setting);
  return name == "ring" || name == "tree" ? name : "unknown";
}

} // namespace ddlsim
