#pragma once
// What launchers, schedulers and containers put before each line that a process prints.

#include <string_view>

namespace ddlsim {

struct UnprefixedLine {
  std::string_view text;
  int rank = -1; ///< of the process, where the prefix says it; -1: not said
};

/// Without the prefixes of torchrun ("[rank3]:", "[default3]:"), mpirun --tag-output ("[1,3]<stdout>:"), MPICH ("[3] "),
/// srun -l ("3: "), Ray ("(worker pid=71, ip=10.0.0.1) "), docker compose ("trainer-1  | "), kubectl ("[pod/a/b] "),
/// container runtimes ("2026-11-29T10:00:00.0Z stdout F "), journald ("Nov 29 10:00:00 host sh[71]: ") and a time.
UnprefixedLine without_prefix(std::string_view line);

} // namespace ddlsim
