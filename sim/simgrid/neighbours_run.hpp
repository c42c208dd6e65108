#pragma once
// Jobs that run beside each other on SimGrid: once with one message of each job in place of all its messages of a
// round, and once with every message.

#include "sim/neighbours/jobs.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Times job 0 beside its neighbours. Each round of a transfer waits for its latency and then is one message, which
/// counts `flows` times on every shared link. Beyond 500 all counts of a link are divided by the same number and
/// rounded. Call it only in a fork, because it starts SimGrid. Throws as require_usable() does.
/// Compared with simulate_every_message() the mean of 16 iterations is 8.3 % less to 11.0 % more, over 600 draws of
/// tests/neighbours/random_jobs.hpp with two jobs; nine of ten are within 2.8 %. The likely reason is that here all
/// messages of a job's round start at one moment, and with every message they do not.
SharedTimes simulate_rounds(const std::vector<SharedLink>& links, const std::vector<Job>& jobs, int iterations);

/// Runs simulate_rounds() in a child of the fork server. Throws std::runtime_error with the message when the run fails.
SharedTimes simulate_rounds_in_child(const std::vector<SharedLink>& links, const std::vector<Job>& jobs,
                                     int iterations);

// Jobs that run beside each other on SimGrid with every message. This is the reference for simulate_rounds().

/// One message of a pattern.
struct PairMessage {
  int from = 0;
  int to = 0;
  std::vector<std::size_t> route{}; ///< indices of the shared links that it crosses, each listed once
};

/// A job whose all-reduces are rings, and the routes of their edges. Edge i goes from rank i to the next one, and a
/// ring has 2(n-1) steps. A run does not read the job's rounds and edges_apart, and of alone_s only whether it is above
/// 0, because all three follow from routes and hop_s.
struct RingJob {
  Job job{};
  double hop_s = 0; ///< delay of each message at delivery; it occupies no link
  /// indices of the shared links that each edge crosses, each listed once
  std::vector<std::vector<std::size_t>> routes{};
  /// Used in place of the ring's edges: the messages of each pattern of the job, which are sent at the same time.
  /// `routes` then has an entry for each rank, which is not read.
  std::vector<std::vector<PairMessage>> pairs{};
};

/// Returns the shared links in the form that simulate_rounds() takes. The links have `rates_Bps`, and each knows how
/// many of each job's edges cross it.
std::vector<SharedLink> links_of_rings(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs);

/// Times job 0 beside its neighbours. Each rank is an actor, which forwards a chunk as soon as it has it, and each
/// chunk is a flow. With pairs, a rank sends its message of a transfer, waits for the one that is sent to it, and goes
/// on. The ranks of a job start each iteration together, and also each transfer that does not continue another. Call it
/// only in a fork, because it starts SimGrid. Throws std::invalid_argument as require_usable() does, and where a ring
/// has fewer than two ranks or uses a link that does not exist.
SharedTimes simulate_every_message(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs,
                                   int iterations);

/// Runs simulate_every_message() in a child of the fork server. Throws std::runtime_error with the message when the run
/// fails.
SharedTimes simulate_every_message_in_child(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs,
                                            int iterations);

} // namespace ddlsim
