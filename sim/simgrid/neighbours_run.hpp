#pragma once
// Jobs beside each other on SimGrid: with one message of each job that stands for all of its messages of a round, and
// with every message.

#include "sim/neighbours/jobs.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Times job 0 beside its neighbours: each round of a transfer waits for its latency, and then is one message,
/// which counts `flows` times on every shared link; beyond 500 all counts of a link are divided alike and rounded. Only in a fork, because it starts SimGrid. Throws what
/// require_usable throws. Against simulate_every_message() the mean of 16 iterations is 8.3 % less to 11.0 % more, over
/// 600 draws of tests/neighbours/random_jobs.hpp with two jobs. Nine of ten are within 2.8 %. The likely reason: here a
/// job's messages of a round come at one moment, and with every message they come apart.
SharedTimes simulate_rounds(const std::vector<SharedLink>& links, const std::vector<Job>& jobs, int iterations);

/// The same in a child of the fork server. Throws std::runtime_error with the message when the run fails.
SharedTimes simulate_rounds_in_child(const std::vector<SharedLink>& links, const std::vector<Job>& jobs,
                                     int iterations);

// Jobs beside each other on SimGrid with every message: what the rounds are held to.

/// One message of a pattern.
struct PairMessage {
  int from = 0;
  int to = 0;
  std::vector<std::size_t> route{}; ///< the shared links that it crosses, each once
};

/// A job whose all-reduces are rings, and where each edge of the ring passes. Edge i goes from rank i to the next
/// one, and there are 2(n-1) steps. Rounds and edges_apart are not read, and alone_s only says that a transfer takes
/// some time: all three follow from routes and hop_s.
struct RingJob {
  Job job{};
  double hop_s = 0;                               ///< delay of each message at delivery; it holds no link
  std::vector<std::vector<std::size_t>> routes{}; ///< of each edge: the shared links that it crosses, each once
  /// In place of the ring's edges, of each pattern of the job: who sends to whom at the same time. `routes` then has
  /// an entry for each rank, which is not read.
  std::vector<std::vector<PairMessage>> pairs{};
};

/// What the rings share, as the other ways to time it take it: `rates_Bps` with the edges of each job that cross
/// the link.
std::vector<SharedLink> links_of_rings(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs);

/// Times job 0 beside its neighbours, with an actor for each rank, which forwards a chunk as soon as it has it,
/// and a flow for each chunk. With pairs a rank sends its message of a transfer, takes the one that comes to it, and
/// goes on. The ranks of a job begin each transfer that does not continue another, and each iteration, together. Only
/// in a fork, because it starts SimGrid. Throws std::invalid_argument as require_usable does, and where a ring has
/// fewer than two ranks or names a link that is not there.
SharedTimes simulate_every_message(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs,
                                   int iterations);

/// The same in a child of the fork server. Throws std::runtime_error with the message when the run fails.
SharedTimes simulate_every_message_in_child(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs,
                                            int iterations);

} // namespace ddlsim
