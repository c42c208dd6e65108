#pragma once
// What failures of nodes and checkpoints add to a training.
//
//   |-- work --|ckpt|-- work --|ckpt|-- wo X restart |-- work --|ckpt| ...
//              ^ a failure throws training back here

namespace ddlsim {

/// A job that fails as a Poisson process and begins again from its last checkpoint. Seconds.
struct FailingJob {
  double mtbf_s = 0;       ///< mean time between failures of the whole job: of a node over the nodes; 0: never
  double checkpoint_s = 0; ///< to write a checkpoint, while training waits; above 0 where mtbf_s is
  double restart_s = 0;    ///< from a failure until training goes on
  double repair_s = 0;     ///< mean, of a failed node; 0: another is there at once
  int spare_nodes = 0;     ///< that take the place of failed ones while those are repaired
};

/// The work between two checkpoints that makes the expected time least, to third order.
/// J. T. Daly, Future Generation Computer Systems 22, 2006, eq. 37; beyond its range (checkpoint of two mtbf or more)
/// the mtbf itself. 0 for a job that never fails.
double best_checkpoint_interval_s(const FailingJob& job);

/// Expected time from start to end of so much work with a checkpoint after every `interval_s` of it. Failures may also
/// strike checkpoints and restarts. The same paper, eq. 20: M exp(R/M) (exp((t + d)/M) - 1) work/t.
double expected_time_s(const FailingJob& job, double work_s, double interval_s);

/// Share of the time in which enough nodes are whole: the job waits while more are under repair than there were spares.
/// Repairs go on side by side, and a job that waits does not fail: Erlang's loss formula with spare_nodes + 1 servers
/// and a load of repair_s / mtbf_s, whatever the distribution of the repairs (L. Kleinrock, Queueing Systems I, 1975,
/// eq. 3.43).
double share_with_enough_nodes(const FailingJob& job);

/// Expected time with a checkpoint at the best interval (none where all the work is shorter than it), the waits for
/// repairs included. The work itself where nothing fails.
double expected_time_s(const FailingJob& job, double work_s);

} // namespace ddlsim
