#pragma once
// Jobs that train at the same time on one fabric: their transfers, and the links between switches that they share.

#include <cstddef>
#include <vector>

namespace ddlsim {

/// One direction of a link between switches that messages of several jobs cross.
struct SharedLink {
  double rate_Bps = 0;
  std::vector<int> flows{}; ///< number of messages of each job that cross the link in one round of its all-reduce
  /// For each job with several patterns, the messages of each pattern (`flows` has the most); empty for other jobs.
  std::vector<std::vector<int>> by_pattern{};
};

/// Number of messages of one round that cross the link, for one pattern of a job.
int flows_of(const SharedLink& link, std::size_t job, int pattern);

/// One all-reduce of a job's iteration, as it runs alone on the fabric. Its rounds come one after another. A round
/// moves edge_bytes/rounds over every edge of the job's ring at once.
struct Transfer {
  double ready_s = 0;    ///< time at which the all-reduce can start, from the start of the iteration
  double alone_s = 0;    ///< time that it takes without neighbours
  double edge_bytes = 0; ///< bytes over one edge of the ring, in all rounds
  int rounds = 1;
  int pattern = 0; ///< number of the job's pattern: who sends to whom
  bool continues =
      /// whether this transfer continues the all-reduce of the transfer before, so that no rank waits for all others in
      /// between
      false;
};

/// A job, which repeats its iteration: compute, and beside it transfers one after another. When both have ended, rest_s
/// passes before the next iteration. A transfer starts when it is ready and the one before has ended.
struct Job {
  double start_s = 0; ///< start of its first iteration
  double compute_s = 0;
  double rest_s = 0;
  double edge_Bps = 0; ///< rate of an edge that no other job shares, which is that of its NIC
  std::vector<Transfer> transfers{};
  /// Number of the ring's edges, those inside nodes included, over the number of edges that neighbours slow
  /// (find_edges_apart); 1 or more. With 1 every edge is slow, and every round waits for it. Else a slow edge delays
  /// each chunk once in a turn of the ring.
  double edges_apart = 1;
  int patterns = 1; ///< number of patterns of its transfers; it is above 1 where ranks exchange in pairs
};

/// Times of job 0 with its neighbours, jobs 1, 2, ..., which repeat their iterations until job 0 has finished its own.
struct SharedTimes {
  std::vector<double> iterations_s{}; ///< times of job 0's iterations, one after another
  double messages = 0;                ///< number of messages that SimGrid ran
};

/// A transfer as it is timed: `count` rounds, each with one message of `bytes` over each edge.
struct Rounds {
  int count = 1;
  double alone_s = 0; ///< time from one message to the next without neighbours
  double busy_s = 0;  ///< part of alone_s in which the message travels
  double bytes = 0;
  double edges_apart = 1;
};

/// When the messages of one transfer may leave over an edge that neighbours slow. A ring of n ranks has n chunks under
/// way. A chunk comes back to the edge after `edges_apart` messages, and takes as long on the other edges as without
/// neighbours. So a slow edge delays a chunk once in a turn, until the edge is the narrowest place of the ring.
class RingPace {
public:
  RingPace(const Rounds& rounds, double start_s);

  bool is_over() const { return sent_s_.size() >= static_cast<std::size_t>(rounds_.count); }
  double ready_s() const; ///< time at which the next message may leave; after the last message, the time of its arrival
  void sent(double now_s) { sent_s_.push_back(now_s); }

private:
  double sent_s(int message) const;

  Rounds rounds_;
  double start_s_;
  std::vector<double> sent_s_{}; ///< time at which each message so far was sent
};

/// Rate of each message of a job without neighbours: edge_Bps, or less where the job's own messages share a link. A job
/// with several patterns has the rate of the slowest.
double alone_Bps(const std::vector<SharedLink>& links, const Job& job, std::size_t index_of_job);

/// Rate of each message of a job without neighbours, for each of its patterns.
std::vector<double> alone_Bps_by_pattern(const std::vector<SharedLink>& links, const Job& job,
                                         std::size_t index_of_job);

/// The rounds of a transfer, at most `most_rounds`, which together take alone_s at `alone_Bps`. The part of alone_s
/// in which no bytes travel is latency and software, equal in every round. Where alone_s is too short for the bytes,
/// their number is reduced.
Rounds rounds_of(const Job& job, const Transfer& transfer, double alone_Bps, int most_rounds);

/// Number of edges of a job's ring over the number that neighbours slow, from the links that each edge crosses; this is
/// Job::edges_apart. All jobs are assumed to send. An edge with half the delay of the slowest one counts as half an
/// edge. 1 where no edge is slower.
double find_edges_apart(const std::vector<SharedLink>& links, const Job& job, std::size_t index_of_job,
                        const std::vector<std::vector<std::size_t>>& links_of_edges);

/// Returns the links that can limit a job; of a fabric of thousands of ranks they are a few. Links that all jobs
/// together cannot fill, and links that are never full before another is, change no job's rate and are left out.
std::vector<SharedLink> binding_links(const std::vector<SharedLink>& links, const std::vector<Job>& jobs);

/// Throws std::invalid_argument that names the job or the link in each of these cases: a number is negative or not
/// finite, a link has no rate or is for another number of jobs, an edge without a rate has bytes to carry, there is no
/// round, an iteration takes no time, a job's edges_apart is below 1, there is no job, or fewer than one iteration is
/// asked for.
void require_usable(const std::vector<SharedLink>& links, const std::vector<Job>& jobs, int iterations);

} // namespace ddlsim
