#pragma once
// What failures of nodes and checkpoints add to a training.
//
//   |-- work --|ckpt|-- work --|ckpt|-- wo X restart |-- work --|ckpt| ...
//              ^ a failure throws training back here

namespace ddlsim {

/// A job whose failures are a Poisson process and that resumes from its last checkpoint. Times are in seconds.
struct FailingJob {
  /// mean time between failures of the job, which is that of a node over the number of nodes; 0: it never fails
  double mtbf_s = 0;
  double checkpoint_s = 0; ///< time to write a checkpoint while training waits; positive if mtbf_s is
  double restart_s = 0;    ///< time from a failure until training resumes
  double repair_s = 0;     ///< mean time to repair a failed node; 0: a replacement is there at once
  int spare_nodes = 0;     ///< number of nodes that replace failed ones during their repair
};

/// The work between two checkpoints, in seconds, that minimises the expected time to third order (J. T. Daly, Future
/// Generation Computer Systems 22, 2006, eq. 37). Beyond the formula's range (a checkpoint of two mtbf or more) it is
/// the mtbf itself. 0 for a job that never fails.
double best_checkpoint_interval_s(const FailingJob& job);

/// Expected time from start to end of `work_s` of work, with a checkpoint after every `interval_s` of it. Failures may
/// also occur during checkpoints and restarts. The formula is eq. 20 of the same paper: M exp(R/M) (exp((t + d)/M) - 1)
/// work/t.
double expected_time_s(const FailingJob& job, double work_s, double interval_s);

/// The share of the time in which enough nodes work. The job waits while more nodes are under repair than there are
/// spares. Repairs run in parallel, and a waiting job does not fail. The formula is Erlang's loss formula with
/// spare_nodes + 1 servers and a load of repair_s / mtbf_s, whatever the distribution of the repair times (L.
/// Kleinrock, Queueing Systems I, 1975, eq. 3.43).
double share_with_enough_nodes(const FailingJob& job);

/// Expected time with checkpoints at the best interval, including the waits for repairs. There are no checkpoints if
/// the work is shorter than the interval. It equals the work if nothing fails.
double expected_time_s(const FailingJob& job, double work_s);

} // namespace ddlsim
