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
};

/// The work between two checkpoints that makes the expected time least, to third order.
/// J. T. Daly, Future Generation Computer Systems 22, 2006, eq. 37; beyond its range (checkpoint of two mtbf or more) the
/// mtbf itself. 0 for a job that never fails.
double best_checkpoint_interval_s(const FailingJob& job);

/// Expected time from start to end of so much work with a checkpoint after every `interval_s` of it. Failures may also
/// strike checkpoints and restarts. The same paper, eq. 20: M exp(R/M) (exp((t + d)/M) - 1) work/t.
double expected_time_s(const FailingJob& job, double work_s, double interval_s);

/// The same at the best interval, or at all the work where that is shorter; the work itself where nothing fails.
double expected_time_s(const FailingJob& job, double work_s);

} // namespace ddlsim
