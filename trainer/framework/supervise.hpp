#pragma once
// One rank of a framework's job: a child process that computes, watched by this one, which stays in MPI so that a child
// that dies ends the job.

#include "trainer/framework/script.hpp"

namespace ddltrain {

class MpiCommunicator;

/// How a rank's child is run.
struct Supervised {
  FrameworkScript script;
  std::string interface; ///< "": the first
  int servers = 0;       ///< the last so many ranks serve, and are ended when all workers are done
};

/// What a rank's child used. Bytes are those of the rank's network interface, headers and other processes' included.
struct RankUse {
  double cpu_s = 0; ///< of the child and of what it started
  double received_bytes = 0;
  double sent_bytes = 0;
};

/// Runs the script as this rank's child until it ends. The child finds its job in DDLTRAIN_JOB; its standard error is
/// kept, and its last message is told when it fails. Collective over `world`; host: this rank's name. Throws RunError
/// or ddlsim::UserError (as the child's status says) when the child fails.
RankUse supervise(MpiCommunicator& world, const std::string& host, const Supervised& what);

} // namespace ddltrain
