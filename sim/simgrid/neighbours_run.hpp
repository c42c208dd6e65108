#pragma once
// Jobs beside each other on SimGrid: once with one message of each job in place of all its messages of a round, and
// once with every message.

#include "sim/neighbours/jobs.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Times job 0 beside its neighbours. Each round of a transfer waits for its latency and then is one message, which
/// counts `flows` times on every shared link; beyond 500 all counts of a link are divided by the same number and
/// rounded. Call it only in a fork, because it starts SimGrid. Throws what require_usable throws. Compared with
/// simulate_every_message() the mean of 16 iterations is 8.3 % less to 11.0 % more, over 600 draws of
/// tests/neighbours/random_jobs.hpp with two jobs; nine of ten are within 2.8 %. The likely reason: here all messages
/// of a job's round start at one moment, and with every message they do not.
SharedTimes simulate_rounds(const std::vector<SharedLink>& links, const std::vector<Job>& jobs, int iterations);

/// Runs simulate_rounds() in a child of the fork server. Throws std::runtime_error with the message when the run fails.
SharedTimes simulate_rounds_in_child(const std::vector<SharedLink>& links, const std::vector<Job>& jobs,
                                     int iterations);

// Jobs beside each other on SimGrid with every message: the reference for simulate_rounds().

/// One message of a pattern.
struct PairMessage {
  int from = 0;
  int to = 0;
  std::vector<std::size_t> route{}; ///< indices of the shared links that it crosses, each once
};

/// A job whose all-reduces are rings, and the routes of their edges. Edge i goes from rank i to the next one, and a
/// ring has 2(n-1) steps. The job's rounds and edges_apart are not read, and of alone_s only whether it is above 0: all
/// three follow from routes and hop_s.
struct RingJob {
  Job job{};
  double hop_s = 0;                               ///< delay of each message at delivery; it holds no link
  std::vector<std::vector<std::size_t>> routes{}; ///< for each edge, the shared links that it crosses, each once
  /// In place of the ring's edges: for each pattern of the job, the messages that are sent at the same time. `routes`
  /// then has an entry for each rank, which is not read.
  std::vector<std::vector<PairMessage>> pairs{};
};

/// Returns the shared links as simulate_rounds() takes them: `rates_Bps`, with the number of each job's edges that
/// cross the link.
std::vector<SharedLink> links_of_rings(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs);

/// Times job 0 beside its neighbours. Each rank is an actor, which forwards a chunk as soon as it has it, and each
/// chunk is a flow. With pairs a rank sends its message of a transfer, waits for the one that is sent to it, and goes
/// on. The ranks of a job start each iteration together, and each transfer that does not continue another. Call it only
/// in a fork, because it starts SimGrid. Throws std::invalid_argument as require_usable does, and where a ring has
/// fewer than two ranks or uses a link that does not exist.
SharedTimes simulate_every_message(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs,
                                   int iterations);

/// Runs simulate_every_message() in a child of the fork server. Throws std::runtime_error with the message when the run
/// fails.
SharedTimes simulate_every_message_in_child(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs,
                                            int iterations);

} // namespace ddlsim
