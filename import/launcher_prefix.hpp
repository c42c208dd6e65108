#pragma once
// Removes the prefix that launchers, schedulers and containers put before each line that a process prints.

#include <string_view>

namespace ddlsim {

struct UnprefixedLine {
  std::string_view text;
  int rank = -1; ///< rank of the printing process, if the prefix states it; else -1
};

/// Without such prefixes, one inside another too:
///   torchrun                "[rank3]:", "[default3]:"
///   mpirun --tag-output     "[1,3]<stdout>:"
///   MPICH, srun -l          "[3] ", "3: "
///   Ray, docker compose     "(worker pid=71, ip=10.0.0.1) ", "trainer-1  | "
///   kubectl, containers     "[pod/a/b] ", "2026-11-29T10:00:00.0Z stdout F "
///   journald, a clock       "Nov 29 10:00:00 host sh[71]: ", "2026-11-29 10:00:00,123 "
UnprefixedLine without_prefix(std::string_view line);

} // namespace ddlsim
